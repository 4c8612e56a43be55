package tenantbooking_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// quoteBody returns a request for that many rooms and nights, with one adult in each room.
func quoteBody(g *tenantbookingtest.Guest, rooms, nights int) string {
	end := func(n int) string { return `"checkOut":"` + g.Env.Now().AddDate(0, 0, n).Format("2006-01-02") + `"` }
	w := strings.Replace(g.QuoteBody(), end(2), end(nights), 1)
	return strings.Replace(w, `{"adults":2,"children":0,"rooms":1}`, fmt.Sprintf(`{"adults":%d,"children":0,"rooms":%[1]d}`, rooms), 1)
}

// TestHold_quota shows what each hold sends to the reservation service, which counts the room nights.
func TestHold_quota(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		addresses string // RATE_LIMIT_ADDRESS
		settings  func(*hotel.Settings)
		want      tenantbookingtest.Quota
	}{
		{"defaults", "off", nil, tenantbookingtest.Quota{RoomNights: 60, AddressRoomNights: 300}},
		{"addresses", "50/200", nil, tenantbookingtest.Quota{Address: "sha256:", RoomNights: 60, AddressRoomNights: 300}},
		{"settings", "off", func(s *hotel.Settings) { s.MaxSessionRoomNights, s.MaxAddressRoomNights = 7, 8 }, tenantbookingtest.Quota{RoomNights: 7, AddressRoomNights: 8}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := tenantbookingtest.Build(t)
			s.Front = fntest.Behind(t, s.Env.With("RATE_LIMIT_ADDRESS", test.addresses).With("FORWARDED_HOPS", "1"), s.Front.Issuer(), quote.Function, hold.Function)
			if test.settings != nil {
				s.Platform.Change(func() { test.settings(&s.Platform.Tenants[0].Settings) })
			}
			var addresses []string
			for _, from := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:1::1"} {
				g := s.Guest(0)
				g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(), "X-Forwarded-For", from)
				g.Must(http.StatusCreated, "POST", "/hold", g.HoldBody(), "X-Forwarded-For", from)
			}
			for _, stay := range s.Platform.Stays() {
				got := stay.Quota
				if !slices.Contains(addresses, got.Address) {
					addresses = append(addresses, got.Address)
				}
				if got.Address != "" {
					got.Address = got.Address[:len("sha256:")]
				}
				check.Equal(t, got, test.want, "quota")
			}
			want := 1
			if test.want.Address != "" {
				want = 2 // two clients are in one network
			}
			check.Equal(t, len(addresses), want, "pseudonyms of addresses")
		})
	}
}

func TestHold_tooMuchHeld(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function)
	g := s.Guest(0).RequestQuote()
	s.Platform.Change(func() { s.Platform.TooMuchHeld = true })
	for range 12 { // attempts do not count, because the guest may repeat them
		g.Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody()).WantProblem(t, http.StatusTooManyRequests, "GENERAL.RATE_LIMITED", "Retry-After", "77")
	}
	s.Platform.Change(func() { s.Platform.TooMuchHeld = false })
	g.Hold()
}

func TestHold_limitsOfRoomNights(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function)
	hold := func(g *tenantbookingtest.Guest, rooms, nights int) fntest.Answer {
		g.Must(http.StatusCreated, "POST", "/quote", quoteBody(g, rooms, nights))
		return g.Send("POST", "/hold", g.HoldBody())
	}
	g := s.Guest(0)
	for _, test := range []struct {
		rooms, nights int
		pointer       string
	}{{1, 31, "/stayWindow/checkOut"}, {9, 366, "/stayWindow/checkOut"}, {9, 7, "/occupancy/rooms"}} {
		t.Run(fmt.Sprintf("%d_rooms_%d_nights", test.rooms, test.nights), func(t *testing.T) {
			a := g.Send("POST", "/quote", quoteBody(g, test.rooms, test.nights))
			a.Want(t, http.StatusBadRequest)
			a.WantText(t, `"pointer":"`+test.pointer+`"`)
		})
	}
	s.Platform.Change(func() { // the second tenant sets its own limits
		s.Platform.Tenants[1].Settings.MaxStayNights, s.Platform.Tenants[1].Settings.MaxSessionRoomNights = 90, 200
	})
	hold(s.Guest(1), 2, 90).Want(t, http.StatusCreated)
}
