package faults

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// A rivalPayment is a race for the last rooms of a night: late has let the hold on them run out and pays, quick wants to hold them.
type rivalPayment struct {
	late, quick *system.Booking
	pause       int // how many questions quick asks first, so that the two meet at a different point each time
	taken       bool
}

// TestRivals_latePayment lets one have the rooms. When it is the next guest, the late one's money goes back.
func TestRivals_latePayment(t *testing.T) {
	t.Parallel()
	r := openRace(t)
	random := r.seed.Of(0)
	wins := map[string]int{"the late guest": 0, "the next guest": 0}
	for range seedrand.Iterations(t, 1, 5) {
		rivals := r.rivalPayments(t, random)
		stories := r.eventsByBooking()
		for _, d := range rivals {
			events := stories[d.late.ReservationID]
			status, refunded := r.intent(t, d.late)
			switch {
			case !d.taken && slices.Equal(events, []string{"held", "confirmed"}) && status == "captured" && refunded == "0":
				wins["the late guest"]++
			case d.taken && slices.Equal(events, []string{"held", "cancelled"}) && status == "captured" && refunded == d.late.Total:
				wins["the next guest"]++
			default:
				t.Errorf("the next guest has the rooms: %v; events of %s: %q; %s of %s refunded", d.taken, d.late, events, refunded, d.late.Total)
			}
		}
	}
	r.checkWinners(t, wins)
}

// rivalPayments runs rival payments concurrently until nothing is in flight.
func (r *race) rivalPayments(t *testing.T, random *rand.Rand) []*rivalPayment {
	t.Helper()
	suites := system.Usual()
	suites.Room, suites.Rooms = 2, demo.KabulGrand.Rooms[2].Units
	var all []*rivalPayment
	for _, late := range r.prepare(t, suites) {
		all = append(all, &rivalPayment{late: late, quick: &system.Booking{Tenant: late.Tenant, QuoteID: late.QuoteID}, pause: random.IntN(6)})
	}
	r.Advance(10*time.Minute + time.Second)
	racing, ctx := errgroup.WithContext(t.Context())
	racing.SetLimit(4)
	for _, d := range all {
		racing.Go(func() error { return d.run(ctx, r) })
	}
	check.Must(t, racing.Wait())
	r.Settle()
	return all
}

// run has the late guest pay. From then on the event, the late guest's own call and the next guest are after the rooms.
func (d *rivalPayment) run(ctx context.Context, r *race) error {
	if _, err := r.expect(ctx, d.late.PressRequest("pay"), "303"); err != nil {
		return err
	}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		_, err := r.expect(ctx, d.late.ConfirmRequest("card", system.Key()), "200",
			"409 RESERVATION.OVERBOOKING_BLOCKED", "409 RESERVATION.ILLEGAL_TRANSITION")
		return err
	})
	both.Go(func() error { return d.take(ctx, r) })
	return both.Wait()
}

// take has the next guest hold the rooms, if they are still there.
func (d *rivalPayment) take(ctx context.Context, r *race) error {
	for range d.pause {
		if _, err := r.expect(ctx, d.late.ReadRequest(), "200"); err != nil {
			return err
		}
	}
	a, err := r.expect(ctx, d.quick.HoldRequest(system.Key()), "201", "409 RESERVATION.OVERBOOKING_BLOCKED")
	d.taken = err == nil && a.Status == http.StatusCreated
	return err
}

// intent is what has become of a guest's money.
func (r *race) intent(t *testing.T, b *system.Booking) (status, refunded string) {
	t.Helper()
	var intent struct{ Status, RefundedMicro string }
	r.Must(http.StatusOK, b.IntentStateRequest()).Into(t, &intent)
	return intent.Status, intent.RefundedMicro
}
