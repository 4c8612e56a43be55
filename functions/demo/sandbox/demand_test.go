package sandbox_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/clickrecorded"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcancelled"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationconfirmed"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// demand is the demand for Kabul's hotel as the route returns it.
func demand(t *testing.T, f *fntest.Front) (got search.Popularity) {
	t.Helper()
	f.Get("/sandbox/search/v1/popularity?propertyId="+kabul.Property.String()).Into(t, &got)
	return got
}

func push(t *testing.T, f *fntest.Front, to fn.Function, raw event.Raw) {
	t.Helper()
	f.Push(to, raw).Must(t, http.StatusNoContent)
}

func (b books) confirmation(t *testing.T, r id.Reservation, at time.Time) event.Raw {
	t.Helper()
	return incoming(t, reservationconfirmed.Function.Spec.Subject, body{
		"reservationId": r, "tenantId": kabul.Tenant, "propertyId": kabul.Property, "reservationCode": "GM-ABC123",
		"stayWindow": body{"start": "2027-01-01", "end": "2027-01-02", "nights": 1}, "totals": body{"grandTotalMicro": "1", "currency": "AFN"},
		"payment": body{"method": "cash_on_arrival", "status": "pending_cash", "paymentIntentIds": []string{}, "capturedMicro": "0"},
		"channel": body{"channel": "direct"}, "primaryGuest": body{"guestId": "gst_01J8KABG000000000000000GST", "locale": "en"}, "confirmedAt": at,
	})
}

func (b books) cancellation(t *testing.T, r id.Reservation, at time.Time) event.Raw {
	t.Helper()
	return incoming(t, reservationcancelled.Function.Spec.Subject, body{
		"reservationId": r, "tenantId": kabul.Tenant, "propertyId": kabul.Property, "cancelledAt": at, "reason": "", "reasonCode": "guest_cancelled",
		"policyApplied":           body{"ref": "flexible-24h", "refundEligibilityMicro": "0", "penaltyMicro": "0", "currency": "AFN"},
		"paymentRefundsRequested": []body{}, "inventoryAllocationIds": []string{}, "itemsCancelled": []string{}, "actor": body{"type": "guest", "id": "guest"},
	})
}

func TestPopularity_bookings(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	now := b.env.Now()
	var reservations []id.Reservation
	for range 5 {
		r := id.New[id.Reservation]()
		reservations = append(reservations, r)
		once := b.confirmation(t, r, now)
		for range 2 { // a repeated event counts once
			push(t, f, reservationconfirmed.Function, once)
		}
	}
	check.Equal(t, demand(t, f), search.Popularity{Booked: 5})
	push(t, f, reservationcancelled.Function, b.cancellation(t, reservations[0], now))
	push(t, f, reservationcancelled.Function, b.cancellation(t, id.New[id.Reservation](), now)) // it was never confirmed
	early := id.New[id.Reservation]()
	push(t, f, reservationcancelled.Function, b.cancellation(t, early, now)) // its confirmation comes later
	push(t, f, reservationconfirmed.Function, b.confirmation(t, early, now))
	check.Equal(t, demand(t, f), search.Popularity{Booked: 4}, "after cancellations")
	push(t, f, reservationconfirmed.Function, b.confirmation(t, id.New[id.Reservation](), now.Add(-25*time.Hour))) // late
	check.Equal(t, demand(t, f), search.Popularity{Booked: 4}, "after an old booking")
	b.Advance(24*time.Hour + time.Minute)
	check.Equal(t, demand(t, f), search.Popularity{}, "a day later")
}

func TestPopularity_views(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	now := b.env.Now()
	click := func(session id.GuestSession, kind string, at time.Time) {
		t.Helper()
		raw := incoming(t, clickrecorded.Function.Spec.Subject, body{"guestSessionId": session, "kind": kind,
			"tenantId": kabul.Tenant, "propertyId": kabul.Property, "occurredAt": at})
		raw.Envelope.TenantID, raw.Delivery.Tenant = nil, nil
		push(t, f, clickrecorded.Function, raw)
	}
	one := id.New[id.GuestSession]()
	click(one, "listing-card", now)
	click(one, "map-pin", now.Add(-30*time.Minute)) // the earlier click arrives later
	click(id.New[id.GuestSession](), "listing-card", now)
	click(id.New[id.GuestSession](), "listing-card", now.Add(-2*time.Hour)) // too late
	click(id.New[id.GuestSession](), "listing-card", now.Add(24*time.Hour)) // by a wrong clock
	check.Equal(t, demand(t, f), search.Popularity{Viewed: 3})
	b.Advance(59 * time.Minute)
	click(id.New[id.GuestSession](), "listing-card", b.env.Now())
	check.Equal(t, demand(t, f), search.Popularity{Viewed: 4}, "after 59 minutes")
	b.Advance(2 * time.Minute)
	check.Equal(t, demand(t, f), search.Popularity{Viewed: 1}, "after 61 minutes")
	if n := b.count(t, `SELECT count(*) FROM sandbox.recent_views AS v WHERE v::text LIKE '%' || replace($1::uuid::text, '-', '') || '%'`, one); n != 0 {
		t.Errorf("%d rows contain a session", n)
	}
}

// nearest returns the slugs of the hotels that are similar to one, for two adults.
func (w manyHotels) nearest(t *testing.T, to id.Property, limit int) []string {
	t.Helper()
	q := w.query(world)
	all, err := w.Similar(t.Context(), search.Likeness{Property: to, Dates: q.Dates, Party: q.Party, Currency: "USD", Limit: limit})
	check.Must(t, err)
	return names(all)
}

