package tenantbooking

import (
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Draft is a booking in the making: from the first price to the confirmed reservation, or to nothing.
type Draft struct {
	ID      id.Draft
	Tenant  id.Tenant
	Session id.TenantSession
	State   State
	Version int // one more with each change
	Body
	CreatedAt time.Time
	ActiveAt  time.Time // when the guest was last seen at it
	ExpiresAt time.Time // when it lapses; one that is over, when it is deleted
	EndedAt   *time.Time
	AsOf      time.Time // the database's clock when this was read: what has lapsed has lapsed by this
}

// A Body is what a draft says. It is kept as one document.
type Body struct {
	Changed  int                  `json:"changedIn,omitzero"` // the Version of the last move
	Quote    Quote                `json:"quote"`
	Hold     *Hold                `json:"hold,omitzero"`   // the rooms of the guest; of an earlier quote while quoting
	Guest    *Guest               `json:"guest,omitzero"`  // until the end
	Hashes   Hashes               `json:"hashes,omitzero"` // what may be told of the guest
	Payment  *Payment             `json:"payment,omitzero"`
	Declines int                  `json:"declinesShown,omitzero"` // of the payment, that its guest was shown
	Trail    []Step               `json:"trail"`
	Errors   []Trouble            `json:"errors,omitzero"`
	Campaign attribution.Campaign `json:"campaign,omitzero"`
	Arrival  *id.HandoffArrival   `json:"arrival,omitzero"`
	Device   attribution.Device   `json:"device"`
	Locale   locale.Tag           `json:"locale"`
	Currency money.Currency       `json:"currency"`
	Silent   bool                 `json:"silent,omitzero"` // the guest wants no telemetry
}

// Hashes are the pseudonyms of a guest.
type Hashes struct {
	Email pseudonym.Hash `json:"email,omitzero"`
	Phone pseudonym.Hash `json:"phone,omitzero"`
}

// Hash returns the pseudonyms of a guest whose addresses are valid.
func (g Guest) Hash(p pseudonym.Peppers) (Hashes, error) {
	email, noEmail := pseudonym.Email(g.Email)
	phone, noPhone := pseudonym.Phone(g.Phone)
	return Hashes{Email: p.Hash(email), Phone: p.Hash(phone)}, errors.Join(noEmail, noPhone)
}

// A Payment is the one live intent of a draft.
type Payment struct {
	Intent   id.Intent   `json:"intentId"`
	Method   Method      `json:"method"`
	Provider string      `json:"provider"`
	Amount   money.Minor `json:"amount"`
}

// A Step is a state that a draft has come to.
type Step struct {
	State State     `json:"state"`
	At    time.Time `json:"at"`
}

// A Trouble is an error that the guest was shown.
type Trouble struct {
	State      State     `json:"atState"`
	Code       string    `json:"errorCode"`
	OccurredAt time.Time `json:"occurredAt"`
}

const (
	idle        = 30 * time.Minute  // a draft lapses when the guest was not seen for so long
	kept        = 24 * time.Hour    // a draft that is over answers its guest for so long
	lookAgain   = 110 * time.Second // until the sweep asks about a payment: two of its minutes, whichever comes a little early
	maxTroubles = 20                // of a draft; the latest are kept
	maxSteps    = 50
)

// DraftID is the id of the draft that an act begins.
func DraftID(act id.Request) id.Draft { return id.Derive[id.Draft](act, "draft") }

// NewDraft begins a booking with its first price.
func NewDraft(act id.Request, v Visitor, q Quote, now time.Time) *Draft {
	now = at(now)
	return &Draft{
		ID: DraftID(act), Tenant: v.Tenant.ID, Session: v.Session.ID, State: Quoting, Version: 1,
		CreatedAt: now, ActiveAt: now, ExpiresAt: now.Add(idle), AsOf: now,
		Body: Body{
			Changed: 1, Quote: q, Trail: []Step{{Quoting, now}}, Campaign: v.Campaign, Arrival: v.Session.Arrival, Device: v.Device,
			Locale: v.Locale, Currency: v.Currency, Silent: !v.Session.Consent.Telemetry,
		},
	}
}

// May says whether the act is a step now. A lapsed draft may be asked about anew or left; what has become of one that is
// being paid for is settled by its neighbours.
func (d *Draft) May(a Act) error {
	if _, err := d.State.after(a); err != nil {
		return err
	}
	if a == Pays && !d.held() {
		return ErrHoldExpired
	}
	if a == Asks || a == Abandons || !d.State.unpaid() || d.AsOf.Before(d.ExpiresAt) {
		return nil
	}
	if d.State == Quoting {
		return ErrQuoteExpired
	}
	return ErrHoldExpired
}

// move is the only way from state to state.
func (d *Draft) move(a Act, now time.Time) ([]event.Draft, error) {
	if err := d.May(a); err != nil {
		return nil, err
	}
	from, now := d.State, at(now)
	to, _ := d.State.after(a)
	d.State, d.ActiveAt = to, now
	d.Version++
	d.Changed = d.Version
	since := d.Trail[len(d.Trail)-1].At
	if from != to {
		d.Trail = append(d.Trail[max(0, len(d.Trail)-maxSteps+1):], Step{to, now})
	}
	d.ExpiresAt = d.lapses(now)
	if !forward(from, to) {
		return nil, nil
	}
	latency := max(0, now.Sub(since).Milliseconds())
	return []event.Draft{d.event(StepCompletedV1, stepCompleted{
		reference:   d.reference(),
		From:        from,
		To:          to,
		Latency:     latency,
		CompletedAt: now,
	})}, nil
}

// lapses is when the draft is over unless the guest is seen before: never later than the rooms it stands on. Where money may come without
// the guest coming back, it is when the sweep asks about it; one that is already due stays due until that has succeeded.
func (d *Draft) lapses(now time.Time) time.Time {
	lapse, look := now.Add(idle), now.Add(lookAgain)
	switch {
	case d.State == Confirming && d.ExpiresAt.Before(look):
		return d.ExpiresAt
	case d.State == Confirming, d.State == Paying && d.Payment.Method != CashOnArrival:
		return look
	}
	if d.State != Quoting && d.Hold != nil && d.Hold.ExpiresAt.Before(lapse) {
		return d.Hold.ExpiresAt
	}
	return lapse
}

// Ask puts another price in the place of the one before. Rooms that are held are kept until others are.
func (d *Draft) Ask(q Quote, v Visitor, now time.Time) ([]event.Draft, error) {
	events, err := d.move(Asks, now)
	if err == nil {
		d.Quote, d.Locale, d.Currency, d.Device = q, v.Locale, v.Currency, v.Device
	}
	return events, err
}

// Offers says whether rooms may be held at this price now, or are held at it already. Another total than the quote's, which the guest was
// shown, is ErrPriceChanged.
func (d *Draft) Offers(q id.Quote, shown fn.Maybe[money.Minor], now time.Time) error {
	held := d.Holds(q)
	if err := d.May(Keeps); err != nil && !held {
		return err
	}
	switch {
	case q != d.Quote.ID, shown.Or(d.Quote.Total) != d.Quote.Total:
		return ErrPriceChanged
	case !held && !now.Before(d.Quote.ExpiresAt):
		return ErrQuoteExpired
	}
	return nil
}

// Holds reports whether the rooms of this quote are held already, so that a second request for them gets the first answer.
func (d *Draft) Holds(q id.Quote) bool {
	return d.held() && d.Hold.Quote == q && (d.State == Holding || d.State == CollectingDetails)
}

// held reports whether the draft has rooms whose time is not over.
func (d *Draft) held() bool { return d.Hold != nil && d.AsOf.Before(d.Hold.ExpiresAt) }

// Keep notes the rooms that are held. The first ones make the draft known to the world.
func (d *Draft) Keep(h Hold, now time.Time) ([]event.Draft, error) {
	if err := d.May(Keeps); err != nil {
		return nil, err
	}
	first := d.Hold == nil
	h.ExpiresAt = at(h.ExpiresAt)
	d.Hold = &h
	events, err := d.move(Keeps, now)
	if err == nil && first {
		events = append([]event.Draft{d.created()}, events...)
	}
	return events, err
}

// Name notes who stays.
func (d *Draft) Name(g Guest, h Hashes, now time.Time) ([]event.Draft, error) {
	events, err := d.move(Names, now)
	if err == nil {
		d.Guest, d.Hashes = &g, h
	}
	return events, err
}

// IsNamed reports whether that is the guest already.
func (d *Draft) IsNamed(g Guest) bool {
	return d.State == CollectingDetails && d.Guest != nil && *d.Guest == g && d.AsOf.Before(d.ExpiresAt)
}

// PayKey is the idempotency key under which the guest is named and a payment by that method is opened at the other services.
// It derives from the reservation, the method and the draft's version, so an attempt that was cut off is repeated under it.
func (d *Draft) PayKey(m Method) string {
	return id.Derive[id.Request](d.Hold.Reservation, fmt.Sprintf("pay/%s/%d", m, d.Version)).String()
}

// Pay notes the intent that the guest pays with. The one that is noted already is no step.
func (d *Draft) Pay(i Intent, now time.Time) ([]event.Draft, error) {
	if d.State == Paying && d.Payment.Intent == i.ID {
		return nil, nil
	}
	if err := d.May(Pays); err != nil {
		return nil, err
	}
	if d.Payment == nil || d.Payment.Intent != i.ID {
		d.Declines = 0
	}
	d.Payment = &Payment{Intent: i.ID, Method: i.Method, Provider: i.Provider, Amount: i.Amount}
	events, err := d.move(Pays, now)
	if err != nil {
		return nil, err
	}
	return append(events, d.event(IntentCreatedV1, intentCreated{
		Tenant:    d.Tenant,
		Draft:     d.ID,
		Intent:    i.ID,
		Method:    i.Method,
		Provider:  i.Provider,
		Amount:    i.Amount.Amount,
		Currency:  i.Amount.Currency,
		Redirect:  i.RedirectURL != "",
		CreatedAt: d.ActiveAt,
	})), nil
}

// Settle notes that the reservation is being confirmed. Where that is noted already, it is no step.
func (d *Draft) Settle(now time.Time) ([]event.Draft, error) {
	if d.State == Confirming {
		return nil, nil
	}
	return d.move(Settles, now)
}

// Convert ends the draft with a confirmed reservation.
func (d *Draft) Convert(now time.Time) ([]event.Draft, error) {
	events, err := d.move(Converts, now)
	if err != nil {
		return nil, err
	}
	w, p := d.Quote.Wish, d.Payment
	d.end()
	return append(events, d.event(DraftConvertedV1, draftConverted{
		reference:   d.reference(),
		Reservation: d.Hold.Reservation,
		CreatedAt:   d.CreatedAt,
		ConvertedAt: *d.EndedAt,
		Elapsed:     d.EndedAt.Sub(d.CreatedAt).Milliseconds(),
		Property:    w.Property,
		RoomType:    w.RoomType,
		RatePlan:    w.RatePlan,
		Total:       p.Amount.Amount,
		Currency:    p.Amount.Currency,
		Method:      p.Method,
		Provider:    p.Provider,
		Campaign:    d.Campaign.Attributed(),
		Arrival:     d.Arrival,
		Device:      d.Device,
	})), nil
}

// Abandon ends the draft without a booking: the guest has left.
func (d *Draft) Abandon(now time.Time) ([]event.Draft, error) {
	last, active := d.State, d.ActiveAt
	events, err := d.move(Abandons, now)
	if err != nil {
		return nil, err
	}
	d.end()
	w, errors := d.Quote.Wish, d.Errors
	if errors == nil {
		errors = []Trouble{}
	}
	return append(events, d.event(DraftAbandonedV1, draftAbandoned{
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
	})), nil
}

// Fail ends the draft because no booking can come of it any more, and tells the guest why.
func (d *Draft) Fail(why error, upstream string, now time.Time) ([]event.Draft, error) {
	told := d.Troubled(why, upstream, now)
	if _, err := d.move(Fails, now); err != nil {
		return nil, err
	}
	d.end()
	return []event.Draft{told}, nil
}

// Shown notes an error that the guest was shown and after which the draft goes on, and returns the event that tells of it.
func (d *Draft) Shown(err error, upstream string, now time.Time) event.Draft {
	told := d.Troubled(err, upstream, now)
	d.ActiveAt = at(now)
	d.Version++
	return told
}

// Wait has the sweep look at the draft again later, because its payment is still pending.
func (d *Draft) Wait(now time.Time) {
	d.ExpiresAt = at(now).Add(lookAgain)
	d.Version++
}

// end forgets who the guest is: from here on the reservation knows it.
func (d *Draft) end() {
	ended := d.ActiveAt
	d.EndedAt, d.ExpiresAt, d.Guest = &ended, ended.Add(kept), nil
}

// isFinal reports refusals after which the same draft can never be booked. Money that has not come may come yet where it is said
// when to ask again; else it came, did not suffice and was given back.
func isFinal(err error) bool {
	f := fault.From(err)
	return f != nil && (f.Is(ErrHoldExpired) || f.Is(ErrOverbooked) || f.Is(errIllegalTransition) || f.Is(ErrNotCaptured) && f.RetryAfter == 0)
}

var errIllegalTransition = fault.New(fault.Conflict, "RESERVATION.ILLEGAL_TRANSITION", "The reservation is not in a state that allows this.")
