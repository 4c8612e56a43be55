package faults

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestSiteStrangers_otherGuest has a guest ask for what another one of the same hotel has.
func TestSiteStrangers_otherGuest(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	victim := s.Visit(demo.KabulGrand).Book(system.Usual(), "card")
	other := s.Visit(demo.KabulGrand).RequestQuote(system.Usual())
	target := names{
		victim.Hotel.Property.String(), victim.Hotel.Rooms[0].ID.String(), victim.Hotel.Rooms[0].Flexible.ID.String(),
		victim.DraftID, victim.QuoteID, victim.ReservationID, "v1.e30.x", "local.x", "",
	}
	nobody := unknownNames("v1.e30.x")
	nobody.Property, nobody.Room, nobody.Rate = target.Property, target.Room, target.Rate
	for route, all := range attempts(other) {
		for i, try := range all {
			if !strings.Contains(fmt.Sprint(try(target)), target.Draft) && !strings.Contains(route, "confirmation") && route != "POST /hold" {
				continue // names nothing of theirs
			}
			how := impersonation{header: map[string]string{}}
			a, b := replyTo(sendAs(t, other, how, try(target)), target), replyTo(sendAs(t, other, how, try(nobody)), nobody)
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("%s (%d) tells what exists:\n got %+v\nwant %+v", route, i, a, b)
			}
		}
	}
	check.Equal(t, victim.State(), "paying", "the booking is %s", victim.FlowState)
}

// TestSiteStrangers_idempotencyKey repeats a victim's request with its idempotency key from another session.
func TestSiteStrangers_idempotencyKey(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	victim := s.Visit(demo.KabulGrand).Book(system.Usual(), "cash_on_arrival")
	request := system.Request{Method: http.MethodPost, Path: victim.Draft("/confirm"), Key: system.Key()}
	send := func(v *system.Visitor) (status int, replayed bool) {
		a := check.Got(v.Go(t.Context(), request)).Must(t)
		return a.Status, a.Header.Get("Idempotent-Replayed") == "true"
	}
	if status, replayed := send(victim); status != http.StatusOK || replayed {
		t.Fatalf("first request: got %d, replayed %t, want %d, not replayed", status, replayed, http.StatusOK)
	}
	for _, test := range []struct {
		name     string
		caller   *system.Visitor
		status   int
		replayed bool
	}{
		{name: "same session", caller: victim, status: http.StatusOK, replayed: true},
		{name: "another session", caller: s.Visit(demo.KabulGrand), status: http.StatusNotFound},
		{name: "another hotel", caller: s.Visit(demo.HeratGarden), status: http.StatusNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, replayed := send(test.caller)
			check.Equal(t, status, test.status)
			check.Equal(t, replayed, test.replayed)
		})
	}
}

// TestSiteStrangers_cookiesOfTwoHotels has one browser book at two hotels at the same time, on the host that they share and on
// hosts of their own.
func TestSiteStrangers_cookiesOfTwoHotels(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	for name, at := range map[string]func(*system.Browser, demo.Hotel) *system.Visitor{"shared": (*system.Browser).At, "own": (*system.Browser).AtHome} {
		t.Run(name, func(t *testing.T) {
			b := s.Browser()
			kabul, herat := at(b, demo.KabulGrand), at(b, demo.HeratGarden)
			for _, v := range []*system.Visitor{kabul, herat} {
				t.Run(v.Hotel.Slug, func(t *testing.T) {
					v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
					check.Equal(t, len(v.Cookies()), 1, "cookies of the browser")
				})
			}
			first, second := kabul.Session(), herat.Session()
			if first == second || first == "" {
				t.Errorf("sessions = %q and %q, want two", first, second)
			}
			var guests errgroup.Group
			for _, v := range []*system.Visitor{kabul, herat} {
				guests.Go(func() error { return through(t.Context(), v) })
			}
			check.NoError(t, guests.Wait())
			seen := map[string]bool{first: true, second: true, kabul.Session(): true, herat.Session(): true}
			if len(seen) != 4 || seen[""] { // each hotel's changes when its guest is named
				t.Errorf("sessions = %v, want four", slices.Collect(maps.Keys(seen)))
			}
		})
	}
	s.Settle()
}

// through books in cash.
func through(ctx context.Context, v *system.Visitor) error {
	wish := system.Usual()
	wish.Hotel = v.Hotel
	v.Book(wish, "cash_on_arrival")
	a, err := v.Go(ctx, system.Request{Method: http.MethodPost, Path: v.Draft("/confirm")})
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("confirming at %s: %d %s", v.Hotel.Slug, a.Status, a.Body)
	}
	return err
}
