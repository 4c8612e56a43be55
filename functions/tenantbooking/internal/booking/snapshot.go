package booking

import (
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// queueSnapshot writes the snapshot of an ended draft. It contains no personal data.
func queueSnapshot(tx postgres.Tx, d *Draft) {
	final := string(d.State)
	if d.State == Confirmed {
		final = "converted"
	}
	var reservation, method, provider *string
	if d.Hold != nil {
		reservation = text(d.Hold.Reservation.String())
	}
	if d.Payment != nil {
		method, provider = text(string(d.Payment.Method)), text(d.Payment.Provider)
	}
	w := d.Quote.Selection
	tx.Queue(`
		INSERT INTO bff_tenant_booking.booking_draft_snapshots (id, draft_id, tenant_id, session_id, reservation_id, property_id,
			room_type_id, rate_plan_id, final_state, created_at, finalized_at, total_minor, currency, guest_email_hash,
			guest_phone_hash, marketing, flow_state_history, error_trail, payment_method, payment_provider, device_class, locale, display_currency)
		VALUES (@id, @draft, @tenant, @session, @reservation, @property,
			@roomType, @ratePlan, @final, @created, @ended, @total, @currency, @email,
			@phone, @marketing, @trail, @errors, @method, @provider, @device, @locale, @display)`,
		pgx.StrictNamedArgs{
			"id": id.Derive[id.DraftSnapshot](d.ID, "snapshot"), "draft": d.ID.String(), "tenant": d.Tenant, "session": d.Session.String(),
			"reservation": reservation, "property": w.Property.String(), "roomType": w.RoomType.String(), "ratePlan": w.RatePlan.String(),
			"final": final, "created": d.CreatedAt, "ended": d.EndedAt, "total": d.Quote.Total.Amount, "currency": d.Quote.Total.Currency,
			"email": text(string(d.Hashes.Email)), "phone": text(string(d.Hashes.Phone)), "marketing": d.Campaign.Attributed(),
			"trail": d.History, "errors": append([]ShownError{}, d.Errors...), "method": method, "provider": provider,
			"device": d.Device, "locale": string(d.Locale), "display": d.Currency})
}

// text returns nil, which is NULL, for an empty string.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
