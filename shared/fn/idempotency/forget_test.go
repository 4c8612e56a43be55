package idempotency_test

import (
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/fn/idempotency"
	"melmastoon.ghasi.io/shared/fntest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/postgres"
)

// forgetful is a schema in which the application may forget.
const forgetful = "bff_consumer"

// forget forgets a caller of tenant A.
func (r rig) forget(t *testing.T, caller string) {
	t.Helper()
	tenant, err := id.Parse[id.Tenant](tenantA)
	if err != nil {
		t.Fatal(err)
	}
	err = postgres.Open(r.db.Env(), forgetful).InTx(t.Context(), func(tx postgres.Tx) error {
		return idempotency.Forget(t.Context(), tx, forgetful, tenant, caller)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestACallerWhoIsForgottenIsAnsweredAnew(t *testing.T) {
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
		if a := r.order("k-1", `{"rooms":1}`, headers...); a.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s was forgotten, too", what)
		}
	}
	for _, key := range []string{"k-1", "k-2"} {
		if a := r.order(key, `{"rooms":2}`); a.Status != 201 || a.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s is remembered: %d %s", key, a.Status, a.Body)
		}
	}
}

func TestACallerWhoIsForgottenMeanwhileIsAnsweredAndNotRemembered(t *testing.T) {
	t.Parallel()
	r, g := openIn(t, forgetful), newGate()
	r.answer = g.answer
	first := make(chan fntest.Answer)
	go func() { first <- r.order("k-1", `{"rooms":1}`) }()
	<-g.entered
	r.forget(t, "desk")
	close(g.opened)
	if a := <-first; a.Status != 201 || a.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	var kept int
	if err := r.db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_consumer.idempotency`).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d answers are kept, %v", kept, err)
	}
}

// TestADoorsCookieIsNotKept repeats a request whose first answer came with a cookie of the door: each telling has its own or
// none.
func TestADoorsCookieIsNotKept(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.order("k-1", `{"rooms":1}`, "X-Cookie", "first")
	if got := first.Header.Values("Set-Cookie"); !slices.Equal(got, []string{"door=first"}) {
		t.Errorf("first: %v", got)
	}
	for _, now := range []string{"", "second"} {
		again := r.order("k-1", `{"rooms":1}`, "X-Cookie", now)
		var want []string
		if now != "" {
			want = []string{"door=" + now}
		}
		if got := again.Header.Values("Set-Cookie"); again.Header.Get("Idempotent-Replayed") != "true" || !slices.Equal(got, want) {
			t.Errorf("again: %v, want %v", again.Header, want)
		}
	}
}
