-- No night of a room type is given to more guests than it has rooms, by the database's clock. Rooms that went out of order after they were
-- sold count as rooms here: their guests need another one, but were not sold too many.
SELECT a.room_type_id, d.night::date AS night, sum(a.units) AS taken, coalesce(min(n.capacity + o.rooms), 0) AS capacity
FROM sandbox.allocations AS a
CROSS JOIN LATERAL generate_series(a.starts_on, a.ends_on - 1, interval '1 day') AS d (night)
LEFT JOIN sandbox.inventory_nights AS n ON n.room_type_id = a.room_type_id AND n.night = d.night::date
CROSS JOIN LATERAL (SELECT count(*) AS rooms FROM sandbox.room_nights_out AS r
                    WHERE r.room_type_id = a.room_type_id AND r.night = d.night::date) AS o
WHERE sandbox.takes(a.state, a.expires_at, platform.now())
GROUP BY a.room_type_id, d.night
HAVING sum(a.units) > coalesce(min(n.capacity + o.rooms), 0);
