package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
)

// retryTimeout is the maximum time for which a guest retries one request.
const retryTimeout = time.Minute

// ConcurrentGuests simulates guests who book concurrently, each with contact data and an address of their own, because unpaid bookings count
// for these, and on other days so that rooms are available.
type ConcurrentGuests struct {
	System   *System
	Journeys atomic.Int64 // journeys
	Retries  atomic.Int64 // retried requests

	OnAnswer func(journey int, r Request, a Answer) // called with each answer, or the zero Answer on an error; may be nil

	next atomic.Int64 // number of the next journey
	mu   sync.Mutex
	done []*guest
}

// A guest is a visitor of a hotel's site that retries failed requests with the same idempotency key.
type guest struct {
	*Visitor
	load    *ConcurrentGuests
	journey int
	method  string
}

// Done returns the visitors whose journeys have ended.
func (c *ConcurrentGuests) Done() (done []*Visitor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.done {
		done = append(done, g.Visitor)
	}
	return done
}

// Run runs journeys until all are done.
func (c *ConcurrentGuests) Run(ctx context.Context) error {
	for {
		n := c.next.Add(1)
		if n > c.Journeys.Load() {
			return nil
		}
		g, err := c.journey(ctx, int(n))
		if err != nil {
			return fmt.Errorf("journey %d: %w", n, err)
		}
		c.mu.Lock()
		c.done = append(c.done, g)
		c.mu.Unlock()
	}
}

// journey runs one booking, from the consumer site or directly from the hotel's site, to a payment or a booking paid in cash.
func (c *ConcurrentGuests) journey(ctx context.Context, n int) (*guest, error) {
	hotel, method := demo.KabulGrand, "card"
	if n%3 == 0 {
		method = "cash_on_arrival"
	}
	g := &guest{Visitor: c.System.Browser().At(hotel), load: c, journey: n, method: method}
	g.Headers = map[string]string{"X-Forwarded-For": fmt.Sprintf("203.0.%d.%d", n/250, 1+n%250)}
	wish := Wish{Hotel: hotel, From: 1 + n%300, Nights: 1, Rooms: 1, Currency: "AFN"}
	query := ""
	if n%4 == 0 {
		token, err := g.createHandoff(ctx, hotel, wish)
		if err != nil {
			return nil, err
		}
		query = "?h=" + token
	}
	if err := g.arrive(ctx, query); err != nil {
		return nil, err
	}
	return g, g.book(ctx, wish)
}

// createHandoff creates a handoff for the hotel on the consumer site.
func (g *guest) createHandoff(ctx context.Context, h demo.Hotel, w Wish) (string, error) {
	all := g.Browser.AtAll()
	day := func(n int) string { return g.System().Env().Now().AddDate(0, 0, n).Format(time.DateOnly) }
	a, err := g.retry(ctx, all, http.StatusCreated, Request{Method: http.MethodPost, Path: "/handoff/" + h.Tenant.String() + "/" + h.Property.String(), Body: map[string]any{
		"dates":     map[string]any{"checkIn": day(w.From), "checkOut": day(w.From + w.Nights)},
		"occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1},
	}})
	if err != nil {
		return "", err
	}
	var minted struct{ Token string }
	return minted.Token, json.Unmarshal(a.Body, &minted)
}

// arrive loads the site with the handoff. If the answer to an earlier attempt was lost, the handoff is used up, and arrive loads
// the site without it.
func (g *guest) arrive(ctx context.Context, query string) error {
	_, err := g.retry(ctx, g.Visitor, http.StatusOK, Request{Method: http.MethodGet, Path: "/bootstrap" + query})
	if refused := (refusal{}); errors.As(err, &refused) && query != "" && refused.Status == http.StatusConflict {
		return g.arrive(ctx, "")
	}
	return err
}

func (g *guest) book(ctx context.Context, w Wish) error {
	type step struct {
		want         int
		method, path string
		body         func() any
	}
	steps := []step{
		{http.StatusCreated, http.MethodPost, "/quote", func() any { return g.QuoteBody(w) }},
		{http.StatusCreated, http.MethodPost, "/hold", func() any { return g.HoldBody() }},
		{http.StatusOK, http.MethodPatch, "/draft/{draft}", func() any { return g.details() }},
		{http.StatusCreated, http.MethodPost, "/draft/{draft}/payment-intent", func() any { return map[string]any{"method": g.method} }},
	}
	if g.method == "card" {
		steps = append(steps,
			step{want: http.StatusSeeOther, method: http.MethodPost, path: "{checkout}", body: func() any { return "action=pay" }},
			step{want: http.StatusOK, method: http.MethodPost, path: "/draft/{draft}/return", body: func() any { return nil }})
	} else {
		steps = append(steps, step{
			want:   http.StatusOK,
			method: http.MethodPost,
			path:   "/draft/{draft}/confirm",
			body:   func() any { return nil },
		})
	}
	for _, s := range steps {
		path := s.path
		switch {
		case path == "{checkout}":
			path = g.RedirectURL
		case len(path) > len("/draft/{draft}")-1 && path[:len("/draft/{draft}")] == "/draft/{draft}":
			path = g.Draft(path[len("/draft/{draft}"):])
		}
		a, err := g.retry(ctx, g.Visitor, s.want, Request{Method: s.method, Path: path, Body: s.body()})
		if err != nil {
			return err
		}
		_ = json.Unmarshal(a.Body, &g.Visit) // ignore answers that are not JSON
	}
	if g.FlowState != "confirmed" {
		return fmt.Errorf("draft %s: got final state %q", g.DraftID, g.FlowState)
	}
	return nil
}

// details returns the body with the guest's details.
func (g *guest) details() any {
	return detailsOf(fmt.Sprintf("guest%d@example.com", g.journey), fmt.Sprintf("+93 70 012 %04d", g.journey))
}

// A refusal is a permanent error answer.
type refusal struct {
	Answer
	what string
}

func (r refusal) Error() string { return fmt.Sprintf("%s answered %d %s", r.what, r.Status, r.Body) }

// retry retries a request with the same key until the answer has the wanted status or is a permanent error.
func (g *guest) retry(ctx context.Context, v *Visitor, want int, r Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, retryTimeout)
	defer cancel()
	r.Key = Key()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		a, err := v.Go(ctx, r)
		if g.load.OnAnswer != nil {
			g.load.OnAnswer(g.journey, r, a)
		}
		if err == nil && a.Status == want {
			return a, nil
		}
		if err == nil && !isTransient(a) {
			return a, refusal{a, r.Method + " " + r.Path}
		}
		g.load.Retries.Add(1)
		select {
		case <-ctx.Done():
			return a, fmt.Errorf("%s %s: %w after %d %s %v", r.Method, r.Path, ctx.Err(), a.Status, a.Body, err)
		case <-again.C:
		}
	}
}

// isTransient reports whether the error is transient.
func isTransient(a Answer) bool {
	switch a.Code() {
	case "GENERAL.IDEMPOTENCY_IN_PROGRESS", "GENERAL.VERSION_CONFLICT", "PAYMENT.NOT_CAPTURED":
		return true
	}
	return a.Status >= 500 || a.Status == http.StatusAccepted || a.Status == http.StatusTooManyRequests
}
