package tenantbooking_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/consumehandoff"
	"melmastoon.ghasi.io/functions/tenantbooking/listpolicies"
	"melmastoon.ghasi.io/functions/tenantbooking/listproperties"
	"melmastoon.ghasi.io/functions/tenantbooking/readavailability"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
)

// TestSuspended_routes calls each route of a guest at a suspended hotel: those for bookings that exist are served. The test system checks
// that the OpenAPI document names the code of each answer.
func TestSuspended_routes(t *testing.T) {
	t.Parallel()
	s, _ := tenantbookingtest.BuildWithHotels(t, append(funnel(), bootstrap.Function, changesession.Function, consumehandoff.Function, listpolicies.Function,
		listproperties.Function, readavailability.Function)...)
	g, confirmation, _ := bookByCard(t, s)
	draft := "/draft/" + g.Draft.String()
	g.Platform.Change(func() { g.Platform.Tenants[0].Status = "suspended" })
	s.DB.Advance(10 * time.Minute) // the cached tenant
	for _, test := range []struct {
		method, path, body string
		served             bool
	}{
		{method: "GET", path: "/bootstrap"},
		{method: "POST", path: "/handoff/consume", body: `{}`},
		{method: "PATCH", path: "/session", body: `{}`},
		{method: "GET", path: "/policies"},
		{method: "GET", path: "/properties"},
		{method: "GET", path: "/availability"},
		{method: "POST", path: "/quote", body: `{}`},
		{method: "POST", path: "/hold", body: `{}`},
		{method: "PATCH", path: draft, body: `{}`},
		{method: "POST", path: draft + "/payment-intent", body: `{"method":"card"}`},
		{method: "PATCH", path: confirmation, body: `{}`},
		{method: "POST", path: confirmation + "/payment", body: toPay("card", 10000)},
		{method: "POST", path: confirmation + "/payment", body: `{}`, served: true},
		{method: "GET", path: draft, served: true},
		{method: "POST", path: draft + "/return", served: true},
		{method: "POST", path: draft + "/confirm", served: true},
		{method: "GET", path: confirmation, served: true},
		{method: "POST", path: confirmation + "/cancel", body: `{"dryRun":true}`, served: true},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			var body any
			if test.body != "" {
				body = test.body
			}
			a := g.Send(test.method, test.path, body)
			if test.served {
				a.Want(t, http.StatusOK)
				return
			}
			a.WantProblem(t, http.StatusServiceUnavailable, "TENANT.SUSPENDED", "Retry-After", "300")
		})
	}
}
