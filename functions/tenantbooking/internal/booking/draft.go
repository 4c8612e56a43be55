package booking

import (
	"errors"
	"fmt"
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
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Draft is a booking that is not completed yet. It lasts from the first price to the confirmed reservation, or until
// it is abandoned or fails.
type Draft struct {
	ID      id.Draft
	Tenant  id.Tenant
	Session id.TenantSession
	State   State
	Version int // increases by one with each change
	Body
	CreatedAt time.Time
	ActiveAt  time.Time // the guest's last activity
	ExpiresAt time.Time // when the draft lapses; for an ended draft, when it is deleted
	EndedAt   *time.Time
	AsOf      time.Time // the database's clock when the draft was read; expiry is decided by this time

	relocated   bool // SetLocale has changed the language; not stored
	ownerSilent bool // the calling session publishes no telemetry; not stored
}

// silences reports whether telemetry of the draft must not be published: by the consent of its session, or by the headers of this call.
func (d *Draft) silences() bool { return d.Silent || d.ownerSilent }

// A Body holds the members of a draft that are stored as one JSON document.
type Body struct {
	Changed  int                  `json:"changedIn,omitzero"` // the Version of the last transition
	Quote    Quote                `json:"quote"`
	Hold     *Hold                `json:"hold,omitzero"`             // the held rooms; while quoting, those of an earlier quote
	Guest    *Guest               `json:"guest,omitzero"`            // removed when the draft ends
	Hashes   Hashes               `json:"hashes,omitzero"`           // pseudonyms of the guest, for events
	Payment  *Payment             `json:"payment,omitzero"`          // the intent opened last; after conversion, the one that was captured
	Replaced []Payment            `json:"replacedPayments,omitzero"` // intents opened before, which may still be captured
	Declines int                  `json:"declinesShown,omitzero"`    // declined attempts of the payment that the guest was shown
	History  []Step               `json:"trail"`
	Errors   []ShownError         `json:"errors,omitzero"`
	Campaign attribution.Campaign `json:"campaign,omitzero"`
	Arrival  *id.HandoffArrival   `json:"arrival,omitzero"`
	Device   attribution.Device   `json:"device"`
	Locale   locale.Tag           `json:"locale"`
	Currency money.Currency       `json:"currency"`
	Silent   bool                 `json:"silent,omitzero"` // the guest has not consented to telemetry
}

// Hashes holds the pseudonyms of a guest.
type Hashes struct {
	Email    pseudonym.Hash `json:"email,omitzero"`
	Initials pseudonym.Hash `json:"initials,omitzero"` // empty for a draft of an earlier release
	Phone    pseudonym.Hash `json:"phone,omitzero"`
}

// Hash returns the pseudonyms of the guest's email address, telephone number and initials, or an error if one of them is invalid.
func (g Guest) Hash(p pseudonym.Peppers) (Hashes, error) {
	email, noEmail := pseudonym.Email(g.Email)
	phone, noPhone := pseudonym.Phone(g.Phone)
	return Hashes{Email: p.Hash(email), Phone: p.Hash(phone), Initials: p.Hash(pseudonym.Initials(g.FirstName, g.LastName))}, errors.Join(noEmail, noPhone)
}

// A Payment is the current payment intent of a draft.
type Payment struct {
	Intent   id.Intent    `json:"intentId"`
	Method   hotel.Method `json:"method"`
	Provider string       `json:"provider"`
	Amount   money.Minor  `json:"amount"`
}

// A Step is one entry of a draft's history: a state, and when the draft entered it.
type Step struct {
	State State     `json:"state"`
	At    time.Time `json:"at"`
}

// A ShownError is an error that the guest was shown.
type ShownError struct {
	State      State     `json:"atState"`
	Code       string    `json:"errorCode"`
	OccurredAt time.Time `json:"occurredAt"`
}

const (
	maxIdle        = 30 * time.Minute  // inactivity after which a draft lapses
	keepEnded      = 24 * time.Hour    // time for which an ended draft can still be read by its guest
	recheckAfter   = 110 * time.Second // until the sweep checks a payment again: two ticks, less a margin for early ones
	maxShownErrors = 20                // stored for a draft; the latest are kept
	maxSteps       = 50
	maxReplaced    = 20 // replaced payments stored for a draft
)

// DraftID returns the id of the draft that an act creates.
func DraftID(act id.Request) id.Draft { return id.Derive[id.Draft](act, "draft") }

// NewDraft returns a draft with its first quote.
func NewDraft(act id.Request, v session.Visitor, q Quote, now time.Time) *Draft {
	now = event.Time(now)
	return &Draft{
		ID: DraftID(act), Tenant: v.Tenant.ID, Session: v.Session.ID, State: Quoting, Version: 1,
		CreatedAt: now, ActiveAt: now, ExpiresAt: now.Add(maxIdle), AsOf: now,
		Body: Body{
			Changed: 1, Quote: q, History: []Step{{Quoting, now}}, Campaign: v.Campaign, Arrival: v.Session.Arrival, Device: v.Device,
			Locale: v.Locale, Currency: v.Currency, Silent: !v.Session.Consent.Telemetry,
		},
	}
}

// May returns nil if the act is allowed now. A lapsed draft still allows a new price and abandoning. Lapsing does not
// limit a draft that is being paid for: the reservation and the payment service decide its outcome.
func (d *Draft) May(a Act) error {
	if _, err := d.State.after(a); err != nil {
		return err
	}
	if a == Pays && !d.held() {
		return ErrHoldExpired
	}
	if a == Quotes || a == Abandons || !d.State.unpaid() || d.AsOf.Before(d.ExpiresAt) {
		return nil
	}
	if d.State == Quoting {
		return ErrQuoteExpired
	}
	return ErrHoldExpired
}

// apply applies a transition. All changes of state go through it.
func (d *Draft) apply(a Act, now time.Time) ([]event.Draft, error) {
	if err := d.May(a); err != nil {
		return nil, err
	}
	from, now := d.State, event.Time(now)
	to, _ := d.State.after(a)
	d.State, d.ActiveAt = to, now
	d.Version++
	d.Changed = d.Version
	since := d.History[len(d.History)-1].At
	if from != to {
		d.History = append(d.History[max(0, len(d.History)-maxSteps+1):], Step{to, now})
	}
	d.ExpiresAt = d.nextExpiry(now)
	if !forward(from, to) {
		return nil, nil
	}
	latency := max(0, now.Sub(since).Milliseconds())
	return []event.Draft{d.event(subject.StepCompletedV1, stepCompleted{
		reference:   d.reference(),
		From:        from,
		To:          to,
		Latency:     latency,
		CompletedAt: now,
	})}, nil
}

// nextExpiry returns the time at which the draft lapses without activity, at the latest when its hold expires. If a payment
// may complete without the guest, it returns the time of the sweep's next check; a draft that is already due stays due
// until a check succeeds.
func (d *Draft) nextExpiry(now time.Time) time.Time {
	lapse, look := now.Add(maxIdle), now.Add(recheckAfter)
	switch {
	case d.State == Confirming && d.ExpiresAt.Before(look):
		return d.ExpiresAt
	case d.State == Confirming, d.State == Paying && d.Payment.Method != hotel.CashOnArrival:
		return look
	}
	if d.State != Quoting && d.Hold != nil && d.Hold.ExpiresAt.Before(lapse) {
		return d.Hold.ExpiresAt
	}
	return lapse
}

// SetQuote replaces the quote. Held rooms are kept until other rooms are held.
func (d *Draft) SetQuote(q Quote, v session.Visitor, now time.Time) ([]event.Draft, error) {
	events, err := d.apply(Quotes, now)
	if err == nil {
		d.Quote, d.Locale, d.Currency, d.Device = q, v.Locale, v.Currency, v.Device
	}
	return events, err
}

// CheckHold returns nil if rooms may be held at this quote now, or are held at it already. It returns ErrPriceChanged if
// the guest was shown another total than the quote's.
func (d *Draft) CheckHold(q id.Quote, shown fn.Maybe[money.Minor], now time.Time) error {
	held := d.Holds(q)
	if err := d.May(Holds); err != nil && !held {
		return err
	}
	switch {
	case q != d.Quote.ID:
		return ErrPriceChanged.Saying("A later quote has replaced this one. Check its price before you continue.")
	case shown.Or(d.Quote.Total) != d.Quote.Total:
		return ErrPriceChanged
	case !held && !now.Before(d.Quote.ExpiresAt):
		return ErrQuoteExpired
	}
	return nil
}

// Holds reports whether the rooms of this quote are held already, so that a repeated request returns the first result.
func (d *Draft) Holds(q id.Quote) bool {
	return d.held() && d.Hold.Quote == q && (d.State == Holding || d.State == CollectingDetails)
}

// held reports whether the draft has a hold that has not expired.
func (d *Draft) held() bool { return d.Hold != nil && d.AsOf.Before(d.Hold.ExpiresAt) }

// SetHold records the hold. The first hold also returns draft.created.
func (d *Draft) SetHold(h Hold, now time.Time) ([]event.Draft, error) {
	if err := d.May(Holds); err != nil {
		return nil, err
	}
	first := d.Hold == nil
	h.ExpiresAt = event.Time(h.ExpiresAt)
	d.Hold = &h
	events, err := d.apply(Holds, now)
	if err == nil && first {
		events = append([]event.Draft{d.created()}, events...)
	}
	return events, err
}

// SetGuest records the guest's details.
func (d *Draft) SetGuest(g Guest, h Hashes, now time.Time) ([]event.Draft, error) {
	events, err := d.apply(SetsGuest, now)
	if err == nil {
		d.Guest, d.Hashes = &g, h
	}
	return events, err
}

// HasGuest reports whether the draft has these guest details already.
func (d *Draft) HasGuest(g Guest) bool {
	return d.State == CollectingDetails && d.Guest != nil && *d.Guest == g && d.AsOf.Before(d.ExpiresAt)
}

// PayKey returns the idempotency key for setting the guest and opening a payment by that method at the other services.
// It derives from the reservation, the method, the language of the return URL and the draft's version, so that a retry after
// an interrupted attempt uses the same key.
func (d *Draft) PayKey(m hotel.Method) string {
	return id.Derive[id.Request](d.Hold.Reservation, fmt.Sprintf("pay/%s/%s/%d", m, d.Locale, d.Version)).String()
}

// Pay records the intent that the guest pays with. It returns nil and changes nothing if the intent is recorded already, in the same
// language.
func (d *Draft) Pay(i Intent, now time.Time) ([]event.Draft, error) {
	if d.State == Paying && d.Payment.Intent == i.ID {
		if !d.relocated {
			return nil, nil
		}
		_, err := d.apply(Pays, now)
		return []event.Draft{}, err
	}
	if err := d.May(Pays); err != nil {
		return nil, err
	}
	if d.Payment == nil || d.Payment.Intent != i.ID {
		d.Declines = 0
	}
	if d.Payment != nil && d.Payment.Intent != i.ID {
		d.Replaced = append(d.Replaced[max(0, len(d.Replaced)-maxReplaced+1):], *d.Payment)
	}
	d.Payment = &Payment{Intent: i.ID, Method: i.Method, Provider: i.Provider, Amount: i.Amount}
	events, err := d.apply(Pays, now)
	if err != nil {
		return nil, err
	}
	return append(events, d.event(subject.IntentCreatedV1, intentCreatedOf(d.Tenant, d.ID, i, d.ActiveAt))), nil
}

// StartConfirming records that the reservation is being confirmed. It changes nothing if that is recorded already.
func (d *Draft) StartConfirming(now time.Time) ([]event.Draft, error) {
	if d.State == Confirming {
		return nil, nil
	}
	return d.apply(Confirms, now)
}

// Convert ends the draft with a confirmed reservation.
func (d *Draft) Convert(r Reservation, now time.Time) ([]event.Draft, error) {
	events, err := d.apply(Converts, now)
	if err != nil {
		return nil, err
	}
	captured := d.settlePayment(r)
	w, p := d.Quote.Selection, d.Payment
	d.end()
	return append(events, d.event(subject.DraftConvertedV1, draftConverted{
		reference:   d.reference(),
		Reservation: d.Hold.Reservation,
		CreatedAt:   d.CreatedAt,
		ConvertedAt: *d.EndedAt,
		Elapsed:     d.EndedAt.Sub(d.CreatedAt).Milliseconds(),
		Property:    w.Property,
		RoomType:    w.RoomType,
		RatePlan:    w.RatePlan,
		Captured:    captured,
		Total:       d.Quote.Total.Amount,
		Currency:    p.Amount.Currency,
		Method:      p.Method,
		Provider:    p.Provider,
		Campaign:    d.Campaign.Attributed(),
		Arrival:     d.Arrival,
		Device:      d.Device,
		Initials:    d.Hashes.Initials,
	})), nil
}

// Abandon ends the draft without a booking.
func (d *Draft) Abandon(now time.Time) ([]event.Draft, error) {
	last, active := d.State, d.ActiveAt
	events, err := d.apply(Abandons, now)
	if err != nil {
		return nil, err
	}
	d.end()
	w, errors := d.Quote.Selection, d.Errors
	if errors == nil {
		errors = []ShownError{}
	}
	return append(events, d.event(subject.DraftAbandonedV1, draftAbandoned{
		reference:   d.reference(),
		LastState:   last,
		CreatedAt:   d.CreatedAt,
		AbandonedAt: *d.EndedAt,
		ActiveAt:    active,
		Property:    w.Property,
		RoomType:    w.RoomType,
		Total:       d.Quote.Total,
		Errors:      errors,
		Email:       d.Hashes.Email,
		Initials:    d.Hashes.Initials,
	})), nil
}

// Fail ends the draft because it can no longer become a booking. It returns the event with the error that the guest is
// shown.
func (d *Draft) Fail(why error, upstream string, now time.Time) ([]event.Draft, error) {
	troubled := d.recordError(why, upstream, now)
	if _, err := d.apply(Fails, now); err != nil {
		return nil, err
	}
	d.end()
	return []event.Draft{troubled}, nil
}

// RecordError records an error that the guest was shown and that does not end the draft, and returns its event.
func (d *Draft) RecordError(err error, upstream string, now time.Time) event.Draft {
	troubled := d.recordError(err, upstream, now)
	d.ActiveAt = event.Time(now)
	d.Version++
	return troubled
}

// skipDeclines counts declined attempts as shown, although the guest was not shown them: the outcome of a later attempt matters.
func (d *Draft) skipDeclines(attempts int) {
	d.Declines = attempts
	d.Version++
}

// Wait postpones the sweep's next check of the draft, because its payment is still pending.
func (d *Draft) Wait(now time.Time) {
	d.ExpiresAt = event.Time(now).Add(recheckAfter)
	d.Version++
}

// end marks the draft as ended and removes the guest's details, which the reservation has from here on.
func (d *Draft) end() {
	ended := d.ActiveAt
	d.EndedAt, d.ExpiresAt, d.Guest = &ended, ended.Add(keepEnded), nil
}

// isFinal reports whether the error means that this draft can never be booked. ErrNotCaptured with a retry-after is not
// final, because the money may still arrive; without one, the captured amount was too low and was refunded.
func isFinal(err error) bool {
	f := fault.From(err)
	return f != nil && (f.Is(ErrHoldExpired) || f.Is(ErrOverbooked) || f.Is(ErrIllegalTransition) || f.Is(ErrNotCaptured) && f.RetryAfter == 0)
}
