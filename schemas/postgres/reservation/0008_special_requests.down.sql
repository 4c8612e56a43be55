ALTER TABLE reservation.special_requests
    DROP COLUMN IF EXISTS ai_provenance,
    DROP COLUMN IF EXISTS source,
    DROP COLUMN IF EXISTS added_by;
