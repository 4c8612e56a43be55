package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
)

// overrides returns the state that a manager may restore (CONTRACT 4.1).
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

// override plans the return to an earlier state. Rooms and nights that were given up are taken again. A check-out can only be
// undone on the same day at the property, and a no-show only while nights remain.
func (r *Reservation) override(act id.Request, to State, reason Text, now time.Time) (*Plan, error) {
	if allowed, ok := r.State.overrides(); !ok || allowed != to {
		return nil, ErrIllegalTransition
	}
	today, after := r.Local.today(now), r.reserved()
	after.State = to
	p := &Plan{RoomsFrom: &today, Reissue: r.itemIDs()}
	nights := r.nightsFrom(today)
	switch r.State {
	case NoShow:
		if nights.Nights() == 0 {
			return nil, ErrIllegalTransition
		}
		p.takeAgain(act, &after, nights)
	case CheckedOut:
		if r.Local.today(*r.CheckOut.At) != today {
			return nil, ErrIllegalTransition
		}
		if r.CheckOut.Early != nil && nights.Nights() > 0 {
			p.takeAgain(act, &after, nights)
		}
	default:
		for i := range after.Items {
			after.Items[i].Room = nil
		}
	}
	p.Reserved = after
	before := StateOf{State: r.State, Keys: r.validKeys(r.itemIDs()...)}
	return p, p.describe(StateOverride, before, StateOf{State: to, Reason: reason})
}

// takeAgain asks for all rooms of a reservation that has given them up.
func (p *Plan) takeAgain(act id.Request, after *Reserved, nights Stay) {
	for i, item := range after.Items {
		after.Allocations[i] = p.take(act, item, nights)
	}
}

// reinstate undoes what the overridden state has recorded. Refunds that were requested stay requested, so that they become due.
func (r *Reservation) reinstate(was State, p *Plan, now time.Time) {
	if was == NoShow || was == CheckedOut && r.CheckOut.Early != nil {
		r.Hold = r.heldAgain(p, now)
	}
	if was == NoShow {
		spared := r.Local.midnight(r.Local.today(now).AddDays(1))
		r.SparedUntil = &spared
	}
	r.Missed, r.CheckOut = nil, nil
	if was == CheckInStarted {
		r.CheckIn = nil
	}
}

// heldAgain returns a committed hold on the allocations that were taken again. The released hold keeps its outcome.
func (r *Reservation) heldAgain(p *Plan, now time.Time) Hold {
	h := Hold{
		ID: id.Derive[id.Hold](p.Modification.ID, "hold"), Allocations: slices.Clone(p.Reserved.Allocations),
		TTL: int(minHold / time.Second), Outcome: Committed,
	}
	return h.placed(HoldResult{PlacedAt: now, ExpiresAt: now.Add(minHold)})
}
