package idempotency_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// forgetful is a schema in which the application may forget.
const forgetful = "bff_consumer"

// forget forgets a caller of tenant A.
func (r fixture) forget(t *testing.T, caller string) {
	t.Helper()
	tenant, err := id.Parse[id.Tenant](tenantA)
	check.Must(t, err)
	err = postgres.Open(r.db.Env(), forgetful).InTx(t.Context(), func(tx postgres.Tx) error {
		_, err := idempotency.Forget(t.Context(), tx, forgetful, tenant, caller)
		return err
	})
	check.Must(t, err)
}

func TestForget_runsAgain(t *testing.T) {
	t.Parallel()
	r := openIn(t, forgetful)
	r.order("k-1", `{"rooms":1}`)
	r.order("k-2", `{"rooms":1}`)
	r.order("k-1", `{"rooms":1}`, "X-Caller", "somebody else")
	r.order("k-1", `{"rooms":1}`, "X-Tenant-Id", tenantB)
	r.forget(t, "desk")
	for what, headers := range map[string][]string{
		"another caller":               {"X-Caller", "somebody else"},
		"the same of another tenant's": {"X-Tenant-Id", tenantB},
	} {
		t.Run(what, func(t *testing.T) {
			if a := r.order("k-1", `{"rooms":1}`, headers...); a.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s was forgotten, too", what)
			}
		})
	}
	for _, key := range []string{"k-1", "k-2"} {
		t.Run(key, func(t *testing.T) {
			if a := r.order(key, `{"rooms":2}`); a.Status != 201 || a.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%s is remembered: %d %s", key, a.Status, a.Body)
			}
		})
	}
}

func TestForget_duringCall(t *testing.T) {
	t.Parallel()
	r, g := openIn(t, forgetful), newPausedAct(t)
	r.answer = g.answer
	first := make(chan fntest.Answer)
	go func() { first <- r.order("k-1", `{"rooms":1}`) }()
	g.wait(t)
	r.forget(t, "desk")
	g.resume()
	if a := <-first; a.Status != 201 || a.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	var kept int
	if err := r.db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_consumer.idempotency`).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d answers are kept, %v", kept, err)
	}
}

// TestLedger_doesNotStoreCookies repeats a request whose first answer had a cookie of the middleware: each answer has only its
// own cookies.
func TestLedger_doesNotStoreCookies(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.order("k-1", `{"rooms":1}`, "X-Cookie", "first")
	check.Equal(t, first.Header.Values("Set-Cookie"), []string{"door=first"}, "first")
	for _, now := range []string{"", "second"} {
		t.Run(fmt.Sprintf("%q", now), func(t *testing.T) {
			again := r.order("k-1", `{"rooms":1}`, "X-Cookie", now)
			var want []string
			if now != "" {
				want = []string{"door=" + now}
			}
			if got := again.Header.Values("Set-Cookie"); again.Header.Get("Idempotent-Replayed") != "true" || !slices.Equal(got, want) {
				t.Errorf("again: %v, want %v", again.Header, want)
			}
		})
	}
}

// TestLedger_keepsNoCookies repeats a request whose act began a session: the session is for the first browser only.
func TestLedger_keepsNoCookies(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.answer = func(_ context.Context, c confirmation) (confirmation, error) {
		c.Reply = c.Reply.Keep(&http.Cookie{Name: "session", Value: "of-the-first"})
		return c, nil
	}
	first, again := r.order("k-1", `{"rooms":1}`), r.order("k-1", `{"rooms":1}`)
	check.Equal(t, first.Header.Get("Set-Cookie"), "session=of-the-first", "first: Set-Cookie")
	switch got := again.Header.Get("Set-Cookie"); {
	case again.Header.Get("Idempotent-Replayed") != "true":
		t.Errorf(`again: again.Header.Get("Idempotent-Replayed") = %q, want "true"`, again.Header.Get("Idempotent-Replayed"))
	case got != "":
		t.Errorf(`again: got = %q, want ""`, got)
	case string(again.Body) != string(first.Body):
		t.Errorf("again: string(again.Body) = %v, want %v", string(again.Body), string(first.Body))
	}
}

// TestLedger_continueAs repeats a request after which the browser continues as another caller: each replay has that caller's
// cookie, and none of the middleware's for the previous caller.
func TestLedger_continueAs(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.answer = func(_ context.Context, c confirmation) (confirmation, error) {
		c.Reply = c.Reply.ContinueAs("another")
		return c, nil
	}
	for _, replayed := range []string{"", "true"} {
		t.Run(fmt.Sprintf("%q", replayed), func(t *testing.T) {
			a := r.order("k-1", `{"rooms":1}`, "X-Cookie", "before")
			if got := a.Header.Values("Set-Cookie"); a.Header.Get("Idempotent-Replayed") != replayed || !slices.Equal(got, []string{"door=another"}) {
				t.Errorf("replayed %q: %v", replayed, a.Header)
			}
		})
	}
}

// TestLedger_anonymousCallersShareNothing repeats a request of a caller without a session: each call is an act of its own.
func TestLedger_anonymousCallersShareNothing(t *testing.T) {
	t.Parallel()
	r := open(t)
	first, again := r.order("k-1", `{"rooms":1}`, "X-Caller", ""), r.order("k-1", `{"rooms":1}`, "X-Caller", "")
	switch {
	case first.Status != 201:
		t.Errorf("first.Status = %v, want 201", first.Status)
	case again.Status != 201:
		t.Errorf("again.Status = %v, want 201", again.Status)
	case again.Header.Get("Idempotent-Replayed") != "":
		t.Errorf(`again.Header.Get("Idempotent-Replayed") = %q, want ""`, again.Header.Get("Idempotent-Replayed"))
	case string(again.Body) == string(first.Body):
		t.Errorf("string(again.Body) = %v, want other than %v", string(again.Body), string(first.Body))
	}
	r.Post("/orders", `{"rooms":1}`, "X-Tenant-Id", tenantA).WantProblem(t, 400, "GENERAL.IDEMPOTENCY_KEY_REQUIRED")
}
