package booking

import (
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Reservation represents the rooms of one stay, from the hold to check-out.
type Reservation struct {
	ID           id.Reservation `db:"reservation_id"`
	Tenant       id.Tenant      `db:"tenant_id"`
	Property     id.Property    `db:"property_id"`
	Code         string         // the guest's booking code; unique per tenant, generated on insert
	State        State          // as stored; see EffectiveState
	Saga         Saga           `db:"-"`
	Version      int            // increases with each change
	Channel      Channel
	Partner      Reference         `db:"partner_id"`
	Session      *id.TenantSession `db:"session_id"`
	Draft        *id.Draft         `db:"draft_id"`
	Quote        id.Quote          `db:"quote_id"`
	Promo        string            `db:"promo_code"` // of the quote; changes are priced with it
	Guest        id.Guest          `db:"guest_id"`
	Locale       locale.Tag        `db:"guest_locale"`
	Stay         stay.Window       `db:"-"`
	Currency     money.Currency
	Total        money.Micro        `db:"grand_total_micro"` // the sum of Account; after the end of the stay, what was booked
	Account      account.Account    `db:"-"`
	Items        []Item             `db:"-"`
	Extras       []quotes.Line      // what belongs to no night and no room
	Requests     []SpecialRequest   `db:"-"` // oldest first
	Modified     []Modification     `db:"-"` // oldest first
	Hashes       guests.ContactHash `db:"-"` // of the guest's contact data
	Person       *guests.Person     `db:"-"` // only if staff read the reservation
	Policy       quotes.Policy
	FX           *quotes.FX `db:"fx_snapshot"`
	Hold         Hold       `db:"-"` // the current one
	Payment      Payment    `db:"-"` // zero until confirmed
	Cancellation *Cancellation
	Keys         []Key          // of the rooms, oldest first
	CheckIn      *CheckIn       // nil before the check-in
	CheckOut     *CheckOut      // nil before the check-out
	Missed       *Missed        `db:"no_show"` // nil unless the guest did not come
	SparedUntil  *time.Time     // a reinstated guest is no no-show before
	OverstayedOn *stay.Date     // the last night that was published as overstayed
	Region       string         // where the tenant's data must stay
	LostAt       *time.Time     // inventory has lost a booked room, and no change has taken another
	Expected     int            `db:"expected_rooms"` // as stored: rooms whose guests have not come while others have
	Local        quotes.Local   `db:"-"`
	NoShowGrace  int            `db:"no_show_grace_hours"`
	Own          quotes.Own     `db:"-"`              // of the quote
	Change       *PendingChange `db:"pending_change"` // a change of dates that waits for its payment
	Quota        Quota          `db:"-"`              // of unpaid room nights; zero: a booking of staff
	CreatedBy    access.Actor
	CreatedAt    time.Time
	AsOf         time.Time // the database's clock at the read; decides whether the hold has expired

	unsaved changes
}

// changes are the changes since the last read or save that concern other tables than that of reservations.
type changes struct {
	version       int // as stored; zero: not stored yet
	modifications []newModification
	charges       int            // number of stored charges
	items         bool           // the items have changed
	rooms         *stay.Date     // the assigned rooms have changed from that night on
	arrived       []AssignedRoom // the rooms of this check-in, for its event
}

// An Item is one room.
type Item struct {
	ID       id.Item     `db:"item_id"`
	Position int         // orders the items; not contiguous once an item was removed
	RoomType id.RoomType `db:"room_type_id"`
	RatePlan id.RatePlan `db:"rate_plan_id"`
	stay.Occupants
	Nights  []quotes.Night // ascending; dates without a price are not listed
	Extras  []quotes.Line  // what belongs to no night
	Nightly money.Micro    `db:"nightly_rate_micro"` // of the room alone, on average; for display
	Total   money.Micro    `db:"total_micro"`        // of Nights and Extras
	Policy  quotes.Policy
	Room    *id.Room `db:"room_id"` // the physical room, once assigned
	Returns
	FreeUntil *time.Time // the deadline of free cancellation, if a change of dates has set one
	ArrivedAt *time.Time // when the desk checked its guests in; nil: they are expected
}

// Returns are the room that the guest of an item gets again when an outage ends, and the first night there; nil: none.
type Returns struct {
	ReturnRoom *id.Room `db:"return_room_id"`
	ReturnFrom *stay.Date
}

// price returns the price of the item.
func (i Item) price() money.Micro { return quotes.SumNights(i.Nights) + quotes.SumLines(i.Extras) }

// A Hold is a claim on rooms until ExpiresAt. Its outcome is final.
type Hold struct {
	ID          id.Hold         `db:"hold_id"`
	Allocations []id.Allocation `db:"allocation_ids"` // one per item, in the same order
	PlacedAt    time.Time
	ExpiresAt   time.Time
	TTL         int             `db:"ttl_seconds"`
	Outcome     Outcome         `db:"hold_status"`
	Replaces    []id.Allocation `db:"-"` // held rooms of the same guest that inventory exchanges for these
}

// An Outcome is the status of a hold.
type Outcome string

// The outcomes.
const (
	Live      Outcome = "live"
	Committed Outcome = "committed" // the rooms are the guest's
	Expired   Outcome = "expired"
	Released  Outcome = "released"
)

// A HoldResult is the inventory service's answer to a hold.
type HoldResult struct {
	PlacedAt  time.Time `json:"placedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// ReservationID returns the id of the reservation that an act creates.
func ReservationID(act id.Request) id.Reservation {
	return id.Derive[id.Reservation](act, "reservation")
}

// wanted returns a hold on the reservation's rooms. Its ids derive from the act and the label.
func (r *Reservation) wanted(act [16]byte, label string, ttl time.Duration) Hold {
	h := Hold{ID: id.Derive[id.Hold](act, label), TTL: int(ttl / time.Second), Outcome: Live}
	for i := range r.Items {
		h.Allocations = append(h.Allocations, id.Derive[id.Allocation](act, fmt.Sprintf("%s/allocation/%d", label, i)))
	}
	return h
}

// EffectiveState returns the state at the time of the read: a held reservation past its expiry is ExpiredHold, whatever
// is stored.
func (r *Reservation) EffectiveState() State {
	if r.State == Held && !r.AsOf.Before(r.Hold.ExpiresAt) {
		return ExpiredHold
	}
	return r.State
}

// move makes a transition, or returns ErrIllegalTransition. All transitions go through it, except the overrides of a manager. A
// change that is not complete yet delays all transitions.
func (r *Reservation) move(from, to State) error {
	if !from.leadsTo(to) {
		return r.illegal()
	}
	if r.Saga.Plan != nil {
		return errChanging
	}
	r.State, r.Saga = to, Saga{}
	r.Version++
	return nil
}

// StartHold moves to Held with the hold that inventory has placed.
func (r *Reservation) StartHold(p HoldResult) error {
	if err := r.move(r.State, Held); err != nil {
		return err
	}
	r.Hold = r.Hold.placed(p)
	r.await(AwaitInventory, r.Hold.PlacedAt)
	r.CreatedAt = r.Hold.PlacedAt
	return nil
}

func (h Hold) placed(p HoldResult) Hold {
	h.PlacedAt, h.ExpiresAt = event.Time(p.PlacedAt), event.Time(p.ExpiresAt)
	return h
}

// Expire moves an expired hold to ExpiredHold.
func (r *Reservation) Expire() error {
	if r.EffectiveState() != ExpiredHold {
		return ErrIllegalTransition
	}
	if err := r.move(r.State, ExpiredHold); err != nil {
		return err
	}
	r.Hold.Outcome = Expired
	return nil
}

// Awaits reports whether the allocation belongs to the live hold.
func (r *Reservation) Awaits(a id.Allocation) bool {
	return r.EffectiveState() == Held && slices.Contains(r.Hold.Allocations, a)
}

// Lose records that inventory has lost a room of a booked reservation. It returns false if the allocation is not one of a guest who is
// expected or in the house, or if the loss is recorded.
func (r *Reservation) Lose(a id.Allocation) bool {
	booked := r.State == Confirmed || r.State == CheckInStarted || r.State == CheckedIn
	if !booked || r.LostAt != nil || !slices.Contains(r.Hold.Allocations, a) {
		return false
	}
	lost := event.Time(r.AsOf)
	r.LostAt = &lost
	r.Version++
	return true
}
