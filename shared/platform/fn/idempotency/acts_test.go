package idempotency_test

import (
	"context"
	"sync"
	"testing"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// limited is a fixture whose function allows two acts in a row.
func limited(t *testing.T) fixture {
	t.Helper()
	db, n := pgtest.New(t), &counter{}
	e, issuer := fntest.Surround(t, db.Env())
	e = e.With("RATE_LIMIT_SESSION", "1000/1000")
	f := n.with("reservation", fn.Spec{Acts: ratelimit.Rates{Session: ratelimit.Rate{PerSecond: 0.001, Burst: 2}}})
	return fixture{n, fntest.Behind(t, e, issuer, f), db}
}

// TestActs_countOnce shows that the limit of acts counts no request that is not an act of its own.
func TestActs_countOnce(t *testing.T) {
	t.Parallel()
	r := limited(t)
	statuses := map[int]int{}
	var mu sync.Mutex
	var crowd sync.WaitGroup
	for range 16 {
		crowd.Go(func() {
			a := r.order("k-1", `{"rooms":1}`)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	crowd.Wait()
	if statuses[201] == 0 || statuses[201]+statuses[409] != 16 {
		t.Errorf("one key at once: %v, want the answer, or 409 while it is made", statuses)
	}
	for range 10 {
		if a := r.order("k-1", `{"rooms":1}`); a.Status != 201 {
			t.Errorf("a replay: got %d %s", a.Status, a.Body)
		}
		if a := r.order("k-bad", `{"rooms":`); a.Status != 400 {
			t.Errorf("a malformed body: got %d %s", a.Status, a.Body)
		}
	}
	if a := r.order("k-2", `{"rooms":1}`); a.Status != 201 {
		t.Errorf("the second act: got %d %s", a.Status, a.Body)
	}
	if a := r.order("k-3", `{"rooms":1}`); a.Status != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("the third act: got %d %s", a.Status, a.Body)
	}
	if a := r.order("k-3", `{"rooms":1}`, "X-Caller", "another"); a.Status != 201 {
		t.Errorf("the act of another session: got %d %s", a.Status, a.Body)
	}
}

// TestActs_failedAttempts shows that an attempt that came to nothing does not count, since the same act is tried again.
func TestActs_failedAttempts(t *testing.T) {
	t.Parallel()
	r := limited(t)
	r.answer = func(context.Context, confirmation) (confirmation, error) { return confirmation{}, fault.ErrUnavailable }
	for range 10 {
		if a := r.order("k-1", `{"rooms":1}`); a.Status != 503 {
			t.Fatalf("got %d %s", a.Status, a.Body)
		}
	}
	r.answer = nil
	for _, key := range []string{"k-1", "k-2"} {
		t.Run(key, func(t *testing.T) {
			if a := r.order(key, `{"rooms":1}`); a.Status != 201 {
				t.Errorf("%s: got %d %s", key, a.Status, a.Body)
			}
		})
	}
}
