package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func open(t *testing.T) (*pgtest.Database, *postgres.DB) {
	t.Helper()
	d := pgtest.New(t)
	return d, postgres.Open(d.Env().With("DATABASE_POOL", "16"), "sandbox")
}

func delivery(processor string) event.Delivery {
	return event.Delivery{EventID: id.New[id.Event](), Subject: "melmastoon.inventory.allocation.failed.v1", Processor: processor}
}

func claims(t *testing.T, d *pgtest.Database) (n int) {
	t.Helper()
	check.Must(t, d.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM sandbox.inbox_processed`).Scan(&n))
	return n
}

func TestOnce_perProcessor(t *testing.T) {
	t.Parallel()
	d, db := open(t)
	e, effects := delivery("sandbox-holdexpired"), map[string]int{}
	for _, processor := range []string{"sandbox-holdexpired", "sandbox-reservationcancelled", "sandbox-holdexpired"} {
		t.Run(processor, func(t *testing.T) {
			e.Processor, e.MessageID = processor, fmt.Sprint(len(effects)) // message ids change and prove nothing
			err := inbox.Once(t.Context(), db, e, func(postgres.Tx) error { effects[processor]++; return nil })
			check.Must(t, err)
		})
	}
	check.Equal(t, effects["sandbox-holdexpired"], 1)
	check.Equal(t, effects["sandbox-reservationcancelled"], 1)
	check.Equal(t, claims(t, d), 2, "claims")
}

func TestOnce_concurrent(t *testing.T) {
	t.Parallel()
	d, db := open(t)
	for range 10 {
		e := delivery("sandbox-holdexpired")
		var effects atomic.Int32
		var group errgroup.Group
		for range 10 {
			group.Go(func() error {
				return inbox.Once(t.Context(), db, e, func(postgres.Tx) error { effects.Add(1); return nil })
			})
		}
		check.Must(t, group.Wait())
		check.Equal(t, effects.Load(), 1, "effects")
	}
	check.Equal(t, claims(t, d), 10, "claims")
}

func TestOnce_effectFails(t *testing.T) {
	t.Parallel()
	d, db := open(t)
	e, failure := delivery("sandbox-holdexpired"), errors.New("not now")
	if err := inbox.Once(t.Context(), db, e, func(postgres.Tx) error { return failure }); err != failure {
		t.Errorf("got %v, want the effect's own error, bare", err)
	}
	check.Equal(t, claims(t, d), 0, "claims after a failure")
	var called bool
	if err := inbox.Once(t.Context(), db, e, func(postgres.Tx) error { called = true; return nil }); err != nil || !called {
		t.Errorf("the next delivery: called %v, %v", called, err)
	}
}

// A delivery that waits for another takes over when that one fails.
func TestOnce_waiterTakesOver(t *testing.T) {
	t.Parallel()
	d, db := open(t)
	e := delivery("sandbox-holdexpired")
	var effects atomic.Int32
	second := make(chan error, 1)
	err := inbox.Once(t.Context(), db, e, func(postgres.Tx) error {
		go func() {
			second <- inbox.Once(t.Context(), db, e, func(postgres.Tx) error { effects.Add(1); return nil })
		}()
		conn := d.Owner(t)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		for waits := false; !waits; {
			if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE NOT l.granted AND a.datname = current_database())`).Scan(&waits); err != nil {
				return err
			}
		}
		return errors.New("not now")
	})
	check.Fails(t, err, "the first delivery")
	if err := <-second; err != nil || effects.Load() != 1 {
		t.Errorf("the second: %d effects, %v", effects.Load(), err)
	}
}

func TestOnce_tenant(t *testing.T) {
	t.Parallel()
	_, db := open(t)
	tenant := id.New[id.Tenant]()
	for name, want := range map[string]*id.Tenant{"no tenant": nil, "a tenant": &tenant} {
		t.Run(name, func(t *testing.T) {
			e := delivery("sandbox-holdexpired")
			e.Tenant = want
			err := inbox.Once(t.Context(), db, e, func(tx postgres.Tx) error {
				var got *id.Tenant
				err := tx.QueryRow(t.Context(), `SELECT NULLIF(current_setting('app.tenant_id', true), '')::uuid`).Scan(&got)
				if err == nil && (got == nil) != (want == nil) || got != nil && *got != *want {
					t.Errorf("got tenant %v, want %v", got, want)
				}
				return err
			})
			check.Must(t, err)
		})
	}
}

func TestOnce_unclaimable(t *testing.T) {
	t.Parallel()
	_, db := open(t)
	unnamed, nothing := delivery(""), delivery("p")
	nothing.EventID = id.Event{}
	for name, e := range map[string]event.Delivery{"no consumer": unnamed, "no event id": nothing} {
		t.Run(name, func(t *testing.T) {
			check.Fails(t, inbox.Once(t.Context(), db, e, func(postgres.Tx) error { t.Error("called"); return nil }))
		})
	}
}
