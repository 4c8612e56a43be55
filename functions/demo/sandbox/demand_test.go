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
	if got := f.Push(to, raw); got.Status != http.StatusNoContent {
		t.Fatalf("%s answered %d: %s", to.Spec.Name, got.Status, got.Body)
	}
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
	if got := demand(t, f); got != (search.Popularity{Booked: 5}) {
		t.Errorf("demand() = %+v, want 5 bookings", got)
	}
	push(t, f, reservationcancelled.Function, b.cancellation(t, reservations[0], now))
	push(t, f, reservationcancelled.Function, b.cancellation(t, id.New[id.Reservation](), now)) // it was never confirmed
	early := id.New[id.Reservation]()
	push(t, f, reservationcancelled.Function, b.cancellation(t, early, now)) // its confirmation comes later
	push(t, f, reservationconfirmed.Function, b.confirmation(t, early, now))
	if got := demand(t, f); got != (search.Popularity{Booked: 4}) {
		t.Errorf("after cancellations: demand() = %+v, want 4 bookings", got)
	}
	push(t, f, reservationconfirmed.Function, b.confirmation(t, id.New[id.Reservation](), now.Add(-25*time.Hour))) // late
	if got := demand(t, f); got != (search.Popularity{Booked: 4}) {
		t.Errorf("after an old booking: demand() = %+v, want 4 bookings", got)
	}
	b.Advance(24*time.Hour + time.Minute)
	if got := demand(t, f); got != (search.Popularity{}) {
		t.Errorf("a day later: demand() = %+v, want none", got)
	}
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
	if got := demand(t, f); got != (search.Popularity{Viewed: 3}) {
		t.Errorf("demand() = %+v, want 3 views", got)
	}
	b.Advance(59 * time.Minute)
	click(id.New[id.GuestSession](), "listing-card", b.env.Now())
	if got := demand(t, f); got != (search.Popularity{Viewed: 4}) {
		t.Errorf("after 59 minutes: demand() = %+v, want 4 views", got)
	}
	b.Advance(2 * time.Minute)
	if got := demand(t, f); got != (search.Popularity{Viewed: 1}) {
		t.Errorf("after 61 minutes: demand() = %+v, want 1 view", got)
	}
	if n := b.count(t, `SELECT count(*) FROM sandbox.recent_views AS v WHERE v::text LIKE '%' || replace($1::uuid::text, '-', '') || '%'`, one); n != 0 {
		t.Errorf("%d rows contain a session", n)
	}
}

// nearest returns the slugs of the hotels that are similar to one, for two adults.
func (w manyHotels) nearest(t *testing.T, to id.Property, limit int) []string {
	t.Helper()
	q := w.query(world)
	all, err := w.Similar(t.Context(), search.Likeness{Property: to, Dates: q.Dates, Party: q.Party, Currency: "USD", Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
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
	if slices.Contains(got, kabul.Slug) {
		t.Error("the hotel resembles itself")
	}
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
	if four := w.nearest(t, kabul.Property, 4); !slices.Equal(four, got[:4]) {
		t.Errorf("the first four are %q, want %q", four, got[:4])
	}
}

func TestSimilar_othersOmitted(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	first := w.nearest(t, kabul.Property, 10)[0]
	other := w.hotels[slices.IndexFunc(w.hotels, func(h demo.Hotel) bool { return h.Slug == first })]
	if _, err := directory.OpenTenants(w.env).Suspend(t.Context(), other.Tenant, "billing"); err != nil {
		t.Fatal(err)
	}
	if got := w.nearest(t, kabul.Property, 10); slices.Contains(got, first) {
		t.Errorf("%s is suspended and resembles the hotel", first)
	}
	listed := func(of ...id.Property) (slugs []string) {
		var got struct {
			Listings []search.Listing `json:"listings"`
		}
		f.Post("/sandbox/search/v1/listings", body{"propertyIds": of}).Into(t, &got)
		return names(got.Listings)
	}
	third := w.hotels[5]
	if got := listed(third.Property, other.Property, id.New[id.Property](), kabul.Property); !slices.Equal(got, []string{third.Slug, kabul.Slug}) {
		t.Errorf("listings %q, want those of the two hotels that exist and are not suspended, in order", got)
	}
	if got := listed(id.New[id.Property]()); len(got) != 0 {
		t.Errorf("an unknown hotel: %q", got)
	}
	dates := w.query(world).Dates
	ask := body{"propertyId": id.New[id.Property](), "dates": dates, "occupancy": body{"adults": 2, "children": 0, "rooms": 1}, "currency": "USD", "limit": 4}
	if got := f.Post("/sandbox/search/v1/similar", ask); got.Status != http.StatusNotFound {
		t.Errorf("an unknown hotel: status = %d, want 404", got.Status)
	}
	ask["limit"] = 11
	if got := f.Post("/sandbox/search/v1/similar", ask); got.Status != http.StatusBadRequest {
		t.Errorf("eleven hotels: status = %d, want 400", got.Status)
	}
	if got := f.Post("/sandbox/search/v1/listings", body{"propertyIds": []string{}}); got.Status != http.StatusBadRequest {
		t.Errorf("no hotels: status = %d, want 400", got.Status)
	}
}

func TestPreview_noExchangeRate(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	if _, err := w.owner.Exec(t.Context(), `DELETE FROM sandbox.fx_snapshots WHERE base = 'AFN' AND quote = 'USD'`); err != nil {
		t.Fatal(err)
	}
	q := w.query(city("Kabul"))
	tariffs, all := pricing.OpenTariffs(w.env), w.found(t, q, search.Recommended)
	priced := w.found(t, q, search.PriceUp)
	if len(priced) != len(all) {
		t.Errorf("%d hotels in the order of price, want %d", len(priced), len(all))
	}
	if last := priced[len(priced)-1]; last.TenantSlug == "lapis-hotel-kabul" { // the only one with prices in dollars
		t.Errorf("the hotel with a price comes last")
	}
	if priced[0].TenantSlug != "lapis-hotel-kabul" {
		t.Errorf("priced[0].TenantSlug = %q, want the hotel with prices in dollars", priced[0].TenantSlug)
	}
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
	if fallback[0] != usual[0] {
		t.Errorf("preview = %+v, want that in the hotel's own currency: %+v", fallback[0], usual[0])
	}
	days, currency, err := tariffs.Calendar(t.Context(), kabul.Property, w.nights(20, 3), "USD")
	if err != nil {
		t.Fatal(err)
	}
	if currency != kabul.Currency || len(days) != 3 {
		t.Errorf("calendar of %d days in %s, want 3 in %s", len(days), currency, kabul.Currency)
	}
}
