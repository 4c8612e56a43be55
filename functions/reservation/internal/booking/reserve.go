package booking

import (
	"cmp"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
)

// Details are the data of a reservation that its quote does not contain.
type Details struct {
	Act       id.Request // the ids derive from it, so a repetition has the same ids
	Channel   Channel
	Partner   Reference
	Session   *id.TenantSession
	Draft     *id.Draft
	Quota     Quota
	CreatedBy access.Actor
	TTL       time.Duration // of the hold
}

// Reserve returns a reservation of the quote with the hold to request. The hold takes effect with [Reservation.StartHold].
// Reserve returns ErrQuoteExpired if the quote is no longer valid.
func Reserve(q *quotes.Quote, d Details) (*Reservation, error) {
	if !q.AsOf.Before(q.ValidUntil) {
		return nil, ErrQuoteExpired
	}
	r := &Reservation{
		ID: ReservationID(d.Act), Tenant: q.Tenant, Property: q.Property,
		State: Quoted, Channel: d.Channel, Partner: d.Partner, Session: cmp.Or(d.Session, q.Session), Draft: cmp.Or(d.Draft, q.Draft),
		Quote: q.ID, Promo: q.Promo, Guest: id.Derive[id.Guest](d.Act, "guest"), Locale: q.Locale, Stay: q.Stay,
		Extras: q.Extras, Currency: q.Currency, Policy: q.Policy, FX: q.FX, Region: q.Region, Quota: d.Quota, CreatedBy: d.CreatedBy,
		Local: q.Local, NoShowGrace: q.NoShowGrace, Own: q.Own,
	}
	for i, item := range q.Items {
		r.Items = append(r.Items, Item{
			ID: id.Derive[id.Item](d.Act, fmt.Sprintf("item/%d", i)), Position: i,
			RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: item.Occupants, Nights: item.Nights, Extras: item.Extras,
			Nightly: item.Nightly, Total: item.Total, Policy: *item.Policy,
		})
	}
	r.post(account.Posting{Cause: account.ByBooking, At: q.AsOf})
	if d.Channel == WalkIn {
		r.spare(q.AsOf) // the guest is here, also if the grace ends in a minute
	}
	r.Hold = r.wanted(d.Act, "hold", d.TTL)
	return r, nil
}
