package roundtrips

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// ask sends a request of another service and counts its cost.
func (k *walk) ask(status int, r system.Request) system.Answer {
	k.t.Helper()
	if r.Header == nil {
		r.Header = map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}
	}
	r.Header["X-Request-Id"] = k.request()
	return k.Must(status, r)
}

// learned fails the test if an answer lacks expected data.
func (k *walk) learned(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// reserve sends the requests of other services and of hotel staff to the reservation service.
func (k *walk) reserve() {
	k.t.Helper()
	w := k.wish()
	w.From += 3 // no other booking arrives on that day
	for range k.rows - 1 {
		k.Book(w).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	}
	b := system.Guest(w, k.Env().Now())
	k.count("reservation-quote", func() { k.learned(b.LearnQuote(k.ask(http.StatusCreated, b.QuoteRequest(system.Key())))) })
	k.count("reservation-hold", func() { k.learned(b.LearnHold(k.ask(http.StatusCreated, b.HoldRequest(system.Key())))) })
	at := "/api/v1/reservations/" + b.ReservationID
	k.count("reservation-setguest", func() {
		k.ask(http.StatusOK, system.Request{Method: http.MethodPut, Path: at + "/guest", Key: system.Key(), Body: map[string]any{
			"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z@example.com", "phone": "+93700123456", "locale": "ps-AF"}})
	})
	k.learned(b.LearnIntent(k.Must(http.StatusCreated, b.IntentRequest("cash_on_arrival"))))
	k.count("reservation-addspecialrequest", func() {
		k.ask(http.StatusCreated, system.Request{Method: http.MethodPost, Path: at + "/special-requests", Key: system.Key(), Body: map[string]any{
			"tags": []string{"cot"}, "locale": "en", "source": "staff"}})
	})
	k.count("reservation-confirm", func() { k.ask(http.StatusOK, b.ConfirmRequest("cash_on_arrival", system.Key())) })
	k.again("reservation-read", func() { k.ask(http.StatusOK, b.ReadRequest()) })
	k.lists(b, k.date(w.From))
	k.party()
	k.count("reservation-cancel", func() {
		k.ask(http.StatusOK, system.Request{Method: http.MethodPost, Path: at + "/cancel", Key: system.Key(), Body: map[string]any{"reasonCode": "guest_cancelled"}})
	})
}

// party books as many rooms in one reservation as there are rows.
func (k *walk) party() {
	k.t.Helper()
	w := k.wish()
	w.From, w.Rooms = w.From+5, k.rows
	b := system.Guest(w, k.Env().Now())
	k.count("reservation-quote for a party", func() { k.learned(b.LearnQuote(k.ask(http.StatusCreated, b.QuoteRequest(system.Key())))) })
	k.count("reservation-hold for a party", func() { k.learned(b.LearnHold(k.ask(http.StatusCreated, b.HoldRequest(system.Key())))) })
	var held struct{ Items []any }
	k.again("reservation-read of a party", func() { k.ask(http.StatusOK, b.ReadRequest()).Into(k.t, &held) })
	k.sizes["rooms of a party"] = len(held.Items)
}

func (k *walk) lists(b *system.Booking, arriving string) {
	k.t.Helper()
	var found struct {
		Reservations []struct{ StayWindow struct{ Start string } }
	}
	for name, query := range map[string]url.Values{
		"reservation-find by code":  {"code": {b.Code}},
		"reservation-find in house": {"inHouse": {b.Property}},
		"reservation-find arrivals": {"arrivals": {b.Property}, "date": {arriving}, "limit": {"100"}}, // with the awaited guests of earlier walks
	} {
		found.Reservations = nil
		arrivals := 0
		k.again(name, func() {
			k.ask(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/api/v1/reservations?" + query.Encode()}).Into(k.t, &found)
		})
		if query.Has("arrivals") {
			for _, r := range found.Reservations {
				if r.StayWindow.Start == arriving { // not a guest of another walk who is still awaited
					arrivals++
				}
			}
			k.sizes["arrivals"] = arrivals
		}
	}
}

// refuse makes a payment fail permanently, which publishes events.
func (k *walk) refuse() {
	k.t.Helper()
	failed := k.Book(k.wish()).Intend("card")
	for range 5 {
		failed.Press("decline")
	}
	k.Quiet()
}

// late pays for rooms that another guest has booked since, which publishes events.
func (k *walk) late() {
	k.t.Helper()
	all := k.wish()
	all.Room, all.Rooms = 2, demo.KabulGrand.Rooms[2].Units
	lost := k.Book(all).Intend("card")
	k.Quiet()
	k.Advance(lost.ExpiresAt.Sub(k.Env().Now()) + time.Second)
	k.Book(all).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	lost.Press("pay")
	k.Quiet()
}

// revoked revokes the session of a guest.
func (k *walk) revoked(g guest) {
	k.t.Helper()
	k.ask(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/sessions/" + g.Session() + "/revoke",
		Body: map[string]any{"tenantId": demo.KabulGrand.Tenant.String(), "reason": "asked for"}})
}

// changes makes changes of a hotel at other services, which publish events to services that cache the data.
func (k *walk) changes() {
	k.t.Helper()
	tenant := demo.KabulGrand.Tenant.String()
	for _, r := range []system.Request{
		{Method: http.MethodPost, Path: "/sandbox/theme/v1/tenants/" + tenant + "/theme/publish", Body: map[string]any{"tokens": demo.KabulGrand.Theme.Tokens}},
		{Method: http.MethodPatch, Path: "/sandbox/tenant/v1/tenants/" + tenant + "/config", Body: map[string]any{"brandTagline": fmt.Sprint("At home in Kabul, ", k.day),
			"settings": map[string]any{"holdTtlSeconds": 600, "noShowGraceHours": 6, "cancellationPolicyVersion": k.day}}},
		{Method: http.MethodPost, Path: "/sandbox/pricing/v1/rate-plans/" + demo.KabulGrand.Rooms[1].Saver.ID.String() + "/publish",
			Body: map[string]any{"weekdayMicro": []string{"4000000000", "4000000000", "4000000000", "4000000000", "4000000000", "4000000000", "4000000000"}}},
		{Method: http.MethodPost, Path: "/sandbox/search/v1/listings/" + demo.KabulGrand.Property.String() + "/index"},
		{Method: http.MethodPost, Path: "/sandbox/tenant/v1/tenants/" + tenant + "/suspend", Body: map[string]any{"reason": "a test"}},
		{Method: http.MethodPost, Path: "/sandbox/tenant/v1/tenants/" + tenant + "/reinstate"},
	} {
		r.Header = map[string]string{"X-Tenant-Id": tenant}
		a, err := k.Do(k.t.Context(), r)
		if err != nil || a.Status/100 != 2 {
			k.t.Fatalf("%s %s: %d %s, %v", r.Method, r.Path, a.Status, a.Body, err)
		}
		k.Quiet()
	}
}
