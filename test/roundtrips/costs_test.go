// Package roundtrips counts the round trips of each call of a route, compares them with the committed budget in roundtrips.txt,
// and checks that they do not grow with the data.
package roundtrips

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Trips holds the cost of one call: SQL round trips, transactions, document store operations, and calls of other services,
// without the cost of those calls.
type trips struct{ SQL, Tx, Doc, Up int }

// String returns the format of roundtrips.txt.
func (t trips) String() string { return fmt.Sprintf("%d/%d/%d/%d", t.SQL, t.Tx, t.Doc, t.Up) }

// A callCost holds the cost so far of one call of one function. The call's context carries it, so calls over HTTP have accounts
// of their own, and background work has no account.
type callCost struct {
	function string
	request  string
	event    bool
	ended    chan struct{}

	mu     sync.Mutex
	trips  trips
	flying map[string]bool
}

type callCostKey struct{}

// addCost adds a cost to the account in the context, if there is one.
func addCost(ctx context.Context, f func(*callCost)) {
	if a, ok := ctx.Value(callCostKey{}).(*callCost); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		f(a)
	}
}

// Books holds the accounts of all calls since the last clear.
type recorder struct {
	mu       sync.Mutex
	accounts []*callCost
	before   map[string]func(http.Handler) http.Handler // middleware of a test, by the function's name
}

// middleware wraps a function and opens an account for each call.
func (b *recorder) middleware(f fn.Function, next http.Handler) http.Handler {
	if wrap := b.before[f.Spec.Name]; wrap != nil {
		next = wrap(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &callCost{function: f.Spec.Name, request: r.Header.Get("X-Request-Id"), event: f.Spec.Subject != "",
			ended: make(chan struct{}), flying: map[string]bool{}}
		defer close(a.ended)
		b.mu.Lock()
		b.accounts = append(b.accounts, a)
		b.mu.Unlock()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callCostKey{}, a)))
	})
}

// find returns the matching accounts, after their calls have ended.
func (b *recorder) find(fits func(*callCost) bool) (found []*callCost) {
	b.mu.Lock()
	all := b.accounts
	b.mu.Unlock()
	for _, a := range all {
		if fits(a) {
			<-a.ended
			found = append(found, a)
		}
	}
	return found
}

func (b *recorder) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accounts = nil
}

// trace counts the SQL of the services, without that of the embedded bus and document store, which are other services in the
// cloud.
func trace(schema string) pgx.QueryTracer {
	if schema == "bus" || schema == "document" {
		return nil
	}
	return tracer{}
}

var _ postgres.Tracer = trace

type tracer struct{}

// TraceQueryStart implements pgx.QueryTracer. It ignores pings of idle connections by the pool, which depend on time and not on
// the call.
func (tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !strings.HasPrefix(q.SQL, "-- ping") {
		trip(ctx, conn)
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer. A batch of any size is one round trip, and may begin further transactions.
func (tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	trip(ctx, conn)
	for _, q := range d.Batch.QueuedQueries {
		if q.SQL == `COMMIT AND CHAIN` {
			addCost(ctx, func(a *callCost) { a.trips.Tx++ })
		}
	}
	return ctx
}

// trip counts a round trip. A statement outside a transaction also counts as a transaction.
func trip(ctx context.Context, conn *pgx.Conn) {
	addCost(ctx, func(a *callCost) {
		a.trips.SQL++
		if conn.PgConn().TxStatus() == 'I' {
			a.trips.Tx++
		}
	})
}

// TraceBatchQuery implements pgx.BatchTracer.
func (tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// A store counts its operations, except reads of flags, which a process repeats every 30 s for all its calls.
type store struct {
	document.Store
	shared map[string]bool // collections that are not counted
}

func (s *store) use(ctx context.Context, n document.Name) {
	if !s.shared[n.Collection] {
		addCost(ctx, func(a *callCost) { a.trips.Doc++ })
	}
}

// Get implements document.Store.
func (s *store) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	s.use(ctx, names[0])
	return s.Store.Get(ctx, now, names...)
}

// Create implements document.Store.
func (s *store) Create(ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	s.use(ctx, n)
	return s.Store.Create(ctx, now, n, r)
}

// Put implements document.Store.
func (s *store) Put(ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	s.use(ctx, n)
	return s.Store.Put(ctx, now, n, r)
}

// Delete implements document.Store.
func (s *store) Delete(ctx context.Context, n document.Name) error {
	s.use(ctx, n)
	return s.Store.Delete(ctx, n)
}

// Add implements document.Store.
func (s *store) Add(ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
	s.use(ctx, n)
	return s.Store.Add(ctx, now, n, by, until)
}

// A wire counts requests to other services. It does not count hedged requests, which depend on the speed of the machine: the
// same request while another one is in flight.
type wire struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	question, err := question(r)
	if err != nil {
		return nil, err
	}
	first := false
	addCost(r.Context(), func(a *callCost) {
		if first = !a.flying[question]; first {
			a.flying[question] = true
			a.trips.Up++
		}
	})
	res, err := w.RoundTripper.RoundTrip(r)
	if first {
		addCost(r.Context(), func(a *callCost) { delete(a.flying, question) })
	}
	return res, err
}

func question(r *http.Request) (string, error) {
	q := r.Method + " " + r.URL.String()
	if r.GetBody == nil {
		return q, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(body)
	return q + " " + string(text), err
}
