package faults

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// A guestLoad runs guests until the journeys are done.
type guestLoad struct {
	*system.ConcurrentGuests
	t       *testing.T
	running sync.WaitGroup
}

func newGuestLoad(t *testing.T, s *system.System, guests, journeys int, seen func(int, system.Request, system.Answer)) *guestLoad {
	t.Helper()
	p := &guestLoad{ConcurrentGuests: &system.ConcurrentGuests{System: s, OnAnswer: seen}, t: t}
	p.Journeys.Store(int64(journeys))
	for range guests {
		p.running.Go(func() { check.NoError(t, p.Run(context.WithoutCancel(t.Context()))) })
	}
	return p
}

// A recovery measures how long after a restart guests are served again who were refused because of it.
type recovery struct {
	mu      sync.Mutex
	open    time.Time    // when the server's port was open again
	refused map[int]bool // by journey
	served  map[int]time.Duration
}

func newRecovery() *recovery {
	return &recovery{refused: map[int]bool{}, served: map[int]time.Duration{}}
}

func (r *recovery) seen(journey int, _ system.Request, a system.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, served := r.served[journey]
	switch {
	case r.open.IsZero() && (a.Status == 0 || a.Status >= http.StatusInternalServerError):
		r.refused[journey] = true
	case !r.open.IsZero() && !served && r.refused[journey] && a.Status != 0 && a.Status < http.StatusBadRequest:
		r.served[journey] = time.Since(r.open)
	}
}

func (r *recovery) opened(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = at
}

// TestRecovery_restart kills the database server again and again while guests book. Each guest whom it refused is served within
// five seconds after its port is open again.
func TestRecovery_restart(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second
	random := seedrand.New(t).Of(0)
	own := newServer(t)
	s := deployed(t, own.database(), func(e env.Env) env.Env { return e })
	refused := 0
	for n := range seedrand.Iterations(t, 3, 30) {
		r, outage := newRecovery(), time.Duration(random.IntN(6000))*time.Millisecond
		p := newGuestLoad(t, s, 6, 24, r.seen)
		<-time.After(time.Duration(100+random.IntN(300)) * time.Millisecond) // the moment of the fault, not a wait for anything
		r.opened(own.restart(outage))
		p.running.Wait()
		times := slices.Sorted(maps.Values(r.served))
		t.Logf("restart %d, away %v: %d guests refused, served after %v", n, outage, len(r.refused), times)
		refused += len(r.refused)
		if len(times) < len(r.refused) || len(times) > 0 && slices.Max(times) > limit {
			t.Errorf("restart %d: a guest was served after more than %v, or not at all", n, limit)
		}
	}
	s.Settle()
	if refused == 0 {
		t.Error("got no refused guest, want some")
	}
}

// A refusals counts connections that the server refused.
type refusals struct{ n atomic.Int64 }

// TraceConnectStart is pgx.ConnectTracer's.
func (r *refusals) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd is pgx.ConnectTracer's.
func (r *refusals) TraceConnectEnd(_ context.Context, end pgx.TraceConnectEndData) {
	if end.Err != nil {
		r.n.Add(1)
	}
}

// TraceQueryStart is pgx.QueryTracer's.
func (r *refusals) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd is pgx.QueryTracer's.
func (r *refusals) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestRecovery_fewConnections has guests book while the server takes fourteen connections and the pools want more than twenty.
func TestRecovery_fewConnections(t *testing.T) {
	t.Parallel()
	own := newServer(t)
	db := own.database()
	refused := new(refusals)
	s := deployed(t, db, func(e env.Env) env.Env {
		return postgres.TracerKey.With(e, postgres.Tracer(func(string) pgx.QueryTracer { return refused }))
	})
	own.limit(14)
	before := refused.n.Load()
	p := newGuestLoad(t, s, 6, 24, nil)
	p.running.Wait()
	t.Logf("%d journeys, %d connections refused, %d requests sent again", len(p.Done()), refused.n.Load()-before, p.Retries.Load())
	if len(p.Done()) != 24 || refused.n.Load() == before {
		t.Errorf("%d journeys, %d connections refused", len(p.Done()), refused.n.Load()-before)
	}
}
