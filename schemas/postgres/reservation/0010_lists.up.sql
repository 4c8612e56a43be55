-- Indexes for the lists of the front desk. Re-runnable.
CREATE INDEX IF NOT EXISTS reservations_arriving ON reservation.reservations (tenant_id, property_id, stay_start, reservation_id)
    WHERE state = 'confirmed';
CREATE INDEX IF NOT EXISTS reservations_waiting ON reservation.reservations (tenant_id, property_id, step_since)
    WHERE step_since IS NOT NULL;
-- Guests who left with an unsettled bill; the others owe nothing.
CREATE INDEX IF NOT EXISTS reservations_unsettled ON reservation.reservations (tenant_id, property_id, reservation_id)
    WHERE state = 'checked_out' AND (check_out #>> '{folio,settled}') IS DISTINCT FROM 'true';