func TestSimilar_order(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	q := w.query(city("Kabul"))
	nightly, stars := map[string]float64{}, map[string]int{}
	for _, l := range w.found(t, q, search.Recommended) {
		previews, err := pricing.OpenTariffs(w.env).Preview(t.Context(), []id.Property{l.Property},
			pricing.Staying{Party: q.Party.Party(), Window: w.nights(20, 3), Currency: "USD"}, nil)
		if err != nil || len(previews) != 1 {
			t.Fatalf("%d previews, %v", len(previews), err)
		}
		nightly[l.TenantSlug], stars[l.TenantSlug] = float64(previews[0].Nightly), l.StarRating
	}
	got := w.nearest(t, kabul.Property, 10)
	if len(got) != len(nightly)-1 || len(got) < 5 {
		t.Fatalf("%d similar hotels, want %d, the others of the city", len(got), len(nightly)-1)
	}
	check.Equal(t, slices.Contains(got, kabul.Slug), false, "the hotel resembles itself")
	distance := func(slug string) (apart int, dearer float64) {
		apart, dearer = stars[slug]-stars[kabul.Slug], nightly[slug]-nightly[kabul.Slug]
		return max(apart, -apart), max(dearer, -dearer)
	}
	for i := 1; i < len(got); i++ {
		apart, dearer := distance(got[i-1])
		nextApart, nextDearer := distance(got[i])
		if apart > nextApart || apart == nextApart && dearer > nextDearer {
			t.Errorf("%s comes before %s: %d stars and %.0f, then %d stars and %.0f apart", got[i-1], got[i], apart, dearer, nextApart, nextDearer)
		}
	}
	check.Equal(t, w.nearest(t, kabul.Property, 4), got[:4], "the first four")
}

func TestSimilar_othersOmitted(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	first := w.nearest(t, kabul.Property, 10)[0]
	other := w.hotels[slices.IndexFunc(w.hotels, func(h demo.Hotel) bool { return h.Slug == first })]
	check.Got(directory.OpenTenants(w.env).Suspend(t.Context(), other.Tenant, "billing")).Must(t)
	check.Equal(t, slices.Contains(w.nearest(t, kabul.Property, 10), first), false, "%s is suspended and resembles the hotel", first)
	listed := func(of ...id.Property) (slugs []string) {
		var got struct {
			Listings []search.Listing `json:"listings"`
		}
		f.Post("/sandbox/search/v1/listings", body{"propertyIds": of}).Into(t, &got)
		return names(got.Listings)
	}
	third := w.hotels[5]
	check.Equal(t, listed(third.Property, other.Property, id.New[id.Property](), kabul.Property), []string{third.Slug, kabul.Slug}, "listings")
	check.Equal(t, len(listed(id.New[id.Property]())), 0, "an unknown hotel")
	dates := w.query(world).Dates
	ask := body{"propertyId": id.New[id.Property](), "dates": dates, "occupancy": body{"adults": 2, "children": 0, "rooms": 1}, "currency": "USD", "limit": 4}
	f.Post("/sandbox/search/v1/similar", ask).Want(t, http.StatusNotFound)
	ask["limit"] = 11
	f.Post("/sandbox/search/v1/similar", ask).Want(t, http.StatusBadRequest)
	f.Post("/sandbox/search/v1/listings", body{"propertyIds": []string{}}).Want(t, http.StatusBadRequest)
}

func TestPreview_noExchangeRate(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	check.Got(w.owner.Exec(t.Context(), `DELETE FROM sandbox.fx_snapshots WHERE base = 'AFN' AND quote = 'USD'`)).Must(t)
	q := w.query(city("Kabul"))
	tariffs, all := pricing.OpenTariffs(w.env), w.found(t, q, search.Recommended)
	priced := w.found(t, q, search.PriceUp)
	check.Equal(t, len(priced), len(all), "hotels in the order of price")
	if last := priced[len(priced)-1]; last.TenantSlug == "lapis-hotel-kabul" { // the only one with prices in dollars
		t.Errorf("the hotel with a price comes last")
	}
	check.Equal(t, priced[0].TenantSlug, "lapis-hotel-kabul")
	ask := pricing.Staying{Party: q.Party.Party(), Window: w.nights(20, 3), Currency: "USD"}
	own := ask
	own.Currency = kabul.Currency
	fallback, err := tariffs.Preview(t.Context(), []id.Property{kabul.Property}, ask, nil)
	if err != nil || len(fallback) != 1 {
		t.Fatalf("%d previews, %v; want 1", len(fallback), err)
	}
	usual, err := tariffs.Preview(t.Context(), []id.Property{kabul.Property}, own, nil)
	if err != nil || len(usual) != 1 {
		t.Fatalf("%d previews, %v; want 1", len(usual), err)
	}
	fallback[0].CapturedAt = usual[0].CapturedAt
	check.Equal(t, fallback[0], usual[0], "preview")
	days, currency, err := tariffs.Calendar(t.Context(), kabul.Property, w.nights(20, 3), "USD")
	check.Must(t, err)
	if currency != kabul.Currency || len(days) != 3 {
		t.Errorf("calendar of %d days in %s, want 3 in %s", len(days), currency, kabul.Currency)
	}
}
