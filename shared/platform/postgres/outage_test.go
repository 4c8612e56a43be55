package postgres_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestOutage_statementTimeout(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, map[string]string{"DATABASE_STATEMENT_TIMEOUT": "50ms"})
	ctx := t.Context()
	err := db.InTx(ctx, func(tx postgres.Tx) error { _, err := tx.Exec(ctx, `SELECT pg_sleep(30)`); return err })
	check.Error(t, err, fault.ErrUnavailable)
}

func TestOutage_idleTransaction(t *testing.T) {
	t.Parallel()
	d, db := openLodge(t, map[string]string{"DATABASE_IDLE_TIMEOUT": "20ms", "DATABASE_POOL": "1"})
	ctx, owner := t.Context(), d.Owner(t)
	err := db.InTx(ctx, func(tx postgres.Tx) error {
		var pid int
		if err := tx.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
			return err
		}
		for alive := true; alive; { // the server ends the session; its own list says when
			check.Must(t, owner.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)`, pid).Scan(&alive))
		}
		_, err := tx.Exec(ctx, `SELECT 1`)
		return err
	})
	check.Error(t, err, fault.ErrUnavailable)
	check.Must(t, db.InTx(ctx, func(postgres.Tx) error { return nil }))
}

func TestOutage_lostConnection(t *testing.T) {
	t.Parallel()
	d, db := openLodge(t, map[string]string{"DATABASE_POOL": "1"})
	ctx, owner := t.Context(), d.Owner(t)
	for _, test := range []struct {
		name  string
		after string // statements sent on the connection before it
	}{
		{"in a statement", `SELECT 1`},
		{"in the commit", ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := db.InTx(ctx, func(tx postgres.Tx) error {
				var pid int
				check.Must(t, tx.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&pid))
				_, err := owner.Exec(ctx, `SELECT pg_terminate_backend($1, 10000)`, pid)
				check.Must(t, err)
				if test.after != "" {
					_, err = tx.Exec(ctx, test.after)
				}
				return err
			})
			check.Error(t, err, fault.ErrUnavailable)
			check.Must(t, db.InTx(ctx, func(postgres.Tx) error { return nil }))
		})
	}
}

func TestOutage_unreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
	address := l.Addr().String()
	check.Must(t, l.Close()) // now no server listens there
	e := env.Of(map[string]string{"DATABASE_URL": "postgres://somebody@" + address + "/nothing?sslmode=disable", "DATABASE_CONNECT_TIMEOUT": "1ms"})
	err = postgres.Open(e, "lodge").InTx(t.Context(), func(postgres.Tx) error { return nil })
	check.Error(t, err, fault.ErrUnavailable)
	check.Got(postgres.Connect(t.Context(), e)).Error(t, fault.ErrUnavailable, "Connect")
}

func TestOutage_otherErrors(t *testing.T) {
	t.Parallel()
	d, db := openLodge(t, nil)
	kabul := id.New[id.Tenant]()
	sql := func(statement string) func(context.Context, postgres.Tx) error {
		return func(ctx context.Context, tx postgres.Tx) error { _, err := tx.Exec(ctx, statement); return err }
	}
	for _, test := range []struct {
		name     string
		deadline time.Duration
		do       func(context.Context, postgres.Tx) error
		want     error
	}{
		{"a mistake in a statement", time.Minute, sql(`SELECT nonsense`), nil},
		{"the caller's deadline", 30 * time.Millisecond, sql(`SELECT pg_sleep(5)`), context.DeadlineExceeded},
		{"an error of the use case", time.Minute, refuse, errRefused},
		{"a fault of the use case", time.Minute, func(context.Context, postgres.Tx) error { return fault.ErrNotFound }, fault.ErrNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
			defer cancel()
			err := db.InTenant(ctx, kabul, func(tx postgres.Tx) error { return test.do(ctx, tx) })
			switch {
			case err == nil:
				t.Errorf("err = nil, want a value")
			case errors.Is(err, fault.ErrUnavailable):
				t.Errorf("err = %v, want an error other than %v", err, fault.ErrUnavailable)
			case test.want != nil && !errors.Is(err, test.want):
				t.Errorf("err = %v, want %v", err, test.want)
			}
		})
	}
	t.Run("a schema without a role", func(t *testing.T) {
		err := postgres.Open(d.Env(), "nowhere").InTx(t.Context(), func(postgres.Tx) error { return nil })
		if err == nil || errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("got %v, want an internal error: waiting will not help", err)
		}
	})
}

func TestViolates(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx := t.Context()
	kabul, stay := id.New[id.Tenant](), id.New[id.Reservation]()
	check.Must(t, add(ctx, db, kabul, stay))
	twice := add(ctx, db, kabul, stay)
	long := db.InTenant(ctx, kabul, func(tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE lodge.stays SET code = 'far too long'`)
		return err
	})
	for _, test := range []struct {
		name       string
		err        error
		constraint string
		want       bool
	}{
		{"the same key twice", twice, "stays_pkey", true},
		{"a check", long, "stays_short", true},
		{"another constraint", twice, "stays_short", false},
		{"another error", errRefused, "stays_pkey", false},
		{"no error", nil, "stays_pkey", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := postgres.Violates(test.err, test.constraint); got != test.want {
				t.Errorf("%s: got %v for %v, want %v", test.name, got, test.err, test.want)
			}
		})
	}
}

func TestOutage_sharedPool(t *testing.T) {
	t.Parallel()
	_, e := newLodge(t, map[string]string{"DATABASE_POOL": "1"})
	pid := func() (pid int) {
		check.Must(t, postgres.Open(e, "lodge").InTx(t.Context(), func(tx postgres.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid)
		}))
		return pid
	}
	if first, second := pid(), pid(); first != second {
		t.Errorf("two connections, %d and %d, in a pool of one", first, second)
	}
}
