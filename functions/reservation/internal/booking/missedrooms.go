package booking

import (
	"context"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

// MissRooms records that the guests of the rooms that are still expected did not come, once per act, and returns what that retained and
// refunds. The rooms are removed from the reservation and released; the rules are those of [Reservation.Miss]. A dry run returns the
// reservation as it is. So does the sweep unless it is overdue: the guests may have come since the sweep read it. The caller repeats it on a
// version conflict. See decision 291.
func (c *Changer) MissRooms(ctx context.Context, call ChangeCall, w MissWish) (r *Reservation, applied Applied, refunds []Refund, err error) {
	if r, err = c.reservations.Get(ctx, call.Scope, call.Reservation); err != nil {
		return nil, applied, nil, err
	}
	if _, done := r.modification(missOf(call.Act, 0)); done {
		applied, refunds = r.missedBy(call.Act)
		return r, applied, refunds, nil
	}
	now := c.now()
	if w.sweep {
		if now = r.AsOf; !r.Overdue(now) {
			return r, applied, nil, nil
		}
	}
	if err := w.allowsRooms(r, now); err != nil {
		return nil, applied, nil, err
	}
	if !call.Allows(int64(r.Version)) {
		return nil, applied, nil, fault.ErrStale
	}
	if err := c.learn(ctx, r); err != nil {
		return nil, applied, nil, err
	}
	after := *r
	events, releases, err := after.missRooms(call.Act, w, now)
	if err != nil {
		return nil, applied, nil, err
	}
	if applied, refunds = after.missedBy(call.Act); call.DryRun {
		return r, applied, refunds, nil
	}
	after.await(AwaitRelease, now)
	after.Saga.Plan = &Plan{Modification: after.Modified[len(after.Modified)-1], Releases: releases, Reserved: after.reserved()}
	if err := c.save(ctx, &after, events...); err != nil {
		return nil, applied, nil, err
	}
	return c.release(ctx, &after), applied, refunds, nil
}

// SweptRooms returns the call of the sweep for the rooms of a reservation.
func SweptRooms(r *Reservation) ChangeCall {
	return ChangeCall{
		Principal: access.Principal{Scope: access.Scope{Tenant: r.Tenant}, Actor: saga()}, Act: id.Derive[id.Request](r.ID, "no-show of rooms"),
		Reservation: r.ID, Allows: func(int64) bool { return true },
	}
}

// allowsRooms returns an error if the expected rooms of the reservation cannot be given up now.
func (w MissWish) allowsRooms(r *Reservation, now time.Time) error {
	switch {
	case w.Waive && !w.Manager:
		return errWaiver
	case r.State != CheckedIn || len(r.expected()) == 0:
		return r.illegal()
	case r.Saga.Plan != nil:
		return errChanging
	case now.Before(r.noShowAt()) && !w.Manager:
		return errEarlyMiss
	}
	return nil
}

// missRooms gives up the expected rooms and returns an event for each, and the allocations to release.
func (r *Reservation) missRooms(act id.Request, w MissWish, now time.Time) (events []event.Draft, releases []id.Allocation, err error) {
	for n, item := range r.expected() {
		kept := item.missedPenalty(r.Currency)
		if w.Waive {
			kept = 0
		}
		at := slices.IndexFunc(r.Items, func(i Item) bool { return i.ID == item.ID })
		p, err := r.giveUp(at, kept, now, true)
		if err != nil {
			return nil, nil, err
		}
		p.Modification.ID, p.OccurredAt, p.Actor = missOf(act, n), event.Time(now), w.By
		if err := r.apply(p, now); err != nil {
			return nil, nil, err
		}
		events, releases = append(events, ReservationModified(r)), append(releases, p.Releases...)
	}
	return events, releases, nil
}

// missOf returns the id of the nth modification of an act that gives up expected rooms.
func missOf(act id.Request, n int) id.Modification {
	return id.Derive[id.Modification](act, "no-show/"+strconv.Itoa(n))
}

// missedBy returns what an act that gave up expected rooms has retained and refunds.
func (r *Reservation) missedBy(act id.Request) (applied Applied, refunds []Refund) {
	applied.Currency = r.Currency
	refunds = []Refund{}
	for n := 0; ; n++ {
		m, done := r.modification(missOf(act, n))
		if !done {
			return applied, refunds
		}
		applied.Ref = m.PolicyRef
		for _, c := range r.Account {
			if c.Kind == account.Retained && equal(c.Modification, &m.ID) {
				applied.Penalty += c.Amount
			}
		}
		if back := m.Request; back != nil && back.Direction == "refund" {
			applied.Eligible += back.Amount
			refunds = append(refunds, back.Refunds...)
			if back.Intent != nil {
				refunds = append(refunds, Refund{ID: back.Refund, Intent: *back.Intent, Amount: back.Amount})
			}
		}
	}
}
