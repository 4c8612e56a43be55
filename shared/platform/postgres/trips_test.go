package postgres_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// trips counts round trips to the database.
type trips struct{ atomic.Int64 }

func (n *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	n.Add(1)
	return ctx
}
func (n *trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (n *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	n.Add(1)
	return ctx
}
func (n *trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (n *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

func openCounted(t *testing.T) (*postgres.DB, *trips) {
	t.Helper()
	_, e := newLodge(t, nil)
	n := &trips{}
	e = postgres.TracerKey.With(e, postgres.Tracer(func(string) pgx.QueryTracer { return n }))
	return postgres.Open(e, "lodge"), n
}

const (
	adding   = `INSERT INTO lodge.stays (stay_id, tenant_id) VALUES (@stay, @tenant)`
	counting = `SELECT count(*) FROM lodge.stays`
)

func TestTrips_transaction(t *testing.T) {
	t.Parallel()
	db, n := openCounted(t)
	ctx, kabul := t.Context(), id.New[id.Tenant]()
	stay := func() pgx.StrictNamedArgs {
		return pgx.StrictNamedArgs{"stay": id.New[id.Reservation](), "tenant": kabul}
	}
	var rows int
	for _, test := range []struct {
		name  string
		do    func(postgres.Tx) error
		trips int64
		adds  int
	}{
		{"nothing at all", func(postgres.Tx) error { return nil }, 0, 0},
		{"a statement", func(tx postgres.Tx) error { _, err := tx.Exec(ctx, adding, stay()); return err }, 2, 1},
		{"a last statement", func(tx postgres.Tx) error { _, err := tx.Last().Exec(ctx, adding, stay()); return err }, 1, 1},
		{"a last look", func(tx postgres.Tx) error { return tx.Last().QueryRow(ctx, counting).Scan(&rows) }, 1, 0},
		{"a last list", func(tx postgres.Tx) error {
			found, _ := tx.Last().Query(ctx, counting)
			_, err := pgx.CollectExactlyOneRow(found, pgx.RowTo[int])
			return err
		}, 1, 0},
		{"a statement and a look", func(tx postgres.Tx) error {
			_, err := tx.Exec(ctx, adding, stay())
			return errors.Join(err, tx.QueryRow(ctx, counting).Scan(&rows))
		}, 3, 1},
		{"what is queued before a look", func(tx postgres.Tx) error {
			tx.Queue(adding, stay())
			tx.Queue(adding, stay())
			return tx.Last().QueryRow(ctx, counting).Scan(&rows)
		}, 1, 2},
		{"what is queued before the commit", func(tx postgres.Tx) error {
			err := tx.QueryRow(ctx, counting).Scan(&rows)
			tx.Queue(adding, stay())
			return err
		}, 2, 1},
		{"nothing but what is queued", func(tx postgres.Tx) error { tx.Queue(adding, stay()); return nil }, 1, 1},
		{"a last batch", func(tx postgres.Tx) error {
			var b pgx.Batch
			b.Queue(adding, stay())
			b.Queue(adding, stay())
			return tx.Last().SendBatch(ctx, &b)
		}, 1, 2},
		{"a chain", func(tx postgres.Tx) error {
			tx.Queue(adding, stay())
			tx.Chain()
			_, err := tx.Last().Exec(ctx, adding, stay())
			return err
		}, 1, 2},
		{"a chain after a statement", func(tx postgres.Tx) error {
			_, err := tx.Exec(ctx, adding, stay())
			tx.Chain()
			tx.Queue(adding, stay())
			return err
		}, 2, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := held(t, db, kabul)
			n.Store(0)
			check.Must(t, db.InTenant(ctx, kabul, test.do))
			check.Equal(t, n.Load(), test.trips, "round trips")
			check.Equal(t, held(t, db, kabul)-before, test.adds, "rows were committed")
		})
	}
}

// held is how many rows the tenant has.
func held(t *testing.T, db *postgres.DB, tenant id.Tenant) (n int) {
	t.Helper()
	check.Must(t, db.InTenant(t.Context(), tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(t.Context(), counting).Scan(&n)
	}))
	return n
}

// If a statement sent together with BEGIN fails, later statements must not run outside the transaction and its scope. A
// transaction that has lost a statement must not commit.
func TestTrips_failureLeavesNothing(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx, kabul := t.Context(), id.New[id.Tenant]()
	args := func() pgx.StrictNamedArgs {
		return pgx.StrictNamedArgs{"stay": id.New[id.Reservation](), "tenant": kabul}
	}
	add := func(tx postgres.Tx) { _, _ = tx.Exec(ctx, adding, args()) }
	const long = `INSERT INTO lodge.stays (stay_id, tenant_id, code) VALUES (@stay, @tenant, 'far too long')`
	for _, test := range []struct {
		name string
		do   func(postgres.Tx)
	}{
		{"a first statement that does not parse", func(tx postgres.Tx) { _, _ = tx.Exec(ctx, `SELEKT $1`, 1); add(tx) }},
		{"a first look that does not parse", func(tx postgres.Tx) { _, _ = tx.Query(ctx, `SELEKT $1`, 1); add(tx) }},
		{"a first row that does not parse", func(tx postgres.Tx) { _ = tx.QueryRow(ctx, `SELEKT $1`, 1).Scan(); add(tx) }},
		{"a statement that fails", func(tx postgres.Tx) { add(tx); _, _ = tx.Exec(ctx, long, args()); add(tx) }},
		{"a queued statement that fails before a look", func(tx postgres.Tx) {
			add(tx)
			tx.Queue(long, args())
			_ = tx.QueryRow(ctx, counting).Scan(new(int))
			add(tx)
		}},
		{"a queued statement whose argument does not fit", func(tx postgres.Tx) {
			add(tx)
			tx.Queue(adding, pgx.StrictNamedArgs{"stay": struct{}{}, "tenant": kabul})
			_ = tx.QueryRow(ctx, counting).Scan(new(int))
			add(tx)
		}},
		{"a queued statement that fails with the commit", func(tx postgres.Tx) { add(tx); tx.Queue(long, args()) }},
		{"a last statement that fails", func(tx postgres.Tx) { add(tx); _, _ = tx.Last().Exec(ctx, long, args()) }},
		{"a last statement after one that failed", func(tx postgres.Tx) {
			add(tx)
			_, _ = tx.Exec(ctx, long, args())
			_ = tx.Last().QueryRow(ctx, `SELECT 1`).Scan(new(int))
		}},
		{"a last batch of which a part fails", func(tx postgres.Tx) {
			var b pgx.Batch
			b.Queue(adding, args())
			b.Queue(long, args())
			_ = tx.Last().SendBatch(ctx, &b)
		}},
		{"a chain after a statement that failed", func(tx postgres.Tx) {
			_, _ = tx.Exec(ctx, long, args())
			tx.Chain()
			add(tx)
		}},
		{"a chain whose first part fails", func(tx postgres.Tx) { tx.Queue(long, args()); tx.Chain(); add(tx) }},
		{"a commit that fails", func(tx postgres.Tx) { _ = breakLate(ctx, tx) }},
		{"a last statement whose commit fails", func(tx postgres.Tx) {
			_, _ = tx.Last().Exec(ctx, `
				INSERT INTO lodge.stays (stay_id, tenant_id, code)
				SELECT gen_random_uuid(), @tenant, 'twice' FROM generate_series(1, 2)`, pgx.StrictNamedArgs{"tenant": kabul})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Fails(t, db.InTenant(ctx, kabul, func(tx postgres.Tx) error { test.do(tx); return nil }), "InTenant")
			check.Equal(t, held(t, db, kabul), 0, "rows were committed")
		})
	}
}

// A failure after Chain leaves what was committed before.
func TestTrips_failureAfterChain(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx, kabul := t.Context(), id.New[id.Tenant]()
	add := func(tx postgres.Tx) {
		tx.Queue(adding, pgx.StrictNamedArgs{"stay": id.New[id.Reservation](), "tenant": kabul})
	}
	check.Fails(t, db.InTenant(ctx, kabul, func(tx postgres.Tx) error {
		add(tx)
		tx.Chain()
		add(tx)
		_, err := tx.Last().Exec(ctx, `SELECT 1 / 0`)
		return err
	}), "InTenant")
	check.Equal(t, held(t, db, kabul), 1, "rows were committed")
}

func TestTrips_afterCommit(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx, kabul := t.Context(), id.New[id.Tenant]()
	args := pgx.StrictNamedArgs{"stay": id.New[id.Reservation](), "tenant": kabul}
	for _, test := range []struct {
		name  string
		after func(postgres.Tx) error
	}{
		{"a statement", func(tx postgres.Tx) error { _, err := tx.Exec(ctx, adding, args); return err }},
		{"a list", func(tx postgres.Tx) error { _, err := tx.Query(ctx, counting); return err }},
		{"a row", func(tx postgres.Tx) error { return tx.QueryRow(ctx, counting).Scan(new(int)) }},
		{"a batch", func(tx postgres.Tx) error {
			var b pgx.Batch
			b.Queue(counting)
			return tx.SendBatch(ctx, &b)
		}},
		{"another last", func(tx postgres.Tx) error { return tx.Last().QueryRow(ctx, counting).Scan(new(int)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Must(t, db.InTenant(ctx, kabul, func(tx postgres.Tx) error {
				check.Must(t, tx.Last().QueryRow(ctx, counting).Scan(new(int)))
				check.Fails(t, test.after(tx), "a statement outside a transaction")
				return nil
			}))
		})
	}
	check.Equal(t, held(t, db, kabul), 0, "rows were writte")
}
