package idempotency_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// order is a request; its answer depends on the act and on how often it ran.
type order struct {
	Rooms int    `json:"rooms"`
	Note  string `json:"note,omitzero"`
	Range string `header:"X-Range,optional"`
}

type confirmation struct {
	fn.Reply `json:"-"`
	Act      id.Request `json:"act"`
	Run      int        `json:"run"`
	At       time.Time  `json:"at"`
}

// A counter counts the runs of an act, and returns the configured answer.
type counter struct {
	mu     sync.Mutex
	acts   []id.Request
	answer func(ctx context.Context, c confirmation) (confirmation, error) // nil: created
}

func (n *counter) serve(ctx context.Context, _ fn.Nothing, c fn.Call[order]) (confirmation, error) {
	n.mu.Lock()
	n.acts = append(n.acts, c.Act)
	out := confirmation{Reply: fn.Created.At("/orders/" + c.Act.String()), Act: c.Act, Run: len(n.acts), At: c.Now}
	n.mu.Unlock()
	if n.answer != nil {
		return n.answer(ctx, out)
	}
	return out, nil
}

func (n *counter) ran() []id.Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]id.Request(nil), n.acts...)
}

// function is an idempotent function around the counter, with its ledger in a schema. Tenant, caller and the middleware's cookie
// come from headers.
func (n *counter) function(schema string) fn.Function {
	s := fn.Spec{Name: "test-order", Route: "POST /orders", Answer: fn.Created, Idempotent: true}
	middleware := func(e env.Env) (fn.Middleware[fn.Nothing], error) {
		ledger, err := idempotency.Open(e, postgres.Open(e, schema))
		continueAs := func(_ *http.Request, _ fn.Nothing, caller string) (*http.Cookie, error) {
			return &http.Cookie{Name: "door", Value: caller}, nil
		}
		return fn.Middleware[fn.Nothing]{Resolve: enter, Ledger: ledger, Headers: []string{"X-Door", "X-Window"}, ContinueAs: continueAs}, err
	}
	return fn.HTTP(s, middleware,
		func(env.Env) (func(context.Context, fn.Nothing, fn.Call[order]) (confirmation, error), error) {
			return n.serve, nil
		})
}

func enter(_ context.Context, r *http.Request, _ identity.Identity) (fn.Nothing, fn.Scope, error) {
	tenant, err := id.Parse[id.Tenant](r.Header.Get("X-Tenant-Id"))
	s := fn.Scope{Tenant: tenant, Caller: r.Header.Get("X-Caller")}
	if value := r.Header.Get("X-Cookie"); value != "" {
		s.Cookies = []*http.Cookie{{Name: "door", Value: value}}
	}
	return fn.Nothing{}, s, err
}

const (
	tenantA = "tnt_01HZX3K8Q2M4N6P8R0S2T4V6W8"
	tenantB = "tnt_01HZX3K8Q2M4N6P8R0S2T4V6W9"
)

// A fixture is the middleware in front of a counting function, and its database.
type fixture struct {
	*counter
	*fntest.Front
	db *pgtest.Database
}

func open(t *testing.T) fixture {
	t.Helper()
	return openIn(t, "reservation")
}

func openIn(t *testing.T, schema string) fixture {
	t.Helper()
	db, n := pgtest.New(t), &counter{}
	return fixture{n, fntest.Open(t, db.Env(), n.function(schema)), db}
}

// order sends an order under a key, in tenant A unless the headers say otherwise.
func (r fixture) order(key, body string, headers ...string) fntest.Answer {
	return r.Post("/orders", body, append([]string{"Idempotency-Key", key, "X-Tenant-Id", tenantA, "X-Caller", "desk"}, headers...)...)
}

func ring(ids ...string) string {
	var keys []string
	for _, name := range ids {
		keys = append(keys, name+":"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name[:1], 32))))
	}
	return strings.Join(keys, ",")
}

// look reads the only row as the superuser sees it.
func (r fixture) look(t *testing.T) (key string, status *int, headers, response []byte) {
	t.Helper()
	err := r.db.Owner(t).QueryRow(t.Context(), `SELECT key, status_code, headers, response FROM reservation.idempotency`).
		Scan(&key, &status, &headers, &response)
	check.Must(t, err)
	return key, status, headers, response
}

func (r fixture) exec(t *testing.T, sql string, args pgx.StrictNamedArgs) {
	t.Helper()
	tag, err := r.db.Owner(t).Exec(t.Context(), sql, args)
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatal(fmt.Errorf("%s: %v, %w", sql, tag, err))
	}
}

// runOut ends every lease, as time does.
func (r fixture) runOut(t *testing.T) {
	t.Helper()
	r.exec(t, `UPDATE reservation.idempotency SET locked_until = clock_timestamp() - interval '1 millisecond' WHERE status_code IS NULL`, pgx.StrictNamedArgs{})
}
