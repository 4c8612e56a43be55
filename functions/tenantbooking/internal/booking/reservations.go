package booking

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Reservations quotes, holds, confirms, reads and cancels reservations in the reservation service. The idempotency keys of its writes
// derive from the act, so that a repeated call has one effect.
type Reservations struct{ client reservation.Client }

// OpenReservations returns Reservations with its client.
func OpenReservations(e env.Env) Reservations { return Reservations{reservation.Open(e)} }

// ReservationsName is the name of the reservation service in events.
const ReservationsName = "reservation-service"

// Quote returns the price of a wish, for the draft. A repeated call with the same key returns the same quote.
func (r Reservations) Quote(ctx context.Context, v session.Visitor, d id.Draft, w Selection, key string) (found Quote, err error) {
	defer wrapServiceError(ReservationsName, &err)
	rooms, err := w.Occupancy.PerRoom()
	if err != nil {
		return Quote{}, err
	}
	in := reservation.QuoteRequest{
		Property: w.Property,
		Items:    nil,
		Stay:     w.Stay.Window(),
		Currency: v.Currency,
		Locale:   v.Locale,
		Promo:    w.Promo,
		Session:  v.Session.ID,
		Draft:    d,
	}
	for _, room := range rooms {
		in.Items = append(in.Items, reservation.QuoteItem{RoomType: w.RoomType, RatePlan: w.RatePlan, Occupants: room})
	}
	// The key includes currency and language: a retry may have others, because those of the session are unknown while
	// the hot store is down.
	key = fmt.Sprintf("%s-%s-%s", key, v.Currency, v.Locale)
	out, err := r.client.CreateQuote(ctx, v.Tenant.ID, key, in, pointerOf)
	if err != nil {
		return Quote{}, fmt.Errorf("reservations: quote for %s: %w", d, err)
	}
	q, err := quoteFrom(out, w)
	if err != nil {
		return Quote{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: quote for %s: %w", d, err))
	}
	return q, nil
}

// pointerOf maps a JSON pointer of the reservation service's request to the one of the guest's request, where all rooms are
// alike.
func pointerOf(member string) (string, bool) {
	if item, ok := strings.CutPrefix(member, "/items"); ok {
		_, member, _ = strings.Cut(strings.TrimPrefix(item, "/"), "/")
		member = "/" + member
	}
	called, known := map[string]string{
		"/propertyId": "/propertyId", "/roomTypeId": "/roomTypeId", "/ratePlanId": "/ratePlanId", "/promoCode": "/promoCode",
		"/stayWindow": "/stayWindow", "/stayWindow/start": "/stayWindow/checkIn", "/stayWindow/end": "/stayWindow/checkOut",
		"/": "/occupancy", "/occupants": "/occupancy",
	}[member]
	return called, known
}

// quoteFrom converts the response to minor units. It returns an error if an amount cannot be converted exactly.
func quoteFrom(q reservation.Quote, w Selection) (Quote, error) {
	total, err := q.Totals.Minor()
	if err != nil || q.ID.IsZero() || q.ValidUntil.IsZero() {
		return Quote{}, errors.Join(err, errors.New("incomplete or inexact"))
	}
	out := Quote{ID: q.ID, Selection: w, Lines: []Line{}, Total: total, FX: q.FX, Policy: q.Policy, ExpiresAt: event.Time(q.ValidUntil)}
	for _, line := range q.Lines {
		amount, err := money.Amount{Micro: line.Amount, Currency: q.Totals.Currency}.Minor()
		if err != nil {
			return Quote{}, err
		}
		out.Lines = append(out.Lines, Line{Kind: line.Kind, Description: line.Description, Amount: amount})
	}
	return out, nil
}

// Hold holds the rooms of the draft's quote, and replaces the rooms that the draft holds already. It returns ratelimit.ErrLimited if they
// do not fit into the quota. A double click or a retry holds the rooms once: the key derives from the quote. It also derives from the
// quota, because a key must not be used again with another request.
func (r Reservations) Hold(ctx context.Context, d *Draft, quota reservation.Quota) (held Hold, err error) {
	defer wrapServiceError(ReservationsName, &err)
	key := id.Derive[id.Request](d.Quote.ID, fmt.Sprint("hold/", quota)).String()
	in := reservation.HoldRequest{
		Quote:     d.Quote.ID,
		Channel:   d.channel(),
		Session:   d.Session,
		Draft:     d.ID,
		Quota:     quota,
		CreatedBy: reservation.Actor{Type: "guest", ID: d.Session.String()},
		Replaces:  d.reservation(),
	}
	out, err := r.client.CreateHold(ctx, d.Tenant, key, in)
	if err != nil {
		return Hold{}, fmt.Errorf("reservations: hold for %s: %w", d.ID, err)
	}
	if out.ID.IsZero() || out.Hold.ExpiresAt.IsZero() {
		return Hold{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: hold for %s: the answer is incomplete", d.ID))
	}
	return Hold{Reservation: out.ID, Code: out.Code, Quote: d.Quote.ID, ExpiresAt: event.Time(out.Hold.ExpiresAt)}, nil
}

// channel returns the channel of the booking: "meta" if the guest came by a handoff from the consumer site, otherwise
// "direct".
func (d *Draft) channel() string {
	if d.Arrival != nil {
		return "meta"
	}
	return "direct"
}

// reservation returns the id of the draft's reservation, or nil before the first hold.
func (d *Draft) reservation() *id.Reservation {
	if d.Hold == nil {
		return nil
	}
	return &d.Hold.Reservation
}

// NameGuest sets the guest's details of the reservation. A repeated call has no further effect.
func (r Reservations) NameGuest(ctx context.Context, d *Draft, key string) (err error) {
	defer wrapServiceError(ReservationsName, &err)
	in := reservation.GuestDetails(*d.Guest)
	if in.Locale == "" {
		in.Locale = d.Locale
	}
	out, err := r.client.SetGuestDetails(ctx, d.Tenant, d.Hold.Reservation, key, in)
	if err != nil {
		return fmt.Errorf("reservations: name guest of %s: %w", d.Hold.Reservation, err)
	}
	if out.Guest.IsZero() {
		return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: name guest of %s: the answer is incomplete", d.Hold.Reservation))
	}
	return nil
}

// Confirm confirms the reservation with the draft's payment.
func (r Reservations) Confirm(ctx context.Context, d *Draft) (confirmed Reservation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	in := reservation.ConfirmRequest{Method: d.Payment.Method, Intent: &d.Payment.Intent}
	key := id.Derive[id.Request](d.Payment.Intent, "confirm").String()
	found, err := r.client.ConfirmReservation(ctx, d.Tenant, d.Hold.Reservation, key, in)
	if err != nil {
		return Reservation{}, fmt.Errorf("reservations: confirm %s: %w", d.Hold.Reservation, err)
	}
	out := Reservation{found}
	if out.ID != d.Hold.Reservation || !out.Booked() { // never confirm a booking to the guest on an inconsistent answer
		return Reservation{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: confirm %s: the answer is incomplete, or for another reservation", d.Hold.Reservation))
	}
	return out, nil
}

// Release cancels a reservation that is only held. It returns ErrIllegalTransition if the reservation is confirmed.
func (r Reservations) Release(ctx context.Context, d *Draft) (err error) {
	defer wrapServiceError(ReservationsName, &err)
	in := reservation.CancelRequest{ReasonCode: "guest_cancelled", Reason: "The guest has left the booking.", OnlyHeld: true}
	key := id.Derive[id.Request](d.Hold.Reservation, "release").String()
	if _, err := r.client.CancelReservation(ctx, d.Tenant, d.Hold.Reservation, key, in); err != nil {
		return fmt.Errorf("reservations: release %s: %w", d.Hold.Reservation, err)
	}
	return nil
}

// Get returns a reservation, or ErrNotFound.
func (r Reservations) Get(ctx context.Context, tenant id.Tenant, rsv id.Reservation) (out Reservation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	found, err := r.client.GetReservation(ctx, tenant, rsv)
	if err != nil {
		return out, fmt.Errorf("reservations: get %s: %w", rsv, err)
	}
	out = Reservation{found}
	if out.ID != rsv {
		return out, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: get %s: the answer is incomplete, or for another reservation", rsv))
	}
	return out, nil
}

// GetBooked returns a reservation that was ever confirmed. It returns ErrNotFound for other reservations.
func (r Reservations) GetBooked(ctx context.Context, t id.Tenant, rsv id.Reservation) (Reservation, error) {
	found, err := r.Get(ctx, t, rsv)
	if err == nil && (!found.Booked() || found.Tenant != t) {
		err = ErrNotFound
	}
	return found, err
}

// A Reservation is a reservation in the reservation service, with the rules of this service as methods.
type Reservation struct{ reservation.Reservation }

// captured returns the money that was captured for the reservation.
func (r Reservation) captured() (money.Minor, error) {
	if r.Payment == nil {
		return money.Minor{}, nil
	}
	return money.Amount{Micro: r.Payment.Captured, Currency: r.Totals.Currency}.Minor()
}

// Booked reports whether the reservation was ever confirmed.
func (r Reservation) Booked() bool { return r.ConfirmedAt != nil }

// Confirmed reports whether the reservation was confirmed and has not been cancelled since.
func (r Reservation) Confirmed() bool { return r.Booked() && r.State != cancelled }
