package hold

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// granting is an inventory that grants every hold, or returns an error.
type granting struct {
	now func() time.Time
	err error
}

func (g granting) Hold(_ context.Context, _ *booking.Reservation, h booking.Hold) (booking.HoldResult, error) {
	return booking.HoldResult{PlacedAt: g.now(), ExpiresAt: g.now().Add(time.Duration(h.TTL) * time.Second)}, g.err
}

func (granting) Settings(context.Context, id.Tenant) quotes.Settings {
	return quotes.Settings{HoldTTL: 5 * time.Minute}
}

func aHolder(e env.Env, refusal error) *handler {
	inventory := granting{e.Now, refusal}
	return &handler{&booking.Holder{
		Quotes: quotes.OpenStore(e), Reservations: booking.OpenReservations(e), Place: inventory.Hold, Settings: inventory.Settings,
	}}
}

func call(e env.Env, tenant id.Tenant, quote id.Quote) reservation.Call[Request] {
	in := Request{Quote: quote, Channel: booking.Direct, CreatedBy: access.Actor{Type: access.Guest, ID: "gst_1"}}
	return reservation.Call[Request]{
		Call:      fn.Call[Request]{In: in, Act: id.New[id.Request](), Now: e.Now()},
		Principal: access.Principal{Scope: access.Scope{Tenant: tenant}},
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		refusal error
		wait    time.Duration
		change  func(*reservation.Call[Request])
		want    error
	}{
		{"success", nil, 0, nil, nil},
		{"no rooms", booking.ErrOverbooked, 0, nil, booking.ErrOverbooked},
		{"expired quote", nil, 30 * time.Minute, nil, booking.ErrQuoteExpired},
		{"quote of another tenant", nil, 0, func(c *reservation.Call[Request]) { c.Tenant = id.New[id.Tenant]() }, booking.ErrNotFound},
		{"quote of another property", nil, 0, func(c *reservation.Call[Request]) { c.Properties = []id.Property{} }, booking.ErrNotFound},
		{"another service for staff", nil, 0, func(c *reservation.Call[Request]) { c.In.CreatedBy.Type = access.Staff }, fault.ErrForbidden},
		{"the desk's service for staff", nil, 0, func(c *reservation.Call[Request]) { c.Desk, c.In.CreatedBy.Type = true, access.Staff }, nil},
		{"staff for another person", nil, 0, func(c *reservation.Call[Request]) { c.Actor.Type = access.Staff }, fault.ErrForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			e := db.Env()
			tenant := id.New[id.Tenant]()
			c := call(e, tenant, reservationtest.Quote(t, e, tenant, id.New[id.Property]()).ID)
			db.Advance(test.wait)
			if test.change != nil {
				test.change(&c)
			}
			out, err := aHolder(e, test.refusal).hold(t.Context(), c)
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			r := &booking.Reservation{Tenant: tenant, ID: booking.ReservationID(c.Act)}
			if err != nil {
				reservationtest.ExpectEvents(t, db, r)
				return
			}
			reservationtest.ExpectEvents(t, db, r, "held")
			if out.State != booking.Held {
				t.Errorf("out.State = %v, want %v", out.State, booking.Held)
			}
			if out.Hold.TTL != 300 {
				t.Errorf("out.Hold.TTL = %v, want 300", out.Hold.TTL)
			}
			if len(out.Code) != 9 {
				t.Fatalf("len(out.Code) = %v, want 9", len(out.Code))
			}
			if out.ServerTime != c.Now {
				t.Errorf("out.ServerTime = %v, want %v", out.ServerTime, c.Now)
			}
		})
	}
}

// TestHold_limits stores the shortest and the longest hold.
func TestHold_limits(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e, tenant := db.Env(), id.New[id.Tenant]()
	for _, ttl := range []time.Duration{stay.MinHold, stay.MaxHold} {
		h := aHolder(e, nil)
		h.useCase.Settings = func(context.Context, id.Tenant) quotes.Settings { return quotes.Settings{HoldTTL: ttl} }
		out, err := h.hold(t.Context(), call(e, tenant, reservationtest.Quote(t, e, tenant, id.New[id.Property]()).ID))
		if err != nil {
			t.Fatalf("a hold of %v: %v", ttl, err)
		}
		if got := time.Duration(out.Hold.TTL) * time.Second; got != ttl {
			t.Errorf("a hold of %v lasts %v", ttl, got)
		}
	}
}

