-- What a quote freezes for the stay: the property's clock, the no-show grace, each item's cancellation policy, the promotion code and the
-- total in the tenant's own currency. NULL: written before this migration, or by code that is older. Re-runnable.
ALTER TABLE reservation.quotes
    ADD COLUMN IF NOT EXISTS time_zone           text,
    ADD COLUMN IF NOT EXISTS check_in_from       text,
    ADD COLUMN IF NOT EXISTS check_out_until     text,
    ADD COLUMN IF NOT EXISTS no_show_grace_hours int CHECK (no_show_grace_hours >= 0),
    ADD COLUMN IF NOT EXISTS promo_code          text,
    ADD COLUMN IF NOT EXISTS own_total_micro     bigint CHECK (own_total_micro >= 0),
    ADD COLUMN IF NOT EXISTS own_currency        text;

ALTER TABLE reservation.reservations
    ADD COLUMN IF NOT EXISTS time_zone           text,
    ADD COLUMN IF NOT EXISTS check_in_from       text,
    ADD COLUMN IF NOT EXISTS check_out_until     text,
    ADD COLUMN IF NOT EXISTS no_show_grace_hours int CHECK (no_show_grace_hours >= 0),
    ADD COLUMN IF NOT EXISTS own_total_micro     bigint CHECK (own_total_micro >= 0),
    ADD COLUMN IF NOT EXISTS own_currency        text;

ALTER TABLE reservation.reservation_items ADD COLUMN IF NOT EXISTS policy jsonb;
