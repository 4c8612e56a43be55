package booking

import (
	"context"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

// A fakeInventory is an inventory of a number of rooms of any type. It behaves like the real one: all rooms or none, idempotent
// by allocation id, and expired allocations cannot be committed.
type fakeInventory struct {
	now   func() time.Time
	rooms int // units of each room type, for one stay

	mu      sync.Mutex
	taken   map[id.Allocation]*room
	refused map[id.Allocation]bool // by Reallocate
	asked   int                    // number of hold calls
}

type room struct {
	roomType  id.RoomType
	expires   time.Time
	committed bool
	released  bool
}

func newFakeInventory(now func() time.Time, rooms int) *fakeInventory {
	return &fakeInventory{now: now, rooms: rooms, taken: map[id.Allocation]*room{}, refused: map[id.Allocation]bool{}}
}

func (h *fakeInventory) gone(r *room) bool {
	return r.released || !r.committed && !h.now().Before(r.expires)
}

func (h *fakeInventory) free(t id.RoomType) int {
	left := h.rooms
	for _, r := range h.taken {
		if r.roomType == t && !h.gone(r) {
			left--
		}
	}
	return left
}

func (h *fakeInventory) Hold(_ context.Context, r *Reservation, hold Hold) (p HoldResult, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	if slices.ContainsFunc(hold.Replaces, func(a id.Allocation) bool { return slices.Contains(hold.Allocations, a) }) {
		return HoldResult{}, fault.ErrValidation
	}
	for _, a := range hold.Allocations {
		if known := h.taken[a]; known != nil && h.gone(known) {
			return HoldResult{}, ErrHoldExpired
		}
	}
	p = HoldResult{h.now(), h.now().Add(time.Duration(hold.TTL) * time.Second)}
	for _, a := range hold.Replaces {
		if replaced := h.taken[a]; replaced != nil {
			defer func(was bool) { replaced.released = was || err == nil }(replaced.released)
			replaced.released = true
		}
	}
	wanted := map[id.RoomType]int{}
	for i, a := range hold.Allocations {
		if t := r.Items[i].RoomType; h.taken[a] == nil {
			if wanted[t]++; h.free(t) < wanted[t] {
				return HoldResult{}, ErrOverbooked
			}
		}
	}
	for i, a := range hold.Allocations {
		if h.taken[a] == nil {
			h.taken[a] = &room{roomType: r.Items[i].RoomType, expires: p.ExpiresAt}
		}
	}
	return p, nil
}

func (h *fakeInventory) Commit(_ context.Context, _ *Reservation, hold Hold) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range hold.Allocations {
		if r := h.taken[a]; r == nil || h.gone(r) {
			return ErrHoldExpired
		}
	}
	for _, a := range hold.Allocations {
		h.taken[a].committed = true
	}
	return nil
}

func (h *fakeInventory) Release(_ context.Context, _ *Reservation, ids []id.Allocation) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range ids {
		if r := h.taken[a]; r != nil {
			r.released = true
		}
	}
	return nil
}

func (h *fakeInventory) Reallocate(_ context.Context, _ *Reservation, releases []id.Allocation, takes []Take) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, take := range takes {
		if known := h.taken[take.Allocation]; known != nil && h.gone(known) {
			return ErrHoldExpired
		} else if known != nil {
			return nil // a repetition
		}
		if h.refused[take.Allocation] {
			return ErrOverbooked
		}
	}
	before := map[id.Allocation]bool{}
	for _, a := range releases {
		if r := h.taken[a]; r != nil {
			before[a], r.released = r.released, true
		}
	}
	for _, take := range takes {
		if h.free(take.RoomType) < 1 {
			for a, released := range before {
				h.taken[a].released = released
			}
			for _, t := range takes {
				delete(h.taken, t.Allocation)
				h.refused[t.Allocation] = true
			}
			return ErrOverbooked
		}
		h.taken[take.Allocation] = &room{roomType: take.RoomType, committed: true}
	}
	return nil
}

// place takes the rooms of a reservation's first hold.
func (h *fakeInventory) place(r *Reservation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, a := range r.Hold.Allocations {
		h.taken[a] = &room{roomType: r.Items[i].RoomType, expires: r.Hold.ExpiresAt}
	}
}

// let returns the number of committed and held rooms of the types in a reservation.
func (h *fakeInventory) let(r *Reservation) (let int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, item := range r.Items {
		let += h.rooms - h.free(item.RoomType)
	}
	return let
}

// A fakePayments is a payment service in memory.
type fakePayments struct {
	mu       sync.Mutex
	intents  map[id.Intent]*Intent
	refunds  map[id.Refund]Refund
	promises int
}

func newFakePayments(intents ...Intent) *fakePayments {
	p := &fakePayments{intents: map[id.Intent]*Intent{}, refunds: map[id.Refund]Refund{}}
	for _, i := range intents {
		p.intents[i.ID] = &i
	}
	return p
}

func (p *fakePayments) Intent(_ context.Context, _ id.Tenant, i id.Intent) (Intent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.intents[i]; known != nil {
		return *known, nil
	}
	return Intent{}, ErrNotCaptured
}

func (p *fakePayments) Of(_ context.Context, _ id.Tenant, r id.Reservation) (all []Intent, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range p.intents {
		if i.Reservation == r {
			all = append(all, *i)
		}
	}
	return all, nil
}

func (p *fakePayments) Learn(ctx context.Context, r *Reservation) error {
	for _, paid := range r.Payment.Intents {
		i, err := p.Intent(ctx, r.Tenant, paid.Intent)
		if err != nil {
			return err
		}
		r.Learn(i)
	}
	return nil
}

func (p *fakePayments) Promise(_ context.Context, r *Reservation) (Intent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range p.intents {
		if i.Status == PendingCash && i.Reservation == r.ID {
			return *i, nil
		}
	}
	p.promises++
	i := aPromise(r)
	p.intents[i.ID] = &i
	return i, nil
}

func (p *fakePayments) Refund(_ context.Context, _ id.Tenant, back Refund, _ Cause) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.intents[back.Intent]
	earlier, repeated := p.refunds[back.ID]
	switch {
	case repeated && earlier == back:
		return nil
	case repeated || back.Amount > i.kept():
		return fault.ErrVersionConflict
	}
	p.refunds[back.ID] = back
	i.Refunded += back.Amount
	i.Refunds = append(i.Refunds, back)
	return nil
}

// kept returns the captured amount of an intent that is not refunded.
func (p *fakePayments) kept(i Intent) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(p.intents[i.ID].kept())
}
