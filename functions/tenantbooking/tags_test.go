package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
)

// TestETag_unchangedByErrors records an error and runs the sweep. The guest continues with the same ETag.
func TestETag_unchangedByErrors(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
	path := "/draft/" + g.Draft.String()
	seen := g.Version
	g.Platform.Change(func() { g.Platform.Down = "payment" })
	if a := pays(g, "card"); a.Status != http.StatusServiceUnavailable {
		t.Fatalf("got %d %s", a.Status, a.Body)
	}
	g.Platform.Change(func() { g.Platform.Down = "" })
	if g.Must(http.StatusOK, "GET", path, nil); g.Version != seen {
		t.Errorf("the note of an error made %s out of %s", g.Version, seen)
	}
	other := `{"guest":{"firstName":"Malalai","lastName":"","email":"m@example.com","phone":"+93700123456"}}`
	if g.Must(http.StatusOK, "PATCH", path, other, "If-Match", seen); g.Version == seen {
		t.Errorf("another guest has the tag of the one before, %s", seen)
	}
	g.Env.Advance(5 * time.Second) // an open circuit breaker probes again
	g.Pay("card").Must(http.StatusOK, "GET", path, nil)
	paying := g.Version
	g.DB.Advance(2 * time.Minute)
	sweep(t, g)
	g.Platform.Decline(g.Intent, false)
	g.Must(http.StatusPaymentRequired, "POST", path+"/return", nil)
	if a := g.Send("GET", path, nil, "If-None-Match", paying); a.Status != http.StatusNotModified {
		t.Errorf("looked at and declined, it is another: %d %s, was %s", a.Status, a.Header.Get("Etag"), paying)
	}
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
	if known.Status != http.StatusNotModified {
		t.Errorf("unchanged, got %d", known.Status)
	}
	for name, a := range map[string]http.Header{"changed": named.Header, "read": read.Header, "known": known.Header} {
		t.Run(name, func(t *testing.T) {
			if got := a.Get("Cache-Control"); got != "private, no-store" {
				t.Errorf("got Cache-Control %q, want private, no-store", got)
			}
			if a.Get("Etag") == "" {
				t.Error("got no ETag")
			}
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
			if want := map[bool]int{true: http.StatusOK, false: http.StatusPreconditionFailed}[test.matches]; a.Status != want {
				t.Errorf("status = %d %s, want %d", a.Status, a.Code(), want)
			}
			if !test.matches && a.Code() != "GENERAL.VERSION_CONFLICT" {
				t.Errorf("code = %s, want GENERAL.VERSION_CONFLICT", a.Code())
			}
		})
	}
}
