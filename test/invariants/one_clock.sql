-- There is one clock, and it is never moved back before the present.
SELECT count(*) AS clocks, min(offset_by) AS earliest
FROM platform.clock
HAVING count(*) <> 1 OR min(offset_by) < interval '0';
