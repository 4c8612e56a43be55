-- Who added a special request, and from which source. Re-runnable. Rows of the previous version come from guest details.
ALTER TABLE reservation.special_requests
    ADD COLUMN IF NOT EXISTS source        text  NOT NULL DEFAULT 'guest' CHECK (source IN ('guest', 'staff', 'ai_parser')),
    ADD COLUMN IF NOT EXISTS ai_provenance jsonb CHECK ((ai_provenance IS NOT NULL) = (source = 'ai_parser')),
    ADD COLUMN IF NOT EXISTS added_by      jsonb NOT NULL DEFAULT '{"type": "guest", "id": "guest"}';
