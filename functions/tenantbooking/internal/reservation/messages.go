package reservation

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A QuoteRequest requests the price of rooms for a stay.
type QuoteRequest struct {
	Property id.Property      `json:"propertyId"`
	Items    []QuoteItem      `json:"items"`
	Stay     stay.Window      `json:"stayWindow"`
	Currency money.Currency   `json:"currency"`
	Locale   locale.Tag       `json:"locale"`
	Promo    string           `json:"promoCode,omitzero"`
	Session  id.TenantSession `json:"sessionId"`
	Draft    id.Draft         `json:"draftId"`
}

// A QuoteItem is one room of a QuoteRequest.
type QuoteItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
}

// A Quote is a price that is guaranteed until ValidUntil.
type Quote struct {
	ID         id.Quote     `json:"quoteId"`
	Lines      []Line       `json:"lines"`
	Totals     Totals       `json:"totals"`
	Policy     hotel.Policy `json:"cancellationPolicy"`
	FX         *FX          `json:"fxSnapshot"`
	ValidUntil time.Time    `json:"validUntil"`
}

// A Line is one line of a Quote.
type Line struct {
	Kind        string      `json:"kind"`
	Description string      `json:"description"`
	Amount      money.Micro `json:"amountMicro"`
}

// Totals is the price of a quote or a reservation.
type Totals struct {
	Grand    money.Micro    `json:"grandTotalMicro"`
	Currency money.Currency `json:"currency"`
}

// Minor converts the price to minor units. It returns an error if it cannot be converted exactly.
func (t Totals) Minor() (money.Minor, error) {
	return money.Amount{Micro: t.Grand, Currency: t.Currency}.Minor()
}

// An FX is the exchange rate of a quote.
type FX struct {
	ID         *id.FX         `json:"fxSnapshotId,omitzero"`
	Base       money.Currency `json:"base"`
	Quote      money.Currency `json:"quote"`
	Rate       float64        `json:"rate"`
	Source     string         `json:"source"`
	CapturedAt time.Time      `json:"capturedAt"`
}

// A HoldRequest holds the rooms of a quote. If Replaces is set, it replaces the hold of that reservation.
type HoldRequest struct {
	Quote     id.Quote         `json:"quoteId"`
	Channel   string           `json:"channel"`
	Session   id.TenantSession `json:"sessionId"`
	Draft     id.Draft         `json:"draftId"`
	Quota     Quota            `json:"quota,omitzero"`
	CreatedBy Actor            `json:"createdBy"`
	Replaces  *id.Reservation  `json:"replacesReservationId,omitzero"`
}

// A Quota limits the room nights that a guest may occupy without having paid for them.
type Quota struct {
	Address           string `json:"address,omitzero"` // a pseudonym; empty: addresses have no limit
	RoomNights        int    `json:"maxRoomNights"`
	AddressRoomNights int    `json:"maxAddressRoomNights"`
}

// An Actor is the creator of a reservation.
type Actor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// GuestDetails are the details of a guest.
type GuestDetails struct {
	FirstName string     `json:"firstName"`
	LastName  string     `json:"lastName"`
	Email     string     `json:"email"`
	Phone     string     `json:"phone"`
	Locale    locale.Tag `json:"locale"`
	Requests  string     `json:"specialRequests,omitzero"`
}

// GuestOf is the response to SetGuestDetails: the id of the reservation's guest.
type GuestOf struct {
	Guest id.Guest `json:"guestId"`
}

// A ConfirmRequest names the payment of a reservation.
type ConfirmRequest struct {
	Method hotel.Method `json:"method"`
	Intent *id.Intent   `json:"paymentIntentId,omitzero"`
}

// A CancelRequest cancels a reservation. It is rejected if OnlyHeld is set and the reservation is confirmed, or if the penalty is
// higher than Max. A dry run changes nothing.
type CancelRequest struct {
	ReasonCode string       `json:"reasonCode"`
	Reason     string       `json:"reason,omitzero"`
	DryRun     bool         `json:"dryRun,omitzero"`
	OnlyHeld   bool         `json:"onlyHeld,omitzero"`
	Max        *money.Micro `json:"maxPenaltyMicro,omitzero"`
}

