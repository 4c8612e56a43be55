package booking

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/stay"
)

// Reservations is the client of the reservation service. Its writes carry idempotency keys that derive from the act, so
// that a repeated call has one effect.
type Reservations struct {
	withoutRetry *upstream.Client // without retries, for quotes
	withRetry    *upstream.Client
}

// OpenReservations returns the client.
func OpenReservations(e env.Env) Reservations {
	const timeout = 1500 * time.Millisecond
	return Reservations{
		upstream.Open(e, "reservation", upstream.Policy{Timeout: timeout}),
		upstream.Open(e, "reservation", upstream.Policy{Timeout: timeout, Retries: 1}),
	}
}

// ReservationsName is the name of the reservation service in events.
const ReservationsName = "reservation-service"

type quoteItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
}

type quoteBody struct {
	Property id.Property      `json:"propertyId"`
	Items    []quoteItem      `json:"items"`
	Stay     stay.Window      `json:"stayWindow"`
	Currency money.Currency   `json:"currency"`
	Locale   locale.Tag       `json:"locale"`
	Promo    string           `json:"promoCode,omitzero"`
	Session  id.TenantSession `json:"sessionId"`
	Draft    id.Draft         `json:"draftId"`
}

// Quote returns the price of a wish, for the draft. A repeated call with the same key returns the same quote.
func (r Reservations) Quote(ctx context.Context, v session.Visitor, d id.Draft, w Selection, key string) (found Quote, err error) {
	defer wrapServiceError(ReservationsName, &err)
	rooms, err := w.Occupancy.PerRoom()
	if err != nil {
		return Quote{}, err
	}
	in := quoteBody{
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
		in.Items = append(in.Items, quoteItem{RoomType: w.RoomType, RatePlan: w.RatePlan, Occupants: room})
	}
	var out quoteResponse
	// The key includes currency and language: a retry may have others, because those of the session are unknown while
	// the hot store is down.
	key = fmt.Sprintf("%s-%s-%s", key, v.Currency, v.Locale)
	if err := r.withoutRetry.Post(ctx, "/quotes", in, &out, upstream.Tenant(v.Tenant.ID), upstream.Key(key), upstream.Pointing(pointerOf)); err != nil {
		return Quote{}, fmt.Errorf("reservations: quote for %s: %w", d, err)
	}
	q, err := out.quote(w)
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

// quoteResponse is a quote in the reservation service's response.
type quoteResponse struct {
	ID    id.Quote `json:"quoteId"`
	Lines []struct {
		Kind        string      `json:"kind"`
		Description string      `json:"description"`
		Amount      money.Micro `json:"amountMicro"`
	} `json:"lines"`
	Totals     totals       `json:"totals"`
	Policy     hotel.Policy `json:"cancellationPolicy"`
	FX         *FX          `json:"fxSnapshot"`
	ValidUntil time.Time    `json:"validUntil"`
}

type totals struct {
	Grand    money.Micro    `json:"grandTotalMicro"`
	Currency money.Currency `json:"currency"`
}

func (t totals) toMinor() (money.Minor, error) {
	return money.Amount{Micro: t.Grand, Currency: t.Currency}.Minor()
}

// quote converts the response to minor units. It returns an error if an amount cannot be converted exactly.
func (q quoteResponse) quote(w Selection) (Quote, error) {
	total, err := q.Totals.toMinor()
	if err != nil || q.ID.IsZero() || q.ValidUntil.IsZero() {
		return Quote{}, errors.Join(err, errors.New("incomplete or inexact"))
	}
	out := Quote{ID: q.ID, Selection: w, Lines: []Line{}, Total: total, FX: q.FX, Policy: q.Policy, ExpiresAt: at(q.ValidUntil)}
	for _, line := range q.Lines {
		amount, err := money.Amount{Micro: line.Amount, Currency: q.Totals.Currency}.Minor()
		if err != nil {
			return Quote{}, err
		}
		out.Lines = append(out.Lines, Line{Kind: line.Kind, Description: line.Description, Amount: amount})
	}
	return out, nil
}

type actor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Hold holds the rooms of the draft's quote, and replaces the rooms that the draft holds already.
func (r Reservations) Hold(ctx context.Context, d *Draft, key string) (held Hold, err error) {
	defer wrapServiceError(ReservationsName, &err)
	in := struct {
		Quote     id.Quote         `json:"quoteId"`
		Channel   string           `json:"channel"`
		Session   id.TenantSession `json:"sessionId"`
		Draft     id.Draft         `json:"draftId"`
		CreatedBy actor            `json:"createdBy"`
		Replaces  *id.Reservation  `json:"replacesReservationId,omitzero"`
	}{d.Quote.ID, d.channel(), d.Session, d.ID, actor{"guest", d.Session.String()}, d.reservation()}
	var out Reservation
	if err := r.withRetry.Post(ctx, "/holds", in, &out, upstream.Tenant(d.Tenant), upstream.Key(key)); err != nil {
		return Hold{}, fmt.Errorf("reservations: hold for %s: %w", d.ID, err)
	}
	if out.ID.IsZero() || out.Hold.ExpiresAt.IsZero() {
		return Hold{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: hold for %s: the answer is incomplete", d.ID))
	}
	return Hold{Reservation: out.ID, Code: out.Code, Quote: d.Quote.ID, ExpiresAt: at(out.Hold.ExpiresAt)}, nil
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
	in := struct {
		FirstName string     `json:"firstName"`
		LastName  string     `json:"lastName"`
		Email     string     `json:"email"`
		Phone     string     `json:"phone"`
		Locale    locale.Tag `json:"locale"`
		Requests  string     `json:"specialRequests,omitzero"`
	}{d.Guest.FirstName, d.Guest.LastName, d.Guest.Email, d.Guest.Phone, d.Guest.Locale, d.Guest.Requests}
	if in.Locale == "" {
		in.Locale = d.Locale
	}
	var out struct {
		Guest id.Guest `json:"guestId"`
	}
	if err := r.withRetry.Put(ctx, "/"+d.Hold.Reservation.String()+"/guest", in, &out, upstream.Tenant(d.Tenant), upstream.Key(key)); err != nil {
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
	in := struct {
		Method hotel.Method `json:"method"`
		Intent *id.Intent   `json:"paymentIntentId,omitzero"`
	}{d.Payment.Method, &d.Payment.Intent}
	var out Reservation
	key := id.Derive[id.Request](d.Payment.Intent, "confirm").String()
	if err := r.withRetry.Post(ctx, "/"+d.Hold.Reservation.String()+"/confirm", in, &out, upstream.Tenant(d.Tenant), upstream.Key(key)); err != nil {
		return Reservation{}, fmt.Errorf("reservations: confirm %s: %w", d.Hold.Reservation, err)
	}
	if out.ID != d.Hold.Reservation || !out.Booked() { // never confirm a booking to the guest on an inconsistent answer
		return Reservation{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: confirm %s: the answer is incomplete, or for another reservation", d.Hold.Reservation))
	}
	return out, nil
}

// Release cancels a reservation that is only held. It returns ErrIllegalTransition if the reservation is confirmed.
func (r Reservations) Release(ctx context.Context, d *Draft) (err error) {
	defer wrapServiceError(ReservationsName, &err)
	in := struct {
		ReasonCode string `json:"reasonCode"`
		Reason     string `json:"reason"`
		OnlyHeld   bool   `json:"onlyHeld"`
	}{"guest_cancelled", "The guest has left the booking.", true}
	key := id.Derive[id.Request](d.Hold.Reservation, "release").String()
	if err := r.withRetry.Post(ctx, "/"+d.Hold.Reservation.String()+"/cancel", in, nil, upstream.Tenant(d.Tenant), upstream.Key(key)); err != nil {
		return fmt.Errorf("reservations: release %s: %w", d.Hold.Reservation, err)
	}
	return nil
}

// Get returns a reservation, or ErrNotFound.
func (r Reservations) Get(ctx context.Context, tenant id.Tenant, rsv id.Reservation) (out Reservation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	if err := r.withRetry.Get(ctx, "/"+rsv.String(), nil, &out, upstream.Tenant(tenant)); err != nil {
		return out, fmt.Errorf("reservations: get %s: %w", rsv, err)
	}
	if out.ID != rsv {
		return out, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: get %s: the answer is incomplete, or for another reservation", rsv))
	}
	return out, nil
}

// A Reservation holds the members of a reservation that this service reads.
type Reservation struct {
	ID       id.Reservation `json:"reservationId"`
	Tenant   id.Tenant      `json:"tenantId"`
	Property id.Property    `json:"propertyId"`
	Code     string         `json:"reservationCode"`
	State    string         `json:"state"`
	Version  int64          `json:"version"`
	Stay     stay.Window    `json:"stayWindow"`
	Items    []struct {
		RoomType  id.RoomType    `json:"roomTypeId"`
		RatePlan  id.RatePlan    `json:"ratePlanId"`
		Occupants stay.Occupants `json:"occupants"`
		Total     money.Micro    `json:"totalMicro"`
	} `json:"items"`
	Totals totals `json:"totals"`
	Hold   struct {
		ExpiresAt time.Time `json:"expiresAt"`
	} `json:"hold"`
	Payment *struct {
		Method   hotel.Method `json:"method"`
		Status   string       `json:"status"`
		Intents  []id.Intent  `json:"paymentIntentIds"`
		Captured money.Micro  `json:"capturedMicro"`
	} `json:"payment"`
	Policy       hotel.Policy          `json:"cancellationPolicy"`
	FreeUntil    *time.Time            `json:"freeCancellationUntil"`
	Cancellation *CancelledReservation `json:"cancellation"`
	ConfirmedAt  *time.Time            `json:"confirmedAt"`
}

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
