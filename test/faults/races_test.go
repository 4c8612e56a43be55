package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// batch is how many races are run side by side. Each is about a reservation of its own.
const batch = 40

// A race is the stage for many races, and what came of them.
type race struct {
	*system.System
	seed seedrand.Seed
	days int          // the next day without a reservation
	busy atomic.Int64 // answers that asked to come back
}

func openRace(t *testing.T) *race {
	t.Helper()
	return &race{System: system.Open(t), seed: seedrand.New(t)}
}

// prepare brings a batch of bookings to the checkout page, each for one night, and for another than its neighbours.
func (r *race) prepare(t *testing.T, wish system.Wish) []*system.Booking {
	t.Helper()
	all := make([]*system.Booking, batch)
	guests, ctx := errgroup.WithContext(t.Context())
	guests.SetLimit(4)
	for n := range all {
		r.days++
		wish.From, wish.Nights = 1+r.days%300, 1
		all[n] = system.Guest(wish, r.Env().Now())
		guests.Go(func() error { return r.runSteps(ctx, all[n]) })
	}
	check.Must(t, guests.Wait())
	return all
}

// runSteps takes a guest from the first question to the checkout page.
func (r *race) runSteps(ctx context.Context, b *system.Booking) error {
	for _, step := range []struct {
		request func() system.Request
		learn   func(system.Answer) error
	}{
		{func() system.Request { return b.QuoteRequest(system.Key()) }, b.LearnQuote},
		{func() system.Request { return b.HoldRequest(system.Key()) }, b.LearnHold},
		{func() system.Request { return b.IntentRequest("card") }, b.LearnIntent},
	} {
		a, err := r.expect(ctx, step.request(), "201")
		if err != nil {
			return err
		}
		if err := step.learn(a); err != nil {
			return err
		}
	}
	return nil
}

// expect sends a request and fails unless the answer is one of those allowed: a status, and a code where there is one.
// A machine that has too much to do may ask to come back; then the same request is repeated under the same key.
func (r *race) expect(ctx context.Context, q system.Request, allowed ...string) (system.Answer, error) {
	a, err := r.Do(ctx, q)
	for range 20 {
		if err != nil || a.Status != http.StatusServiceUnavailable {
			break
		}
		r.busy.Add(1)
		a, err = r.Do(ctx, q)
	}
	if err != nil {
		return a, err
	}
	if !slices.Contains(allowed, strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Code()))) {
		return a, fmt.Errorf("%s %s answered %d %s, allowed is %q", q.Method, q.Path, a.Status, a.Body, allowed)
	}
	return a, nil
}

// TestRaces_expiryAndCapture lets holds run out, and at that moment guests pay and the sweep runs. The rooms are still free,
// so every guest who has paid gets them; whether the world is told before that the hold was over is the only question.
func TestRaces_expiryAndCapture(t *testing.T) {
	t.Parallel()
	r := openRace(t)
	random := r.seed.Of(0)
	var bookings []*system.Booking
	for range seedrand.Iterations(t, 120, 1000) / batch {
		all := r.prepare(t, system.Usual())
		r.Advance(10*time.Minute + time.Second)
		r.sweepAmong(t, all, random.IntN(batch))
		r.Quiet()
		bookings = append(bookings, all...)
	}
	r.Settle()
	story := r.eventsByBooking()
	wins := map[string]int{"the sweep": 0, "the capture": 0}
	for _, b := range bookings {
		switch events := story[b.ReservationID]; {
		case slices.Equal(events, []string{"held", "confirmed"}):
			wins["the capture"]++
		case slices.Equal(events, []string{"held", "hold_expired", "confirmed"}):
			wins["the sweep"]++
		default:
			t.Errorf("events of %s: %q", b, events)
		}
	}
	r.checkWinners(t, wins)
}

// sweepAmong has all guests pay, and the sweep begin beside the one who comes after so many others.
func (r *race) sweepAmong(t *testing.T, all []*system.Booking, others int) {
	t.Helper()
	racing, ctx := errgroup.WithContext(t.Context())
	racing.SetLimit(8)
	for n, b := range all {
		if n == others {
			racing.Go(func() error { return r.Cloud.Tick(ctx, "reservation-expireholds") })
		}
		racing.Go(func() error {
			_, err := r.expect(ctx, b.PressRequest("pay"), "303")
			return err
		})
	}
	check.Must(t, racing.Wait())
}

// eventsByBooking are what the reservation service told of each reservation, in order.
func (r *race) eventsByBooking() map[string][]string {
	all := map[string][]string{}
	for _, e := range r.Published(context.Background()) {
		if id, ok := e.Payload["reservationId"].(string); ok && e.Service == "reservation" {
			name := strings.TrimSuffix(strings.TrimPrefix(e.Subject, "melmastoon.reservation."), ".v1")
			all[id] = append(all[id], name)
		}
	}
	return all
}

// checkWinners logs how often each contender was first, and fails the test when one never was.
func (r *race) checkWinners(t *testing.T, wins map[string]int) {
	t.Helper()
	t.Logf("first were %v; %d answers asked to come back", wins, r.busy.Load())
	for who, n := range wins {
		if n == 0 {
			t.Errorf("%s was never first: these were no races", who)
		}
	}
}

// TestRaces_confirmByEventAndCall has guests pay, so that the event of the capture confirms, while the
// hotel's site asks to confirm, twice at a time.
func TestRaces_confirmByEventAndCall(t *testing.T) {
	t.Parallel()
	r := openRace(t)
	var bookings []*system.Booking
	var early atomic.Int64
	for range seedrand.Iterations(t, 120, 1000) / batch {
		all := r.prepare(t, system.Usual())
		racing, ctx := errgroup.WithContext(t.Context())
		racing.SetLimit(6)
		for _, b := range all {
			racing.Go(func() error {
				_, err := r.expect(ctx, b.PressRequest("pay"), "303")
				return err
			})
			for range 2 {
				racing.Go(func() error { return r.retry(ctx, b, &early) })
			}
		}
		check.Must(t, racing.Wait())
		bookings = append(bookings, all...)
	}
	r.Settle()
	t.Logf("%d calls came before the money", early.Load())
	story := r.eventsByBooking()
	for _, b := range bookings {
		check.Equal(t, story[b.ReservationID], []string{"held", "confirmed"}, "events of %s", b)
	}
	r.checkWinners(t, r.confirmers())
}

// confirmers are who confirmed how many reservations: what an event has caused names it.
func (r *race) confirmers() map[string]int {
	wins := map[string]int{"the event": 0, "the call": 0}
	for _, e := range r.Published(context.Background()) {
		switch {
		case e.Subject != "melmastoon.reservation.confirmed.v1":
		case e.Envelope["causationId"] != nil:
			wins["the event"]++
		default:
			wins["the call"]++
		}
	}
	return wins
}

// retry asks to confirm until the money is there, each time as a new request: a refusal under a key stands.
func (r *race) retry(ctx context.Context, b *system.Booking, early *atomic.Int64) error {
	for {
		a, err := r.expect(ctx, b.ConfirmRequest("card", system.Key()), "200", "409 PAYMENT.NOT_CAPTURED")
		if err != nil || a.Status == http.StatusOK {
			return err
		}
		early.Add(1)
	}
}