// Cancelled is the response to a CancelRequest.
type Cancelled struct {
	Reservation
	Applied Applied `json:"policyApplied"`
}

// Applied is the result of applying the cancellation policy: the penalty and the refund.
type Applied struct {
	Penalty  money.Micro    `json:"penaltyMicro"`
	Refund   money.Micro    `json:"refundEligibilityMicro"`
	Currency money.Currency `json:"currency"`
}

// A Cancellation is the time and the terms of a completed cancellation.
type Cancellation struct {
	At      time.Time `json:"cancelledAt"`
	Applied Applied   `json:"policyApplied"`
}

// A DatesRequest changes the stay of a reservation for its guest. It is rejected if the new total is higher than Max. A dry run changes
// nothing.
type DatesRequest struct {
	Stay    stay.Window  `json:"stayWindow"`
	DryRun  bool         `json:"dryRun,omitzero"`
	ByGuest bool         `json:"byGuest,omitzero"`
	Max     *money.Micro `json:"maxTotalMicro,omitzero"`
}

// Changed is the response to a DatesRequest.
type Changed struct {
	Reservation
	Modification Modification `json:"modification"`
}

// A Modification is the change of the price, and the money that is refunded or charged for it.
type Modification struct {
	Delta   *money.Micro  `json:"priceDeltaMicro"`
	Request *MoneyRequest `json:"refundOrChargeRequest"`
}

// A MoneyRequest is an amount and its direction, "refund" or "charge".
type MoneyRequest struct {
	Amount    money.Micro `json:"amountMicro"`
	Direction string      `json:"direction"`
}

// A SpecialRequest is a guest's request beyond the room.
type SpecialRequest struct {
	Tags     []string   `json:"tags"`
	FreeText string     `json:"freeText,omitzero"`
	Locale   locale.Tag `json:"locale"`
	Source   string     `json:"source"`
}

// A Reservation holds the members of a reservation that the site of a hotel reads.
type Reservation struct {
	ID       id.Reservation `json:"reservationId"`
	Tenant   id.Tenant      `json:"tenantId"`
	Property id.Property    `json:"propertyId"`
	Code     string         `json:"reservationCode"`
	State    string         `json:"state"`
	Version  int64          `json:"version"`
	Stay     stay.Window    `json:"stayWindow"`
	Guest    struct {
		Locale locale.Tag `json:"locale"`
	} `json:"primaryGuest"`
	Items  []Item `json:"items"`
	Totals Totals `json:"totals"`
	Hold   struct {
		ExpiresAt time.Time `json:"expiresAt"`
	} `json:"hold"`
	Payment      *Payment      `json:"payment"`
	Policy       hotel.Policy  `json:"cancellationPolicy"`
	FreeUntil    *time.Time    `json:"freeCancellationUntil"`
	Cancellation *Cancellation `json:"cancellation"`
	ConfirmedAt  *time.Time    `json:"confirmedAt"`
	Balance      Balance       `json:"balance"`
	RefundedAt   *time.Time    `json:"refundedAt"`
	Pending      *Pending      `json:"pendingChange"`
}

// A Pending is a change of dates that takes effect with its payment.
type Pending struct {
	Stay     stay.Window `json:"stayWindow"`
	Total    money.Micro `json:"grandTotalMicro"`
	Due      money.Micro `json:"dueMicro"`
	PayUntil time.Time   `json:"payUntil"`
}

// A Balance is the amount that the guest still has to pay, and what was refunded.
type Balance struct {
	Due      money.Micro `json:"dueMicro"`
	Refunded money.Micro `json:"refundedMicro"`
}

// An Item is one room of a reservation.
type Item struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
	Total     money.Micro    `json:"totalMicro"`
}

// Mixed is the method of a Payment by several methods.
const Mixed = "mixed"

// A Payment is the payment of a reservation. Its method is one that a guest can choose, or Mixed.
type Payment struct {
	Method   string      `json:"method"`
	Status   string      `json:"status"`
	Intents  []id.Intent `json:"paymentIntentIds"`
	Captured money.Micro `json:"capturedMicro"`
}
