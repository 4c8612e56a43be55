package fn_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// FuzzBody looks for a body that is neither taken nor refused in the caller's terms: a 500 is a mistake of ours.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{right, `{}`, `[]`, `null`, `{"guest":{"name":"\u0000"},"nights":[{"date":null}],"note":{}}`, `{"a":[{"b":[1,"x",true]}]}`, "\xff", `{"guest":`} {
		f.Add(seed, "rooms=1")
	}
	front := fntest.Open(f, env.Of(nil), bookFunction)
	f.Fuzz(func(t *testing.T, body, query string) {
		r := front.Request(t, "POST", bookings, body)
		r.URL.RawQuery = query
		a := front.Serve(r)
		if a.Status == http.StatusCreated {
			return
		}
		if a.Status/100 != 4 {
			t.Errorf("%q, %q: status = %d, want 201 or 4xx; %s", body, query, a.Status, a.Body)
		}
		check.Equal(t, a.Problem().Status, a.Status, "%q, %q: the problem's status", body, query)
	})
}
