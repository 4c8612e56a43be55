ALTER TABLE reservation.reservation_items DROP COLUMN IF EXISTS policy;

ALTER TABLE reservation.reservations
    DROP COLUMN IF EXISTS time_zone,
    DROP COLUMN IF EXISTS check_in_from,
    DROP COLUMN IF EXISTS check_out_until,
    DROP COLUMN IF EXISTS no_show_grace_hours,
    DROP COLUMN IF EXISTS own_total_micro,
    DROP COLUMN IF EXISTS own_currency;

ALTER TABLE reservation.quotes
    DROP COLUMN IF EXISTS time_zone,
    DROP COLUMN IF EXISTS check_in_from,
    DROP COLUMN IF EXISTS check_out_until,
    DROP COLUMN IF EXISTS no_show_grace_hours,
    DROP COLUMN IF EXISTS promo_code,
    DROP COLUMN IF EXISTS own_total_micro,
    DROP COLUMN IF EXISTS own_currency;
