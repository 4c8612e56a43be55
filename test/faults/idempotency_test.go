package faults

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

const (
	callers  = 16 // at once with one key
	sharing  = 8  // keys that hold rooms of one night, of which there are twelve
	inFlight = "GENERAL.IDEMPOTENCY_IN_PROGRESS"
	reused   = "GENERAL.IDEMPOTENCY_KEY_REUSED"
)

// TestIdempotency_concurrentHolds has sixteen callers send the same request under each key.
func TestIdempotency_concurrentHolds(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	random := seedrand.New(t).Of(0)
	keys := seedrand.Iterations(t, 96, 1000)
	quotes := make([]*system.Booking, keys/sharing)
	for n := range quotes {
		w := system.Usual()
		w.From, w.Nights = 1+n, 1
		quotes[n] = s.Quote(w)
	}
	acts := make([]*act, keys)
	for n := range acts {
		q := quotes[n/sharing]
		acts[n] = &act{s: s, request: q.HoldRequest(system.Key()), other: quotes[(n/sharing+1)%len(quotes)], answered: make(chan struct{})}
	}
	random.Shuffle(keys, func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	all, ctx := errgroup.WithContext(t.Context())
	all.SetLimit(3)
	for _, a := range acts {
		all.Go(func() error { return a.sendConcurrently(ctx) })
	}
	check.Must(t, all.Wait())
	s.Settle()
	waited, replayed, made := summarize(acts)
	t.Logf("%d keys: %d answers while the first was running, %d replays", keys, waited, replayed)
	if waited == 0 {
		t.Error("got no request during the first one, want some")
	}
	if replayed == 0 {
		t.Error("got no request after the first one, want some")
	}
	var rows int
	check.Must(t, s.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM reservation.reservations`).Scan(&rows))
	check.Equal(t, rows, keys)
	check.Equal(t, made, keys)
}

// summarize adds up what the callers saw.
func summarize(acts []*act) (waited, replayed int64, made int) {
	reservations := map[string]bool{}
	for _, a := range acts {
		waited, replayed = waited+a.waited.Load(), replayed+a.replayed.Load()
		b := system.Booking{}
		if b.LearnHold(system.Answer{Body: a.body}) == nil {
			reservations[b.ReservationID] = true
		}
	}
	return waited, replayed, len(reservations)
}

// An act is one request under one key, sent by many.
type act struct {
	s       *system.System
	request system.Request
	other   *system.Booking // whose rooms are not meant

	first            sync.Once
	answered         chan struct{} // closed after the first final answer
	body             []byte        // that answer
	waited, replayed atomic.Int64
}

// sendConcurrently sends the request from all callers, and afterwards another one under the same key.
func (a *act) sendConcurrently(ctx context.Context) error {
	group, within := errgroup.WithContext(ctx)
	for range callers {
		group.Go(func() error { return a.retry(within) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	changed, err := a.s.Do(ctx, a.other.HoldRequest(a.request.Key))
	if err == nil && (changed.Status != http.StatusUnprocessableEntity || changed.Code() != reused) {
		err = fmt.Errorf("another body under a used key was answered %d %s", changed.Status, changed.Body)
	}
	return err
}

// retry repeats the request while the first call is running.
func (a *act) retry(ctx context.Context) error {
	for {
		got, err := a.s.Do(ctx, a.request)
		switch {
		case err != nil:
			return err
		case got.Status == http.StatusCreated:
			return a.compare(got)
		case got.Status == http.StatusServiceUnavailable: // a crowded machine: nothing was done, and nothing is remembered
			continue
		case got.Status != http.StatusConflict || got.Code() != inFlight:
			return fmt.Errorf("answered %d %s", got.Status, got.Body)
		}
		a.waited.Add(1)
		select {
		case <-a.answered:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// compare holds an answer to the first one, byte for byte.
func (a *act) compare(got system.Answer) error {
	a.first.Do(func() {
		a.body = got.Body
		close(a.answered)
	})
	if got.Header.Get("Idempotent-Replayed") == "true" {
		a.replayed.Add(1)
	}
	if !bytes.Equal(got.Body, a.body) {
		return fmt.Errorf("one key was answered\n%s\nand\n%s", a.body, got.Body)
	}
	return nil
}

// How long a hold may be running, and what may come after.
const (
	limit  = 3 * time.Second
	margin = 5 * time.Second
)

// TestIdempotency_crashedClaim leaves the claims of a process that was killed before it
// requested rooms, and of one that was killed before it stored its answer. The next attempt repeats the same act.
func TestIdempotency_crashedClaim(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		die  func(claim) (reservation string)
	}{
		{"killed before the act", claim.dieBefore},
		{"killed after the act", claim.dieAfter},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			b := s.Quote(system.Usual())
			c := claim{t, s, s.DB.Owner(t), b, b.HoldRequest(system.Key())}
			want := test.die(c)
			c.leaseUntil(`clock_timestamp() + interval '1 minute'`)
			if a := s.Must(http.StatusConflict, c.request); a.Code() != inFlight {
				t.Errorf("within the lease it was answered %s", a.Body)
			}
			c.leaseUntil(`clock_timestamp()`)
			if a := s.Must(http.StatusUnprocessableEntity, s.Quote(system.Usual()).HoldRequest(c.request.Key)); a.Code() != reused {
				t.Errorf("another request would take the claim over: %s", a.Body)
			}
			if err := b.LearnHold(s.Must(http.StatusCreated, c.request)); err != nil || b.ReservationID != want {
				t.Errorf("after the lease %s was made, %v, want %s", b.ReservationID, err, want)
			}
			s.Settle()
		})
	}
}

// A claim is one request to hold rooms, whose process will not live to answer it.
type claim struct {
	*testing.T
	s       *system.System
	conn    *pgx.Conn
	booking *system.Booking
	request system.Request
}

func (c claim) exec(sql string) (rows int64) {
	c.Helper()
	tag, err := c.conn.Exec(c.Context(), sql)
	if err != nil {
		c.Fatal(err)
	}
	return tag.RowsAffected()
}

// leaseUntil moves the end of the claim's lease, which goes by the clock on the wall.
func (c claim) leaseUntil(moment string) {
	c.Helper()
	n := c.exec(`UPDATE reservation.idempotency SET locked_until = ` + moment + ` WHERE key LIKE 'reservation-hold:%' AND status_code IS NULL`)
	if n != 1 {
		c.Fatalf("%d claims are without an answer, want 1", n)
	}
}

// dieBefore fails the call at its first step, which leaves its claim without an answer. The reservation is the one that
// the claim's act will have made.
func (c claim) dieBefore() string {
	c.Helper()
	c.exec(`REVOKE INSERT ON sandbox.allocations FROM sandbox_app`)
	c.s.Must(http.StatusServiceUnavailable, c.request)
	c.exec(`GRANT INSERT ON sandbox.allocations TO sandbox_app`)
	var act id.Request
	if err := c.conn.QueryRow(c.Context(), `SELECT act FROM reservation.idempotency WHERE key LIKE 'reservation-hold:%'`).Scan(&act); err != nil {
		c.Fatal(err)
	}
	return id.Derive[id.Reservation](act, "reservation").String()
}

// dieAfter forgets the answer of a call that was made.
func (c claim) dieAfter() string {
	c.Helper()
	if err := c.booking.LearnHold(c.s.Must(http.StatusCreated, c.request)); err != nil {
		c.Fatal(err)
	}
	var leased time.Duration
	err := c.conn.QueryRow(c.Context(), `
		UPDATE reservation.idempotency SET status_code = NULL, headers = NULL, response = NULL
		WHERE key LIKE 'reservation-hold:%' RETURNING locked_until - (created_at - (platform.now() - clock_timestamp()))`).Scan(&leased)
	if lease := c.s.Env().Timeout(limit) + margin; err != nil || (leased-lease).Abs() > time.Second {
		c.Errorf("leased for %v, %v, want %v", leased, err, lease)
	}
	return c.booking.ReservationID
}
