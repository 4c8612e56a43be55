package reservation

import (
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Reservation is the rooms of one stay, from the first hold to the last key.
type Reservation struct {
	ID       id.Reservation `db:"reservation_id"`
	Tenant   id.Tenant      `db:"tenant_id"`
	Property id.Property    `db:"property_id"`
	Code     string         // what a guest reads to the desk; unique per tenant, drawn when the row is written
	State    State          // as stored: EffectiveState says where the reservation stands
	Pending  Step           `db:"pending_step"`
	Version  int            // one more with each move
	Channel  Channel
	Partner  Name              `db:"partner_id"`
	Session  *id.TenantSession `db:"session_id"`
	Draft    *id.Draft         `db:"draft_id"`
	Quote    id.Quote          `db:"quote_id"`
	Guest    id.Guest          `db:"guest_id"`
	Locale   locale.Tag        `db:"guest_locale"`
	Stay
	Currency     money.Currency
	Total        money.Micro `db:"grand_total_micro"`
	Items        []Item      `db:"-"`
	Policy       Policy
	FX           *FX `db:"fx_snapshot"`
	Hold             // the current one
	Payment          // zero until confirmed
	Cancellation *Cancellation
	Region       string // where the tenant's data must stay
	Local
	NoShowGrace int `db:"no_show_grace_hours"`
	Own
	CreatedBy Actor
	CreatedAt time.Time
	AsOf      time.Time // the database's clock when this was read: what is over is over by this
}

// An Item is one room.
type Item struct {
	ID       id.Item     `db:"item_id"`
	RoomType id.RoomType `db:"room_type_id"`
	RatePlan id.RatePlan `db:"rate_plan_id"`
	stay.Occupants
	Nightly money.Micro `db:"nightly_rate_micro"`
	Total   money.Micro `db:"total_micro"`
	Policy  *Policy     // nil: stored before items had one
}

// A Step is what a held reservation waits for.
type Step string

// The steps.
const (
	AwaitInventory Step = "await_inventory" // to tell that it has taken the rooms
	AwaitPayment   Step = "await_payment"
)

// A Hold is a claim on rooms until ExpiresAt. It has one outcome.
type Hold struct {
	ID          id.Hold         `db:"hold_id"`
	Allocations []id.Allocation `db:"allocation_ids"` // one per item, in their order
	PlacedAt    time.Time
	ExpiresAt   time.Time
	TTL         int     `db:"ttl_seconds"`
	Outcome     Outcome `db:"hold_status"`
}

// An Outcome is what became of a hold.
type Outcome string

// The outcomes.
const (
	Live      Outcome = "live"
	Committed Outcome = "committed" // the rooms are the guest's
	Expired   Outcome = "expired"
	Released  Outcome = "released"
)

// A HoldResult is the inventory service's word that it keeps rooms.
type HoldResult struct {
	PlacedAt  time.Time `json:"placedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// IDOf is the id of the reservation that an act makes.
func IDOf(act id.Request) id.Reservation { return id.Derive[id.Reservation](act, "reservation") }

// wanted is a hold on the reservation's rooms under ids that only this act can have.
func (r *Reservation) wanted(act [16]byte, label string, ttl time.Duration) Hold {
	h := Hold{ID: id.Derive[id.Hold](act, label), TTL: int(ttl / time.Second), Outcome: Live}
	for i := range r.Items {
		h.Allocations = append(h.Allocations, id.Derive[id.Allocation](act, fmt.Sprintf("%s/allocation/%d", label, i)))
	}
	return h
}

// EffectiveState is where the reservation stood when it was read: a hold whose time had come was over, whatever is stored.
func (r *Reservation) EffectiveState() State {
	if r.State == Held && !r.AsOf.Before(r.Hold.ExpiresAt) {
		return ExpiredHold
	}
	return r.State
}

// move is the only way from state to state.
func (r *Reservation) move(from, to State) error {
	if !from.leadsTo(to) {
		return ErrIllegalTransition
	}
	r.State, r.Pending = to, ""
	r.Version++
	return nil
}

// Keep begins the hold that inventory has placed.
func (r *Reservation) Keep(p HoldResult) error {
	if err := r.move(r.State, Held); err != nil {
		return err
	}
	r.Pending = AwaitInventory
	r.Hold = r.Hold.placed(p)
	r.CreatedAt = r.Hold.PlacedAt
	return nil
}

func (h Hold) placed(p HoldResult) Hold {
	h.PlacedAt, h.ExpiresAt = at(p.PlacedAt), at(p.ExpiresAt)
	return h
}

// Expire writes down that the hold is over.
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

// Awaits reports whether the named allocation is one that a live hold stands on.
func (r *Reservation) Awaits(a id.Allocation) bool {
	return r.EffectiveState() == Held && slices.Contains(r.Hold.Allocations, a)
}

// Lost reports whether the named allocation is a room of a booked reservation, whose guest is still to come or staying.
func (r *Reservation) Lost(a id.Allocation) bool {
	booked := r.State == Confirmed || r.State == CheckInStarted || r.State == CheckedIn
	return booked && slices.Contains(r.Hold.Allocations, a)
}
