package idempotency_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestSeal_unreadableAtRest(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := r.order("k-secret", `{"rooms":1}`)
	key, _, headers, response := r.look(t)
	switch {
	case bytes.Contains(response, a.Body[:10]):
		t.Errorf("in clear: bytes.Contains(response, a.Body[:10]) = true, want false")
	case bytes.Contains(headers, []byte("Location")):
		t.Errorf(`in clear: bytes.Contains(headers, []byte("Location")) = true, want false`)
	case strings.Contains(key, "secret"):
		t.Errorf("in clear: key = %q, want one without %q", key, "secret")
	}
}

func TestSeal_boundToRow(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.order("k-1", `{"rooms":1}`)
	key, _, _, response := r.look(t)
	r.order("k-2", `{"rooms":1}`)
	r.exec(t, `UPDATE reservation.idempotency SET response = @response WHERE key <> @key`, pgx.StrictNamedArgs{"response": response, "key": key})
	r.order("k-2", `{"rooms":1}`).Want(t, 500)
}

func TestSeal_rotatedKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	behind := func(keys string) fixture {
		e, issuer := fntest.Surround(t, r.db.Env())
		return fixture{r.counter, fntest.Behind(t, e.With("IDEMPOTENCY_KEYS", keys), issuer, r.function("reservation")), r.db}
	}
	first := behind(ring("old")).order("k-1", `{"rooms":1}`)
	expectReplay(t, first, behind(ring("new", "old")).order("k-1", `{"rooms":1}`))
	behind(ring("new")).order("k-1", `{"rooms":1}`).Want(t, 500)
}

func TestSeal_missingKeys(t *testing.T) {
	t.Parallel()
	r := open(t)
	for _, keys := range []string{"", "short:AAAA"} {
		t.Run(fmt.Sprintf("%q", keys), func(t *testing.T) {
			e := r.db.Env().With("IDEMPOTENCY_KEYS", keys)
			check.Got(idempotency.Open(e, postgres.Open(e, "reservation"))).Fails(t, "%q", keys)
		})
	}
}
