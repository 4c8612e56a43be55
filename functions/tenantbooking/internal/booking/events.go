package booking

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

// event returns an event of the draft. Events are ordered by draft, and their sequence number is the draft's version.
func (d *Draft) event(s event.Subject, payload any) event.Draft {
	return event.Draft{
		Subject: s, Tenant: d.Tenant, OrderingKey: d.Tenant.String() + ":" + d.ID.String(), AggregateVersion: d.Version,
		Session: d.Session.String(), Attribution: d.Campaign.Attributed(), Payload: payload,
	}
}

// A reference identifies the draft of an event.
type reference struct {
	Tenant  id.Tenant        `json:"tenantId"`
	Draft   id.Draft         `json:"draftId"`
	Session id.TenantSession `json:"sessionId"`
}

func (d *Draft) reference() reference {
	return reference{Tenant: d.Tenant, Draft: d.ID, Session: d.Session}
}

type stayView struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
	Nights   int       `json:"nights"`
}

type draftCreated struct {
	reference
	Reservation   id.Reservation     `json:"reservationId"`
	HoldExpiresAt time.Time          `json:"holdExpiresAt"`
	Property      id.Property        `json:"propertyId"`
	RoomType      id.RoomType        `json:"roomTypeId"`
	RatePlan      id.RatePlan        `json:"ratePlanId"`
	Stay          stayView           `json:"stayWindow"`
	Occupancy     hotel.Occupancy    `json:"occupancy"`
	Total         money.Minor        `json:"totalDisplay"`
	Promo         string             `json:"promoCode,omitzero"`
	Device        attribution.Device `json:"deviceClass"`
	Arrival       *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
}

func (d *Draft) created() event.Draft {
	w := d.Quote.Selection
	return d.event(subject.DraftCreatedV1, draftCreated{
		reference:     d.reference(),
		Reservation:   d.Hold.Reservation,
		HoldExpiresAt: d.Hold.ExpiresAt,
		Property:      w.Property,
		RoomType:      w.RoomType,
		RatePlan:      w.RatePlan,
		Stay: stayView{
			CheckIn:  w.Stay.CheckIn,
			CheckOut: w.Stay.CheckOut,
			Nights:   w.Stay.Window().Nights(),
		},
		Occupancy: w.Occupancy,
		Total:     d.Quote.Total,
		Promo:     w.Promo,
		Device:    d.Device,
		Arrival:   d.Arrival,
	})
}

type draftAbandoned struct {
	reference
	LastState   State          `json:"lastFlowState"`
	CreatedAt   time.Time      `json:"createdAt"`
	AbandonedAt time.Time      `json:"abandonedAt"`
	ActiveAt    time.Time      `json:"lastActivityAt"`
	Property    id.Property    `json:"propertyId"`
	RoomType    id.RoomType    `json:"roomTypeId"`
	Total       money.Minor    `json:"totalDisplayPotential"`
	Errors      []ShownError   `json:"errorTrail"`
	Email       pseudonym.Hash `json:"guestEmailHash,omitzero"`
	Initials    pseudonym.Hash `json:"guestNameInitialsHash,omitzero"`
}

type draftConverted struct {
	reference
	Reservation id.Reservation     `json:"reservationId"`
	CreatedAt   time.Time          `json:"createdAt"`
	ConvertedAt time.Time          `json:"convertedAt"`
	Elapsed     int64              `json:"elapsedMs"`
	Property    id.Property        `json:"propertyId"`
	RoomType    id.RoomType        `json:"roomTypeId"`
	RatePlan    id.RatePlan        `json:"ratePlanId"`
	Captured    int64              `json:"totalCapturedMinor"` // 0 for cash on arrival
	Total       int64              `json:"totalMinor"`         // value of the booking
	Currency    money.Currency     `json:"totalCapturedCurrency"`
	Method      hotel.Method       `json:"paymentMethod"`
	Provider    string             `json:"paymentProvider"`
	Campaign    *event.Attributed  `json:"marketingAttribution,omitzero"`
	Arrival     *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
	Device      attribution.Device `json:"deviceClass"`
	Initials    pseudonym.Hash     `json:"guestNameInitialsHash,omitzero"`
}

type intentCreated struct {
	Tenant    id.Tenant      `json:"tenantId"`
	Draft     id.Draft       `json:"draftId"`
	Intent    id.Intent      `json:"intentId"`
	Method    hotel.Method   `json:"method"`
	Provider  string         `json:"provider"`
	Amount    int64          `json:"amountMinor"`
	Currency  money.Currency `json:"currency"`
	Redirect  bool           `json:"redirectFlow"`
	CreatedAt time.Time      `json:"createdAt"`
}

func intentCreatedOf(t id.Tenant, d id.Draft, i Intent, at time.Time) intentCreated {
	return intentCreated{
		Tenant:    t,
		Draft:     d,
		Intent:    i.ID,
		Method:    i.Method,
		Provider:  i.Provider,
		Amount:    i.Amount.Amount,
		Currency:  i.Amount.Currency,
		Redirect:  i.RedirectURL != "",
		CreatedAt: at,
	}
}

type stepCompleted struct {
	reference
	From        State     `json:"fromState"`
	To          State     `json:"toState"`
	Latency     int64     `json:"stepLatencyMs"`
	CompletedAt time.Time `json:"completedAt"`
}

type errorEncountered struct {
	reference
	State State `json:"atState"`
	shownError
}

// errorEvent returns the event of an error that the guest was shown. upstream names the service that caused it, if any.
func (d *Draft) errorEvent(f *fault.Fault, upstream string, now time.Time) event.Draft {
	return session.WithErrorCode(publicCode(f), d.event(subject.ErrorEncounteredV1, errorEncountered{
		reference:  d.reference(),
		State:      d.State,
		shownError: shownErrorOf(f, upstream, now),
	}))
}

// recordError records an error that the guest was shown, and returns its event. upstream names the service that caused the
// error, if any.
func (d *Draft) recordError(err error, upstream string, now time.Time) event.Draft {
	f := fault.From(err)
	d.Errors = append(d.Errors[max(0, len(d.Errors)-maxShownErrors+1):], ShownError{State: d.State, Code: publicCode(f), OccurredAt: event.Time(now)})
	return d.errorEvent(f, upstream, now)
}

type confirmationViewed struct {
	Tenant      id.Tenant          `json:"tenantId"`
	Reservation id.Reservation     `json:"reservationId"`
	Session     id.TenantSession   `json:"sessionId"`
	ViewedAt    time.Time          `json:"viewedAt"`
	Elapsed     int64              `json:"elapsedFromConfirmMs"`
	Device      attribution.Device `json:"deviceClass"`
	Locale      locale.Tag         `json:"locale"`
	Cache       string             `json:"cache"`
}
