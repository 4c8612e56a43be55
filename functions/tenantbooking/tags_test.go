package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestETag_unchangedByErrors records an error and runs the sweep. The guest continues with the same ETag.
func TestETag_unchangedByErrors(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
	path := "/draft/" + g.Draft.String()
	seen := g.Version
	g.Platform.Change(func() { g.Platform.Down = "payment" })
	pays(g, "card").Must(t, http.StatusServiceUnavailable)
	g.Platform.Change(func() { g.Platform.Down = "" })
	g.Must(http.StatusOK, "GET", path, nil)
	check.Equal(t, g.Version, seen, "an error changed the version")
	other := `{"guest":{"firstName":"Malalai","lastName":"","email":"m@example.com","phone":"+93700123456"}}`
	g.Must(http.StatusOK, "PATCH", path, other, "If-Match", seen)
	check.NotEqual(t, g.Version, seen, "the version after another guest")
	g.Env.Advance(5 * time.Second) // an open circuit breaker probes again
	g.Pay("card").Must(http.StatusOK, "GET", path, nil)
	paying := g.Version
	g.DB.Advance(2 * time.Minute)
	sweep(t, g)
	g.Platform.Decline(g.Intent, false)
	g.Must(http.StatusPaymentRequired, "POST", path+"/return", nil)
	g.Send("GET", path, nil, "If-None-Match", paying).Want(t, http.StatusNotModified)
}

// TestReadDraft_notStoredByBrowsers reads a draft twice and changes it: no response may be stored on the disk of a shared
// computer, because it contains the guest's name.
func TestReadDraft_notStoredByBrowsers(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	named := g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona)
	read := g.Must(http.StatusOK, "GET", path, nil)
	known := g.Send("GET", path, nil, "If-None-Match", g.Version)
	known.Want(t, http.StatusNotModified)
	for name, a := range map[string]http.Header{"changed": named.Header, "read": read.Header, "known": known.Header} {
		t.Run(name, func(t *testing.T) {
			check.Equal(t, a.Get("Cache-Control"), "private, no-store")
			check.NotEqual(t, a.Get("Etag"), "", "no ETag")
		})
	}
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona)
	// Setting the same details again is no change, so the details alternate.
	guests := []string{`{"guest":{"firstName":"Malalai","lastName":"","email":"m@example.com","phone":"+93700123456"}}`, tenantbookingtest.Zarghona}
	next := 0
	for _, test := range []struct {
		match   string
		matches bool
	}{
		{match: "*", matches: true},
		{match: "%", matches: true},
		{match: "W/%", matches: true},
		{match: `"1", %`, matches: true},
		{match: `%,"1"`, matches: true},
		{match: `"xyzzy" , W/%`, matches: true},
		{match: `"1"`, matches: false},
		{match: `"1", "2"`, matches: false},
		{match: `"xyzzy"`, matches: false},
		{match: "7", matches: false},
		{match: "no tag", matches: false},
		{match: `"`, matches: false},
		{match: `W/"", ""`, matches: false},
	} {
		t.Run(test.match, func(t *testing.T) {
			match := strings.ReplaceAll(test.match, "%", g.Version)
			a := g.Send("PATCH", path, guests[next%2], "If-Match", match)
			if test.matches {
				g.Version = a.Header.Get("Etag")
				next++
			}
			a.Want(t, map[bool]int{true: http.StatusOK, false: http.StatusPreconditionFailed}[test.matches])
			if !test.matches && a.Code() != "GENERAL.VERSION_CONFLICT" {
				t.Errorf("code = %s, want GENERAL.VERSION_CONFLICT", a.Code())
			}
		})
	}
}
