package quote

import (
	"context"
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// asked is a pricing service with a fixed price or error, with a tenant and a property service.
type asked struct {
	until   time.Time
	err     error
	region  string
	failure error // of the property service
}

func (a asked) Price(_ context.Context, _ id.Tenant, ask quotes.Ask) (quotes.Price, error) {
	return reservationtest.Price(ask, a.until), a.err
}

func (a asked) Settings(context.Context, id.Tenant) quotes.Settings {
	return quotes.Settings{Region: a.region}
}

func (a asked) Local(context.Context, id.Tenant, id.Property) (quotes.Local, error) {
	return reservationtest.Basis().Local, a.failure
}

func TestQuote(t *testing.T) {
	t.Parallel()
	const region = "gcp-me-central1"
	property := id.New[id.Property]()
	for _, test := range []struct {
		name   string
		asked  asked
		sees   []id.Property
		want   error
		events int
	}{
		{"price", asked{region: region}, nil, nil, 2},
		{"desk of the property", asked{region: region}, []id.Property{property}, nil, 2},
		{"desk of another property", asked{region: region}, []id.Property{id.New[id.Property]()}, booking.ErrNotFound, 0},
		{"pricing unavailable", asked{region: region, err: fault.ErrUpstreamUnavailable}, nil, fault.ErrUpstreamUnavailable, 1},
		{"pricing rejects the request", asked{region: region, err: fault.ErrValidation}, nil, fault.ErrValidation, 1},
		{"time zone of the property unavailable", asked{region: region, failure: fault.ErrUpstreamUnavailable}, nil, fault.ErrUpstreamUnavailable, 1},
		{"region of the tenant unknown", asked{}, nil, fault.ErrUpstreamUnavailable, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			e := db.Env()
			test.asked.until = e.Now().Add(time.Hour)
			q := &handler{&quotes.Quoter{Quotes: quotes.OpenStore(e), Sources: quotes.Sources{Price: test.asked.Price, Local: test.asked.Local, Settings: test.asked.Settings}}}
			c := reservation.Call[Request]{
				Call:      fn.Call[Request]{In: reservationtest.Ask(t, property), Act: id.New[id.Request]()},
				Principal: access.Principal{Scope: access.Scope{Tenant: id.New[id.Tenant](), Properties: test.sees}},
			}
			out, err := q.quote(t.Context(), c)
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err == nil {
				if out.Totals.Grand != 200_000_000 {
					t.Errorf("out.Totals.Grand = %v, want 200_000_000", out.Totals.Grand)
				}
				if out.Quote.IsZero() {
					t.Error("out.Quote.IsZero() = true, want false")
				}
				if out.ServerTime.IsZero() {
					t.Error("out.ServerTime.IsZero() = true, want false")
				}
				if !out.ValidUntil.After(out.ServerTime) {
					t.Error("out.ValidUntil.After(out.ServerTime) = false, want true")
				}
			}
			var events int
			err = db.Owner(t).QueryRow(t.Context(), `
				SELECT count(*) FROM reservation.outbox
				WHERE envelope -> 'metadata' ->> 'dataResidency' = 'gcp-me-central1'`).Scan(&events)
			if err != nil || events != test.events {
				t.Errorf("got %d events, want %d, %v", events, test.events, err)
			}
		})
	}
}
