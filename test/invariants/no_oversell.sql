-- No night of a room type is given to more guests than it has rooms, by the database's clock.
SELECT a.room_type_id, d.night::date AS night, sum(a.units) AS taken, coalesce(min(n.capacity), 0) AS capacity
FROM sandbox.allocations AS a
CROSS JOIN LATERAL generate_series(a.starts_on, a.ends_on - 1, interval '1 day') AS d (night)
LEFT JOIN sandbox.inventory_nights AS n ON n.room_type_id = a.room_type_id AND n.night = d.night::date
WHERE sandbox.takes(a.state, a.expires_at, platform.now())
GROUP BY a.room_type_id, d.night
HAVING sum(a.units) > coalesce(min(n.capacity), 0);
