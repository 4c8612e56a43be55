// Package roundtrips counts what each call of a route costs in round trips, holds the figures to those that are committed, and
// shows that they do not grow with the data.
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

// Trips are what one call costs: round trips of SQL, transactions, uses of
// the document store, and calls of neighbours. A neighbour's own trips are its own.
type trips struct{ SQL, Tx, Doc, Up int }

// String is how the file prints it.
func (t trips) String() string { return fmt.Sprintf("%d/%d/%d/%d", t.SQL, t.Tx, t.Doc, t.Up) }

// An account is what one call of one function has cost so far. It travels with the call's context, so what is called over
// HTTP has an account of its own, and what works in the background has none.
type account struct {
	function string
	request  string
	event    bool
	ended    chan struct{}

	mu     sync.Mutex
	trips  trips
	flying map[string]bool
}

type accountKey struct{}

// spend notes a cost with the call that the context is of, if it is of any.
func spend(ctx context.Context, f func(*account)) {
	if a, ok := ctx.Value(accountKey{}).(*account); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		f(a)
	}
}

// Books are the accounts of all calls since they were last cleared.
type books struct {
	mu       sync.Mutex
	accounts []*account
	before   map[string]func(http.Handler) http.Handler // what a test puts before a function, by its name
}

// witness opens an account for each call of a function.
func (b *books) witness(f fn.Function, next http.Handler) http.Handler {
	if wrap := b.before[f.Spec.Name]; wrap != nil {
		next = wrap(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &account{function: f.Spec.Name, request: r.Header.Get("X-Request-Id"), event: f.Spec.Subject != "",
			ended: make(chan struct{}), flying: map[string]bool{}}
		defer close(a.ended)
		b.mu.Lock()
		b.accounts = append(b.accounts, a)
		b.mu.Unlock()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), accountKey{}, a)))
	})
}

// find returns the accounts that fit, once their calls have ended.
func (b *books) find(fits func(*account) bool) (found []*account) {
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

func (b *books) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accounts = nil
}

// trace counts the SQL of the services. That of the embedded bus and of the documents, which are other services in the cloud,
// is none of theirs.
func trace(schema string) pgx.QueryTracer {
	if schema == "bus" || schema == "document" {
		return nil
	}
	return tracer{}
}

var _ postgres.Tracer = trace

type tracer struct{}

// TraceQueryStart is pgx.QueryTracer's. A pool pings a connection that nobody has used for a while: that depends on the time
// and not on the call.
func (tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !strings.HasPrefix(q.SQL, "-- ping") {
		trip(ctx, conn)
	}
	return ctx
}

// TraceQueryEnd is pgx.QueryTracer's.
func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart is pgx.BatchTracer's: a batch is one round trip, however much is in it.
func (tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	trip(ctx, conn)
	return ctx
}

// trip is a round trip. What goes out where no transaction is open begins one, if only for itself.
func trip(ctx context.Context, conn *pgx.Conn) {
	spend(ctx, func(a *account) {
		a.trips.SQL++
		if conn.PgConn().TxStatus() == 'I' {
			a.trips.Tx++
		}
	})
}

// TraceBatchQuery is pgx.BatchTracer's.
func (tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is pgx.BatchTracer's.
func (tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// A store counts its uses. The flags, which a process reads again every 30 s for all its calls, are no call's own.
type store struct {
	document.Store
	shared map[string]bool // collections that are no call's own
}

func (s *store) use(ctx context.Context, n document.Name) {
	if !s.shared[n.Collection] {
		spend(ctx, func(a *account) { a.trips.Doc++ })
	}
}

// Get is document.Store's.
func (s *store) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	s.use(ctx, names[0])
	return s.Store.Get(ctx, now, names...)
}

// Create is document.Store's.
func (s *store) Create(ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	s.use(ctx, n)
	return s.Store.Create(ctx, now, n, r)
}

// Put is document.Store's.
func (s *store) Put(ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	s.use(ctx, n)
	return s.Store.Put(ctx, now, n, r)
}

// PutMany is document.Store's.
func (s *store) PutMany(ctx context.Context, now time.Time, records ...document.Named) ([]bool, error) {
	s.use(ctx, records[0].Name)
	return s.Store.PutMany(ctx, now, records...)
}

// Delete is document.Store's.
func (s *store) Delete(ctx context.Context, n document.Name) error {
	s.use(ctx, n)
	return s.Store.Delete(ctx, n)
}

// Add is document.Store's.
func (s *store) Add(ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
	s.use(ctx, n)
	return s.Store.Add(ctx, now, n, by, until)
}

// A wire counts what is asked of neighbours. The same question beside one that is still in flight is a hedge, which a slow
// machine sends and a fast one does not: it is not counted.
type wire struct{ http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	question, err := question(r)
	if err != nil {
		return nil, err
	}
	first := false
	spend(r.Context(), func(a *account) {
		if first = !a.flying[question]; first {
			a.flying[question] = true
			a.trips.Up++
		}
	})
	res, err := w.RoundTripper.RoundTrip(r)
	if first {
		spend(r.Context(), func(a *account) { delete(a.flying, question) })
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
