package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// Twelve writers, of which four keep each transaction open until others have committed after it; some publish their rows, others
// leave them to four relays, each of which is killed now and then.
func TestOrder_underFailures(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	written, commits := map[string]int{}, make(chan struct{})
	ctx, done := context.WithCancel(t.Context())
	var relays, writers errgroup.Group
	var prompt sync.WaitGroup // the writers that commit at once
	for n := range 4 {
		relays.Go(func() error { return r.relayUntil(ctx, t, uint64(n)) })
	}
	var mu sync.Mutex
	for n := range 12 {
		if !late(n) {
			prompt.Add(1)
		}
		writers.Go(func() error {
			if !late(n) {
				defer prompt.Done()
			}
			wrote, err := r.writeMany(t, n, commits)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(written, wrote)
			return err
		})
	}
	go func() { prompt.Wait(); close(commits) }()
	check.Must(t, writers.Wait())
	done()
	check.Must(t, relays.Wait())
	r.lapse(t)
	check.Got(relay(t.Context(), r.relay)).Must(t)
	for _, bad := range faults(r.bus.Messages(), written) {
		t.Error(bad)
	}
	var left int
	if err := r.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM sandbox.outbox WHERE status <> 'published'`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows are left, %v", left, err)
	}
}

// relayUntil relays again and again until ctx is done. One step in thirty, it is killed: after it took rows, after it published
// them, or after it settled them.
func (r *fixture) relayUntil(ctx context.Context, t *testing.T, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	unlucky := func() bool { return random.IntN(30) == 0 }
	for ctx.Err() == nil {
		turn, end := context.WithCancel(t.Context())
		mortal := r.stepping(func() {
			if unlucky() {
				kill()
			}
		}, func() {
			if unlucky() {
				kill()
			}
			if unlucky() {
				end() // the turn still settles
			}
		})
		err := relayKilled(turn, mortal)
		end()
		switch {
		case err == nil:
		case errors.Is(err, errKilled), errors.Is(err, context.Canceled), errors.Is(err, fault.ErrUnavailable): // or a deadlock, see settle
			r.lapse(t)
		default:
			return err
		}
	}
	return nil
}

func late(writer int) bool { return writer%3 == 0 }

// writeMany writes to three keys of its own, two versions in each transaction, and tells how many of each.
func (r *fixture) writeMany(t *testing.T, writer int, commits chan struct{}) (map[string]int, error) {
	written, box := map[string]int{}, r.store
	if writer%2 == 0 {
		box = r.relay
	}
	var meanwhile func()
	if late(writer) {
		meanwhile = func() { <-commits } // another writer commits between this write and its commit
	}
	for n := range 30 {
		key := fmt.Sprintf("w%d-%d", writer, n%3)
		first := written[key] + 1
		written[key] += 2
		if err := r.write(t.Context(), box, meanwhile, draftOf(key, first), draftOf(key, first+1)); err != nil {
			return nil, err
		}
		if late(writer) {
			continue
		}
		select {
		case commits <- struct{}{}:
		default:
		}
	}
	return written, nil
}

// The twins below are relays as they are often written. Each fails, and the check above finds it.

// byPosition publishes the rows after the last position it has seen.
func byPosition(t *testing.T, r *fixture, last *int64) {
	conn := r.Owner(t)
	rows, _ := conn.Query(t.Context(), `SELECT seq, ordering_key, envelope -> 'metadata' ->> 'aggregateVersion' FROM sandbox.outbox WHERE seq > $1 ORDER BY seq`, *last)
	for _, found := range collect(t, rows) {
		*last = found.seq
		r.bus.Publish(t.Context(), []topic.Message{found.message()})
	}
}

func TestOrder_findsRelayByPosition(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	var last int64
	err := r.write(t.Context(), r.store, func() {
		r.mustWrite(t, draftOf("early", 1))
		byPosition(t, r, &last)
	}, draftOf("late", 1))
	check.Must(t, err)
	byPosition(t, r, &last)
	if bad := faults(r.bus.Messages(), map[string]int{"early": 1, "late": 1}); len(bad) != 1 || !strings.Contains(bad[0], "late: 0 of 1") {
		t.Errorf("got %v, want the late event found missing", bad)
	}
	var good topictest.Memory
	r.bus.Refuse = func(m topic.Message) error { return good.Publish(t.Context(), []topic.Message{m})[0] }
	r.mustRelay(t, reported(2))
	if bad := faults(good.Messages(), map[string]int{"early": 1, "late": 1}); bad != nil {
		t.Errorf("the real one: %v", bad)
	}
}

// Two relays that lock single rows, and skip those that others have locked, share the rows of one key.
func TestOrder_sabotagedSharedKey(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1), draftOf("k", 2))
	claim := func(tx pgx.Tx) topic.Message {
		rows, _ := tx.Query(t.Context(), `
			SELECT seq, ordering_key, envelope -> 'metadata' ->> 'aggregateVersion' FROM sandbox.outbox
			WHERE published_at IS NULL ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED`)
		return collect(t, rows)[0].message()
	}
	first, second := begin(t, r.Database), begin(t, r.Database)
	one, two := claim(first), claim(second)
	r.bus.Publish(t.Context(), []topic.Message{two}) // the second is faster
	r.bus.Publish(t.Context(), []topic.Message{one})
	if bad := faults(r.bus.Messages(), map[string]int{"k": 2}); len(bad) != 1 || !strings.Contains(bad[0], "out of order") {
		t.Errorf("got %v, want the wrong order found", bad)
	}
}

func begin(t *testing.T, d *pgtest.Database) pgx.Tx {
	t.Helper()
	tx := check.Got(d.Owner(t).Begin(t.Context())).Must(t)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

type found struct {
	seq          int64
	key, version string
}

func (f found) message() topic.Message {
	return topic.Message{Topic: domain.Name, OrderingKey: f.key, Attributes: map[string]string{"ce-sequence": f.version}}
}

func collect(t *testing.T, rows pgx.Rows) []found {
	t.Helper()
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f found, err error) {
		return f, row.Scan(&f.seq, &f.key, &f.version)
	})
	check.Must(t, err)
	return all
}
