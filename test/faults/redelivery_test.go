package faults

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// TestRedelivery_fiveTimes runs journeys of every kind and then delivers every event five more
// times to each of its consumers, in random order and concurrently.
func TestRedelivery_fiveTimes(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	random := seedrand.New(t).Of(0)
	for day := range seedrand.Iterations(t, 2, 10) {
		everyKind(s, 7+day)
	}
	s.Settle()
	e := redeliverer{s, s.DB.Owner(t)}
	before := e.digest(t)
	all := e.deliveries(t)
	again := slices.Repeat(all, 5)
	random.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	e.deliver(t, again)
	s.Settle()
	received := map[string]int{}
	for _, d := range all {
		received[d.Subscription]++
	}
	t.Logf("%d deliveries, five times more, to %v", len(all), received)
	for _, f := range []string{"reservation-allocationcommitted", "reservation-allocationfailed", "reservation-paymentcaptured",
		"reservation-paymentfailed", "sandbox-holdexpired", "sandbox-reservationcancelled"} {
		t.Run(f, func(t *testing.T) {
			if received[f] == 0 {
				t.Error("got no event, want at least one")
			}
		})
	}
	if changed := differing(before, e.digest(t)); len(changed) > 0 {
		t.Errorf("changed by deliveries that came before: %v\n%s", changed, s.Timeline(context.Background()))
	}
}

// TestRedelivery_sabotaged delivers an event for the first time: the comparison of the test above must notice the effect.
func TestRedelivery_sabotaged(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	failed := s.Book(system.Usual()).Intend("card")
	for range 5 {
		failed.Press("decline")
	}
	held := s.Book(system.Usual())
	held.IntentID = failed.IntentID // one of its own could still pay
	s.Quiet()
	e := redeliverer{s, s.DB.Owner(t)}
	before := e.digest(t)
	for _, d := range e.deliveries(t) {
		if d.Subscription == "reservation-paymentfailed" {
			e.deliver(t, []delivery{d.about(failed, held)})
		}
	}
	s.Quiet()
	changed := differing(before, e.digest(t))
	for _, table := range []string{"reservation.reservations", "reservation.holds", "reservation.outbox", "sandbox.allocations", "bus.messages"} {
		t.Run(table, func(t *testing.T) {
			if !slices.Contains(changed, table) {
				t.Errorf("changed tables = %v, want %s among them", changed, table)
			}
		})
	}
}

// The events of two intents come on two topics, in any order: the failure of one takes no rooms while another can still pay.
func TestPaymentFailed_anotherIntentIsLive(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	failed := s.Book(system.Usual()).Intend("card")
	for range 5 {
		failed.Press("decline")
	}
	held := s.Book(system.Usual()).Intend("card")
	s.Quiet()
	e := redeliverer{s, s.DB.Owner(t)}
	for _, d := range e.deliveries(t) {
		if d.Subscription == "reservation-paymentfailed" {
			e.deliver(t, []delivery{d.about(failed, held)})
		}
	}
	held.Await("held")
	held.Press("pay")
	held.Await("confirmed")
	s.Settle()
}

// everyKind walks one journey of each kind. Rooms of that day must be free.
func everyKind(s *system.System, day int) {
	room, suites := system.Usual(), system.Usual()
	room.From, suites.From = day, day
	room.Nights, suites.Nights = 1, 1
	suites.Room, suites.Rooms = 2, demo.KabulGrand.Rooms[2].Units

	paid := s.Book(room).Intend("card")
	paid.Press("decline")
	paid.Press("pay")
	s.Book(room).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	failed := s.Book(room).Intend("card")
	for range 5 {
		failed.Press("decline")
	}
	late, lost := s.Book(room).Intend("card"), s.Book(suites).Intend("card")
	s.Must(http.StatusConflict, s.Quote(suites).HoldRequest(system.Key()))
	s.Book(room).Intend("card") // and forgotten
	s.Quiet()
	s.Advance(11 * time.Minute)
	s.Book(suites).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	late.Press("pay")
	lost.Press("pay")
	s.Quiet()
	s.Tick("reservation-expireholds")
	s.Quiet()
	s.Advance(20 * time.Minute)
	s.Tick("sandbox-expireintents")
	s.Quiet()
}
