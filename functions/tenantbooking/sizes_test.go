package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/readavailability"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestSizes_capacityModel measures the objects of terraform/CAPACITY.md in bytes, in one booking of a guest with long names and texts,
// several errors, prices and payments.
func TestSizes_capacityModel(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	system, hotels := tenantbookingtest.BuildWithHotels(t, append(site(), readavailability.Function)...)
	publishAllSteps(t, system)
	g := system.Guest(0)
	long := strings.Repeat("k", 100) // the maximum stored length
	campaign := []string{"X-Campaign-Source", long, "X-Campaign-Medium", long, "X-Campaign-Name", long}
	boot := g.Must(http.StatusOK, "GET", "/bootstrap?h="+system.Link(0).Reveal(), nil, campaign...)
	g.Must(http.StatusOK, "PATCH", "/session", `{"locale":"fa-AF","currency":"USD"}`)
	search := hotels.Search(system.Env.Now(), 3)
	available := g.Must(http.StatusOK, "GET", "/availability?propertyId="+search.Property.String()+"&checkIn="+search.Stay.CheckIn.String()+
		"&checkOut="+search.Stay.CheckOut.String()+"&adults=2&children=0&rooms=1", nil)
	g.RequestQuote()
	for range 20 { // the draft keeps the latest errors and steps
		g.Send("POST", "/hold", strings.Replace(g.HoldBody().(string), g.Quote.String(), "qte_01J8KABG000000000000000QTE", 1))
		g.Hold()
		g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`))
		system.DB.Advance(time.Minute)
	}
	g.Hold()
	name := strings.Repeat("ز", 80)
	g.Must(http.StatusOK, "PATCH", "/draft/"+g.Draft.String(), `{"guest":{"firstName":"`+name+`","lastName":"`+name+`","email":"`+
		strings.Repeat("z", 60)+`@example.com","phone":"+93700123456","specialRequests":"`+strings.Repeat("خ", 500)+`"}}`)
	g.Pay("card")
	session, err := json.Marshal(stored(t, g))
	check.Must(t, err)
	row := func(aggregate, table string) (size int) {
		t.Helper()
		err := system.DB.Owner(t).QueryRow(t.Context(), `SELECT COALESCE(`+aggregate+`(pg_column_size(r.*))::int, 0) FROM bff_tenant_booking.`+table+` AS r`).Scan(&size)
		check.Must(t, err)
		return size
	}
	var draft int
	check.Must(t, system.DB.Owner(t).QueryRow(t.Context(), `SELECT length(body::text) FROM bff_tenant_booking.booking_drafts`).Scan(&draft))
	g.Platform.Pay(g.Intent, false)
	g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
	for _, test := range []struct {
		object     string
		got, limit int
	}{
		{"session", len(session), 8 * kib},
		{"draft", draft, 10 * kib},
		{"bootstrap", len(boot.Body), 80 * kib},
		{"availability", len(available.Body), 10 * kib},
		{"outbox row, mean", row("avg", "outbox"), 2 * kib},
		{"snapshot row", row("max", "booking_draft_snapshots"), 3 * kib},
		{"arrival row", row("max", "handoff_arrival_log"), kib},
		{"idempotency row, mean", row("avg", "idempotency"), 2 * kib},
	} {
		t.Run(test.object, func(t *testing.T) {
			t.Logf("%s: %d bytes, limit %d", test.object, test.got, test.limit)
			check.NotEqual(t, test.got, 0, "not measured")
			if test.got > test.limit {
				t.Errorf("%d bytes, want at most %d", test.got, test.limit)
			}
		})
	}
}
