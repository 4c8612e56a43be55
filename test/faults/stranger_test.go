package faults

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/cachetest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A selectiveFault fails the calls to one upstream service that a stranger causes, also through other services, and for no other caller.
type selectiveFault struct {
	part   atomic.Pointer[string] // of the upstream's addresses
	failed atomic.Int64
}

const stranger = "stranger-" // how the stranger's request ids begin

// RoundTrip is http.RoundTripper's.
func (p *selectiveFault) RoundTrip(r *http.Request) (*http.Response, error) {
	if part := p.part.Load(); part == nil || !strings.Contains(r.URL.Path, *part) || !strings.HasPrefix(r.Header.Get("X-Request-Id"), stranger) {
		return http.DefaultTransport.RoundTrip(r)
	}
	p.failed.Add(1)
	return &http.Response{StatusCode: http.StatusInternalServerError, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// from is a visitor at an address.
func from(v *system.Visitor, address string) *system.Visitor {
	v.Headers = map[string]string{"X-Forwarded-For": address}
	return v
}

// TestBreaker_oneStranger has one client provoke failures of each upstream, many more than the circuit breakers allow in a row.
// Other guests, at the same hotel and elsewhere, are served as if nothing happened.
func TestBreaker_oneStranger(t *testing.T) {
	t.Parallel()
	wire, db := new(selectiveFault), pgtest.New(t)
	e, memory := cachetest.Surround(upstream.TransportKey.With(db.Env().With("FORWARDED_HOPS", "1"), wire))
	s := system.Within(t, db, e)
	bad := from(s.Visit(demo.KabulGrand).Book(system.Usual(), "card"), "203.0.113.9")
	guest := from(s.Visit(demo.KabulGrand).Book(system.Usual(), "card"), "198.51.100.1")
	elsewhere := from(s.Visit(demo.HeratGarden), "198.51.100.2")
	traveller, badTraveller := from(s.Browser().AtAll(), "198.51.100.3"), from(s.Browser().AtAll(), "203.0.113.9")
	s.Quiet()
	parts := map[string]string{"search": "/sandbox/search/"}
	for name, n := range neighbours {
		parts[name] = n.part
	}
	requests := 0
	provoke := func(t *testing.T, v *system.Visitor, r system.Request) {
		t.Helper()
		requests++
		r.Header = map[string]string{"X-Request-Id": fmt.Sprint(stranger, requests)}
		check.Got(v.Go(t.Context(), r)).Must(t)
	}
	for name, part := range parts {
		wire.part.Store(&part)
		before := wire.failed.Load()
		for range 8 {
			clearCaches(t, s, memory)
			for _, c := range calls(bad) {
				provoke(t, bad, c.request)
			}
			for _, r := range visitRequests(s) {
				provoke(t, badTraveller, r)
			}
		}
		if n := wire.failed.Load() - before; n < 8 {
			t.Errorf("%s failed %d times, want at least 8", name, n)
		}
		clearCaches(t, s, memory)
		for _, c := range calls(guest) {
			expectServed(t, name, guest, c.request)
		}
		expectServed(t, name, elsewhere, system.Request{Method: http.MethodGet, Path: "/bootstrap"})
		for _, r := range visitRequests(s) {
			expectServed(t, name, traveller, r)
		}
	}
}

// clearCaches makes every upstream necessary again.
func clearCaches(t *testing.T, s *system.System, memory *cachetest.Memory) {
	t.Helper()
	empty(t, s)
	memory.Empty()
}

// visitRequests are requests of a traveller, one for each route that asks upstreams.
func visitRequests(s *system.System) []system.Request {
	day := s.Env().Now().AddDate(0, 0, 7)
	stay := map[string]any{"checkIn": day.Format(time.DateOnly), "checkOut": day.AddDate(0, 0, 2).Format(time.DateOnly)}
	people, hotel := map[string]any{"adults": 2, "children": 0, "rooms": 1}, demo.KabulGrand
	return []system.Request{
		{Method: http.MethodPost, Path: "/search", Body: map[string]any{"geo": map[string]any{"mode": "city", "city": "Kabul"}, "dates": stay, "occupancy": people}},
		{Method: http.MethodGet, Path: "/hotels/" + hotel.Property.String()},
		{Method: http.MethodPost, Path: "/handoff/" + hotel.Tenant.String() + "/" + hotel.Property.String(), Body: map[string]any{"dates": stay, "occupancy": people}},
	}
}

// expectServed fails the test if a guest's request is answered with an outage, or without the data of an upstream service.
func expectServed(t *testing.T, upstream string, v *system.Visitor, r system.Request) {
	t.Helper()
	a := check.Got(v.Go(t.Context(), r)).Must(t)
	var body struct{ Degraded []string }
	if a.Status < 300 {
		a.Into(t, &body)
	}
	if a.Status >= 500 || len(body.Degraded) > 0 {
		t.Errorf("a stranger's failures of %s: another guest's %s %s was answered %d %s", upstream, r.Method, r.Path, a.Status, a.Body)
	}
}
