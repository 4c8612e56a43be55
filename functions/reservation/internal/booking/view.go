package booking

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A View represents a reservation in answers. Members that events also have share their names.
type View struct {
	Reservation  id.Reservation     `json:"reservationId"`
	Tenant       id.Tenant          `json:"tenantId"`
	Property     id.Property        `json:"propertyId"`
	Code         string             `json:"reservationCode"`
	State        State              `json:"state"`
	Pending      Step               `json:"pendingSagaStep,omitzero"`
	Saga         *SagaView          `json:"saga,omitzero"` // nil: waits for nothing
	Version      int                `json:"version"`
	Channel      Channel            `json:"channel"`
	Partner      Reference          `json:"partnerId,omitzero"`
	Guest        GuestView          `json:"primaryGuest"`
	Stay         quotes.StayView    `json:"stayWindow"`
	Items        []ItemView         `json:"items"`
	Totals       quotes.Totals      `json:"totals"`
	Hold         HoldView           `json:"hold"`
	Payment      *PaymentView       `json:"payment,omitzero"`
	Policy       quotes.Policy      `json:"cancellationPolicy"`
	FreeUntil    *time.Time         `json:"freeCancellationUntil,omitzero"` // nil if the reservation is not confirmed
	FX           *quotes.FX         `json:"fxSnapshot,omitzero"`
	Cancellation *Cancellation      `json:"cancellation,omitzero"`
	Quote        id.Quote           `json:"quoteId"`
	Session      *id.TenantSession  `json:"sessionId,omitzero"`
	Draft        *id.Draft          `json:"draftId,omitzero"`
	CreatedBy    access.Actor       `json:"createdBy"`
	CreatedAt    time.Time          `json:"createdAt"`
	ConfirmedAt  *time.Time         `json:"confirmedAt,omitzero"`
	Balance      Balance            `json:"balance"`
	RefundedAt   *time.Time         `json:"refundedAt,omitzero"`    // nil: nothing is refunded
	Change       *PendingChangeView `json:"pendingChange,omitzero"` // nil: no change waits for its payment
	Rooms        []AssignedRoom     `json:"rooms"`
	Keys         []id.KeyCredential `json:"keyCredentialIds"` // of issued keys
	CheckIn      *CheckIn           `json:"checkIn,omitzero"`
	CheckOut     *CheckOut          `json:"checkOut,omitzero"`
	NoShow       *Missed            `json:"noShow,omitzero"`
	Modified     []Modification     `json:"modifications"`            // newest last
	Person       *guests.Person     `json:"guest,omitzero"`           // only for staff
	Requests     []SpecialRequest   `json:"specialRequests,omitzero"` // only for staff
}

// A PendingChangeView represents a change of dates that takes effect with its payment.
type PendingChangeView struct {
	Stay     quotes.StayView `json:"stayWindow"`
	Total    money.Micro     `json:"grandTotalMicro"`
	Due      money.Micro     `json:"dueMicro"`
	PayUntil time.Time       `json:"payUntil"`
}

// A SagaView represents the step that a reservation waits for.
type SagaView struct {
	Step     Step       `json:"step"`
	Since    *time.Time `json:"since,omitzero"`
	Attempts int        `json:"attempts"`
}

// A GuestView is the part of a guest that answers and events contain.
type GuestView struct {
	Guest  id.Guest   `json:"guestId"`
	Locale locale.Tag `json:"locale"`
}

// An ItemView represents one room.
type ItemView struct {
	Item      id.Item        `json:"itemId"`
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
	Nightly   money.Micro    `json:"nightlyRateMicro"`
	Total     money.Micro    `json:"totalMicro"`
	Currency  money.Currency `json:"currency"`
	Policy    quotes.Policy  `json:"cancellationPolicy"`
	ArrivedAt *time.Time     `json:"arrivedAt,omitzero"` // nil: its guests are expected
}

// A HoldView represents the hold of a reservation.
type HoldView struct {
	Hold      id.Hold   `json:"holdId"`
	PlacedAt  time.Time `json:"placedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	TTL       int       `json:"ttlSeconds"`
}

// A PaymentView represents the payment of a confirmed reservation.
type PaymentView struct {
	Method   Method        `json:"method"`
	Status   PaymentStatus `json:"status"`
	Intents  []id.Intent   `json:"paymentIntentIds"`
	Captured money.Micro   `json:"capturedMicro"`
}

// ViewFor returns the reservation in its effective state as the caller may see it: only staff see who the guest is, and what
// the guest asks for.
func (r *Reservation) ViewFor(p access.Principal) View {
	v := r.View()
	if p.Actor.Type == access.Staff {
		v.Person, v.Requests = r.Person, append([]SpecialRequest{}, r.Requests...)
	}
	return v
}

// View returns the reservation in its effective state, without the guest's name and requests.
func (r *Reservation) View() View {
	items := make([]ItemView, len(r.Items))
	for i, item := range r.Items {
		items[i] = ItemView{
			Item:      item.ID,
			RoomType:  item.RoomType,
			RatePlan:  item.RatePlan,
			Occupants: item.Occupants,
			Nightly:   item.Nightly,
			Total:     item.Total,
			Currency:  r.Currency,
			Policy:    item.Policy,
			ArrivedAt: item.ArrivedAt,
		}
	}
	v := View{
		Reservation: r.ID, Tenant: r.Tenant, Property: r.Property, Code: r.Code, State: r.EffectiveState(), Version: r.Version,
		Channel: r.Channel, Partner: r.Partner, Guest: GuestView{r.Guest, r.Locale}, Stay: quotes.ViewStay(r.Stay), Items: items,
		Totals: r.totals(r.Total), Hold: HoldView{
			Hold:      r.Hold.ID,
			PlacedAt:  r.Hold.PlacedAt,
			ExpiresAt: r.Hold.ExpiresAt,
			TTL:       r.Hold.TTL,
		}, Payment: viewPayment(r.Payment),
		Policy: r.Policy, FreeUntil: r.freeUntil(), FX: r.FX, Cancellation: r.Cancellation, Quote: r.Quote, Session: r.Session, Draft: r.Draft,
		CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt, ConfirmedAt: r.Payment.ConfirmedAt,
		Balance: r.Balance(), RefundedAt: r.Payment.refundedAt(), Rooms: r.Rooms(), Keys: r.keys(KeyIssued), CheckIn: r.CheckIn, CheckOut: r.CheckOut, NoShow: r.Missed,
		Modified: append([]Modification{}, r.Modified...),
	}
	if change := r.pendingChange(); change != nil {
		terms := change.Plan.Reserved
		v.Change = &PendingChangeView{Stay: quotes.ViewStay(terms.Stay), Total: terms.Total, Due: r.dueUnder(terms), PayUntil: change.Until}
	}
	if v.State != ExpiredHold && r.Saga.Pending != "" { // an expired hold waits for nothing
		v.Pending = r.Saga.Pending
		v.Saga = &SagaView{Step: r.Saga.Pending, Since: r.Saga.Since, Attempts: r.Saga.Attempts}
	}
	return v
}

// viewPayment returns nil if there is no payment yet.
func viewPayment(p Payment) *PaymentView {
	if p.Intent == nil {
		return nil
	}
	v := &PaymentView{Method: p.Method, Status: p.PaymentStatus, Captured: p.Captured}
	for _, i := range p.Intents {
		v.Intents = append(v.Intents, i.Intent)
	}
	return v
}