func TestHold_repeatedAct(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenant := id.New[id.Tenant]()
	c := call(e, tenant, reservationtest.Quote(t, e, tenant, id.New[id.Property]()).ID)
	first, err := aHolder(e, nil).hold(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := aHolder(e, booking.ErrOverbooked).hold(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if again.Code != first.Code {
		t.Errorf("again.Code = %v, want %v", again.Code, first.Code)
	}
	if again.Reservation != first.Reservation {
		t.Errorf("again.Reservation = %v, want %v", again.Reservation, first.Reservation)
	}
}

func own(r *booking.Reservation) *id.TenantSession { return r.Session }

func TestHold_replaces(t *testing.T) {
	t.Parallel()
	nothing := func(testing.TB, *pgtest.Database, *booking.Reservation) {}
	another := id.New[id.TenantSession]()
	for _, test := range []struct {
		name    string
		given   func(testing.TB, *pgtest.Database, *booking.Reservation)
		session func(*booking.Reservation) *id.TenantSession
		want    error
		old     booking.State
	}{
		{"own hold", nothing, own, nil, booking.Cancelled},
		{"hold of another session", nothing, func(*booking.Reservation) *id.TenantSession { return &another }, booking.ErrNotFound, booking.Held},
		{"no session", nothing, func(*booking.Reservation) *id.TenantSession { return nil }, booking.ErrNotFound, booking.Held},
		{"expired hold", func(_ testing.TB, db *pgtest.Database, _ *booking.Reservation) {
			db.Advance(reservationtest.TTL)
		}, own, nil, booking.Cancelled},
		{"confirmed reservation", reservationtest.Confirm, own, booking.ErrIllegalTransition, booking.Confirmed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			e := db.Env()
			tenant := id.New[id.Tenant]()
			old := reservationtest.Held(t, e, tenant, id.New[id.Property]())
			test.given(t, db, old)
			c := call(e, tenant, reservationtest.Quote(t, e, tenant, old.Property).ID)
			c.In.Replaces, c.In.Session = &old.ID, test.session(old)
			if _, err := aHolder(e, nil).hold(t.Context(), c); !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if got := reservationtest.Now(t, db, old).EffectiveState(); got != test.old {
				t.Errorf("the old one is %s, want %s", got, test.old)
			}
		})
	}
}

// The whole function with its middleware: the same key holds once and gets the same bytes.
func TestHold_idempotencyKey(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	inventory := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		now := db.Env().Now()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"placedAt":"` + now.Format(time.RFC3339Nano) + `","expiresAt":"` + now.Add(time.Minute).Format(time.RFC3339Nano) + `"}`))
	}))
	t.Cleanup(inventory.Close)
	e := db.Env().With("UPSTREAM_INVENTORY_URL", inventory.URL).With("UPSTREAM_TENANT_URL", inventory.URL+"/none")
	front := fntest.Open(t, e, Function)
	tenant := id.New[id.Tenant]()
	quote := reservationtest.Quote(t, e, tenant, id.New[id.Property]())
	body := `{"quoteId":"` + quote.ID.String() + `","channel":"direct","createdBy":{"type":"guest","id":"gst_1"}}`
	var answers [2]fntest.Answer
	for i := range answers {
		answers[i] = front.Post("/api/v1/reservations/holds", body, "X-Tenant-Id", tenant.String(), "Idempotency-Key", "k1")
	}
	if answers[0].Status != http.StatusCreated {
		t.Errorf("answers[0].Status = %v, want %v", answers[0].Status, http.StatusCreated)
	}
	if string(answers[0].Body) != string(answers[1].Body) {
		t.Errorf("string(answers[0].Body) = %v, want %v", string(answers[0].Body), string(answers[1].Body))
	}
	if answers[1].Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf(`answers[1].Header.Get("Idempotent-Replayed") = %q, want "true"`, answers[1].Header.Get("Idempotent-Replayed"))
	}
	var reservations int
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM reservation.reservations`).Scan(&reservations); err != nil || reservations != 1 {
		t.Errorf("%d reservations, %v", reservations, err)
	}
}
