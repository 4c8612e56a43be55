package tenantbooking_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/listpolicies"
	"melmastoon.ghasi.io/functions/tenantbooking/listproperties"
	"melmastoon.ghasi.io/functions/tenantbooking/readavailability"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A recorder keeps the deadline of each call to another service, and the start of each call of a function.
type recorder struct {
	mu        sync.Mutex
	deadlines map[string]time.Time // the latest deadline, by the service's address
	endless   []string
	log       bytes.Buffer
}

// RoundTrip records the deadline of a call.
func (e *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	until, ok := r.Context().Deadline()
	e.mu.Lock()
	if !ok {
		e.endless = append(e.endless, r.URL.Path)
	}
	if until.After(e.deadlines[r.URL.Path]) {
		e.deadlines[r.URL.Path] = until
	}
	e.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// Write stores a line of the log.
func (e *recorder) Write(line []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Write(line)
}

// began returns the start and the function of the last call in the log.
func (e *recorder) began(t *testing.T) (function string, began time.Time) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(e.log.String()), "\n")
	var line struct {
		Function string    `json:"function"`
		Time     time.Time `json:"time"`
	}
	check.Must(t, json.Unmarshal([]byte(lines[len(lines)-1]), &line))
	return line.Function, line.Time
}

// TestDeadlines_withinBudget compares the deadline of each call to another service with the deadline of
// the function that makes it. The test measures no time, so a busy machine does not affect it.
func TestDeadlines_withinBudget(t *testing.T) {
	t.Parallel()
	const grace = 50 * time.Millisecond // the contract's
	fs := append(funnel(), bootstrap.Function, readavailability.Function, listpolicies.Function, listproperties.Function)
	budgets := map[string]fn.Spec{}
	for _, f := range fs {
		budgets[f.Spec.Name] = f.Spec
	}
	db, hotels, seen := pgtest.New(t), tenantbookingtest.OpenHotels(t), &recorder{deadlines: map[string]time.Time{}}
	system := tenantbookingtest.BuildOn(t, db, upstream.TransportKey.With(hotels.Around(db.Env()), seen), fs...)
	hotels.Property.Tenant = system.Platform.Tenants[0].ID
	e, issuer := fntest.Surround(t, system.Env)
	system.Front = fntest.Behind(t, observe.LogKey.With(e, observe.To(seen)), issuer, fs...)
	asked := map[string]int{}
	verify := func() {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		name, began := seen.began(t)
		for path, until := range seen.deadlines {
			asked[name]++
			if most := e.Timeout(budgets[name].Timeout + grace); until.Sub(began) > most || budgets[name].Timeout == 0 {
				t.Errorf("%s waits for %s for %v, has %v", name, path, until.Sub(began), budgets[name].Timeout)
			}
		}
		if len(seen.endless) > 0 {
			t.Errorf("%s calls %v without a deadline", name, seen.endless)
		}
		clear(seen.deadlines)
	}
	g := system.Guest(0)
	search := hotels.Search(system.Env.Now(), 1)
	for _, step := range []func(){
		func() { g.Must(200, "GET", "/bootstrap", nil) },
		func() {
			g.Must(200, "GET", "/availability?propertyId="+search.Property.String()+"&checkIn="+search.Stay.CheckIn.String()+"&checkOut="+search.Stay.CheckOut.String()+"&adults=2", nil)
		},
		func() { system.DB.Advance(time.Hour); g.Must(200, "GET", "/policies", nil) },
		func() { g.Must(200, "GET", "/properties", nil) },
		func() { g.RequestQuote() }, func() { g.Hold() }, func() { g.SetGuest() }, func() { g.Pay("card") },
		func() {
			g.Platform.Pay(g.Intent, false)
			g.Must(200, "POST", "/draft/"+g.Draft.String()+"/return", nil)
		},
		func() { g.Must(200, "GET", "/confirmation/"+g.Stay.String(), nil) },
		func() { g = system.Guest(0).RequestQuote() }, func() { g.Hold() }, func() { g.SetGuest() }, func() { g.Pay("cash_on_arrival") },
		func() { g.Must(200, "POST", "/draft/"+g.Draft.String()+"/confirm", nil) },
		func() {
			g.Must(200, "PATCH", "/confirmation/"+g.Stay.String(), `{"specialRequest":{"tags":["cot"]}}`)
		},
		func() { g.Must(200, "POST", "/confirmation/"+g.Stay.String()+"/cancel", "{}") },
		func() { g = system.Guest(0).RequestQuote() }, func() { g.Hold() },
		func() { g.Must(204, "DELETE", "/draft/"+g.Draft.String(), nil) },
		func() { g = system.Guest(0).RequestQuote() }, func() { g.Hold() }, func() { g.SetGuest() }, func() { g.Pay("card") },
		func() { system.DB.Advance(31 * time.Minute); sweep(t, g) },
	} {
		step()
		verify()
	}
	for _, name := range []string{"bootstrap", "readavailability", "listpolicies", "listproperties", "quote", "hold", "openintent", "confirmpayment", "confirmcash", "readconfirmation", "change", "cancel", "abandondraft", "sweepdrafts"} {
		t.Run(name, func(t *testing.T) {
			check.NotEqual(t, asked["tenantbooking-"+name], 0, "called no other service, so nothing was tested")
		})
	}
}
