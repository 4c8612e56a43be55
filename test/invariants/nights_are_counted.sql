-- What a night counts as taken is what its allocations took when it was counted and have taken since, and no hold of these ends
-- before the night says that one might.
SELECT n.room_type_id, n.night, n.taken, coalesce(sum(a.units), 0)::int AS counted
FROM sandbox.inventory_nights AS n
LEFT JOIN sandbox.allocations AS a ON a.room_type_id = n.room_type_id AND a.starts_on <= n.night AND a.ends_on > n.night
    AND sandbox.takes(a.state, a.expires_at, n.counted_at)
WHERE n.counted_at < n.next_lapse -- others are still to be counted
GROUP BY n.room_type_id, n.night
HAVING n.taken <> coalesce(sum(a.units), 0) OR min(a.expires_at) FILTER (WHERE a.state = 'held') < n.next_lapse;
