package booking

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A Confirmation is the representation of a booking. It contains no personal data, because everyone with the link can
// read it.
type Confirmation struct {
	Reservation id.Reservation    `json:"reservationId"`
	Code        string            `json:"reservationCode"`
	State       string            `json:"state"`
	Version     int64             `json:"version,omitzero"` // grows with each change
	Property    id.Property       `json:"propertyId"`
	Stay        stayView          `json:"stayWindow"`
	Rooms       []ConfirmedRoom   `json:"rooms"`
	Total       money.Minor       `json:"total"`
	Due         *money.Minor      `json:"due,omitzero"` // nil if nothing is due
	Pending     *PendingChange    `json:"pendingChange,omitzero"`
	Payment     *ConfirmedPayment `json:"payment,omitzero"`  // nil if the guest has paid by several methods
	Paid        *money.Minor      `json:"paid,omitzero"`     // what all payments have captured; nil if nothing
	Refunded    *money.Minor      `json:"refunded,omitzero"` // part of Paid; nil if nothing
	RefundedAt  *time.Time        `json:"refundedAt,omitzero"`
	Policy      hotel.Policy      `json:"cancellationPolicy"`
	FreeUntil   *time.Time        `json:"freeCancellationUntil,omitzero"` // nil after check-in and after the end of the booking
	Cancelled   *Cancellation     `json:"cancellation,omitzero"`          // nil unless the booking is cancelled
	ConfirmedAt time.Time         `json:"confirmedAt"`
	ViewToken   string            `json:"viewToken"`
}

// A PendingChange is a change of dates that takes effect when the guest has paid what is due.
type PendingChange struct {
	Stay     stayView    `json:"stayWindow"`
	Total    money.Minor `json:"total"`
	PayUntil time.Time   `json:"payUntil"`
}

// A ConfirmedRoom is one room of a booking.
type ConfirmedRoom struct {
	RoomType id.RoomType `json:"roomTypeId"`
	RatePlan id.RatePlan `json:"ratePlanId"`
	Adults   int         `json:"adults"`
	Children int         `json:"children"`
	Total    money.Minor `json:"total"`
}

// A ConfirmedPayment is the payment of a booking.
type ConfirmedPayment struct {
	Method   hotel.Method `json:"method"`
	Status   string       `json:"status"`
	Captured money.Minor  `json:"captured"`
}

// View returns the confirmation of a confirmed reservation.
func (c Confirmations) View(r Reservation) (Confirmation, error) {
	minor := func(m money.Micro) (money.Minor, error) {
		return money.Amount{Micro: m, Currency: r.Totals.Currency}.Minor()
	}
	total, err := r.Totals.Minor()
	if err != nil {
		return Confirmation{}, err
	}
	out := Confirmation{
		Reservation: r.ID, Code: r.Code, State: r.State, Version: r.Version, Property: r.Property,
		Stay: stayView{
			CheckIn:  r.Stay.Start,
			CheckOut: r.Stay.End,
			Nights:   r.Stay.Nights(),
		}, Total: total, Policy: r.Policy, FreeUntil: r.FreeUntil, ConfirmedAt: *r.ConfirmedAt,
	}
	if r.Cancelled() {
		terms, err := r.Terms()
		if err != nil {
			return Confirmation{}, err
		}
		out.Cancelled = &terms
	}
	if p := r.Pending; p != nil {
		total, err := minor(p.Total)
		if err != nil {
			return Confirmation{}, err
		}
		out.Pending = &PendingChange{Stay: stayView{CheckIn: p.Stay.Start, CheckOut: p.Stay.End, Nights: p.Stay.Nights()}, Total: total, PayUntil: p.PayUntil}
	}
	if r.dueMicro() > 0 {
		due, err := r.due()
		if err != nil {
			return Confirmation{}, err
		}
		out.Due = &due
	}
	for _, item := range r.Items {
		price, err := minor(item.Total)
		if err != nil {
			return Confirmation{}, err
		}
		out.Rooms = append(out.Rooms, ConfirmedRoom{
			RoomType: item.RoomType,
			RatePlan: item.RatePlan,
			Adults:   item.Occupants.Adults,
			Children: item.Occupants.Children,
			Total:    price,
		})
	}
	if p := r.Payment; p != nil {
		captured, err := minor(p.Captured)
		if err != nil {
			return Confirmation{}, err
		}
		if captured.Amount > 0 {
			out.Paid = &captured
		}
		if p.Method != reservation.Mixed {
			out.Payment = &ConfirmedPayment{Method: hotel.Method(p.Method), Status: p.Status, Captured: captured}
		}
	}
	if r.Balance.Refunded > 0 {
		refunded, err := minor(r.Balance.Refunded)
		if err != nil {
			return Confirmation{}, err
		}
		out.Refunded, out.RefundedAt = &refunded, r.RefundedAt
	}
	out.ViewToken, err = c.Token(r.Tenant, r.ID)
	return out, err
}

// Outcome returns the result of a draft's payment. Only a confirmed draft has a view token.
func (c Confirmations) Outcome(d *Draft) (out Outcome, err error) {
	out = Outcome{State: d.State, Reservation: &d.Hold.Reservation, Code: d.Hold.Code}
	if d.State == Confirmed {
		out.ViewToken, err = c.Token(d.Tenant, d.Hold.Reservation)
	}
	return out, err
}
