package fn_test

import (
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
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
		if a.Status != 201 && (a.Status < 400 || a.Status > 499 || a.Problem().Status != a.Status) {
			t.Errorf("%q, %q: got %d %s", body, query, a.Status, a.Body)
		}
	})
}
