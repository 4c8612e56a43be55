package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// overrides returns the state that a manager may restore.
func (s State) overrides() (to State, ok bool) {
	switch s {
	case NoShow, CheckInStarted:
		return Confirmed, true
	case CheckedOut:
		return CheckedIn, true
	case Quoted, Held, ExpiredHold, Confirmed, CheckedIn, CheckoutStarted, Cancelled: // no way back
	}
	return "", false
}

// override plans the return to an earlier state. Rooms and nights that were given up are taken again. A check-out can be undone on the
// same business date, and a no-show until the check-out time of the day of departure.
func (r *Reservation) override(act id.Request, to State, reason Text, now time.Time) (*Plan, error) {
	if allowed, ok := r.State.overrides(); !ok || allowed != to {
		return nil, r.illegal()
	}
	from, after := r.currentNight(now), r.reserved()
	after.State = to
	p := &Plan{RoomsFrom: &from, Reissue: r.itemIDs()}
	switch r.State {
	case NoShow:
		if !now.Before(r.checkOutUntil()) {
			return nil, r.illegalBecause("The stay has ended.")
		}
		p.takeAgain(act, &after, r.nightsFrom(from))
	case CheckedOut:
		if r.businessDate(*r.CheckOut.At) != r.businessDate(now) {
			return nil, r.illegalBecause("The guest has checked out on an earlier business date.")
		}
		if r.leftEarly() {
			p.takeAgain(act, &after, r.nightsFrom(from))
		}
	default:
		for i := range after.Items {
			after.Items[i].assign(nil)
			after.Items[i].ArrivedAt = nil
		}
	}
	p.Reserved = after
	before := StateOf{State: r.State, Keys: r.validKeys(r.itemIDs()...)}
	return p, p.describe(StateOverride, before, StateOf{State: to, Reason: reason})
}

// takeAgain asks for all rooms of a reservation that has given them up.
func (p *Plan) takeAgain(act id.Request, after *Reserved, nights stay.Window) {
	for i, item := range after.Items {
		after.Allocations[i] = p.take(act, item, nights)
	}
}

// reinstate undoes what the overridden state has recorded. Refunds that were requested stay requested, so that they become due.
func (r *Reservation) reinstate(was State, p *Plan, now time.Time) {
	if was == NoShow || was == CheckedOut && r.leftEarly() {
		r.Hold = r.heldAgain(p, now)
	}
	if r.State == Confirmed {
		r.spare(now)
	}
	r.Missed, r.CheckOut = nil, nil
	if was == CheckInStarted {
		r.CheckIn = nil
	}
}

// spare keeps a guest who is known to come from being a no-show until the end of the grace after the present date.
func (r *Reservation) spare(now time.Time) {
	until := r.expectedUntil(r.Local.Date(now))
	r.SparedUntil = &until
}

// heldAgain returns a committed hold on the allocations that were taken again. The released hold keeps its outcome.
func (r *Reservation) heldAgain(p *Plan, now time.Time) Hold {
	h := Hold{
		ID: id.Derive[id.Hold](p.Modification.ID, "hold"), Allocations: slices.Clone(p.Reserved.Allocations),
		TTL: int(stay.MinHold / time.Second), Outcome: Committed,
	}
	return h.placed(HoldResult{PlacedAt: now, ExpiresAt: now.Add(stay.MinHold)})
}
