package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// TestQuote_pastArrival: at 00:20 at the property a guest can no longer get a quote for the night that has begun, which the front desk
// still sells. A property that cannot be read does not prevent a quote.
func TestQuote_pastArrival(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, funnel()...)
	system.AdvanceTo(19, 50)
	g := system.Guest(0)
	utc := stay.DateOf(system.Env.Now().UTC())
	ask := func(days int) string {
		body := strings.Replace(g.QuoteBody(), "ppt_01J8KABG000000000000000PPT", hotels.Property.ID.String(), 1)
		return strings.Replace(body, `"checkIn":"`+utc.String(), `"checkIn":"`+utc.AddDays(days).String(), 1)
	}
	for days, want := range map[int]int{-1: 400, 0: 400, 1: 201} {
		t.Run(fmt.Sprint(days), func(t *testing.T) {
			a := g.Send("POST", "/quote", ask(days))
			if a.Status != want || want == 400 && a.Problem().Violations[0].Pointer != "/stayWindow/checkIn" {
				t.Errorf("%d days from the date in UTC: got %d %s, want %d", days, a.Status, a.Body, want)
			}
		})
	}
	hotels.SetBehavior("property", upstreamtest.Failing)
	system.DB.Advance(time.Hour) // past the cached property
	g = system.Guest(0)
	g.Must(http.StatusCreated, "POST", "/quote", ask(0))
}

// TestChange_pastArrival moves a stay to a day that is over at the property.
func TestChange_pastArrival(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, funnel()...)
	system.AdvanceTo(9, 50)
	g := system.Guest(0)
	hotels.Property.TimeZone = "Asia/Kabul"
	utc := stay.DateOf(system.Env.Now().UTC())
	body := strings.Replace(g.QuoteBody(), "ppt_01J8KABG000000000000000PPT", hotels.Property.ID.String(), 1)
	g.Must(http.StatusCreated, "POST", "/quote", strings.Replace(body, `"checkIn":"`+utc.String(), `"checkIn":"`+utc.AddDays(1).String(), 1))
	g.Hold().SetGuest().Pay("card")
	system.Platform.Pay(g.Intent, true)
	g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", `{}`)
	path := "/confirmation/" + g.Stay.String()
	for days, want := range map[int]int{-1: 400, 0: 200} {
		t.Run(fmt.Sprint(days), func(t *testing.T) {
			in := fmt.Sprintf(`{"stayWindow":{"checkIn":%q,"checkOut":%q},"dryRun":true}`, utc.AddDays(days), utc.AddDays(days+1))
			a := g.Send("PATCH", path, in)
			if a.Status != want || want == 400 && a.Problem().Violations[0].Pointer != "/stayWindow/checkIn" {
				t.Errorf("%d days from today: got %d %s, want %d", days, a.Status, a.Body, want)
			}
		})
	}
}
