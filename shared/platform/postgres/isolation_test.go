package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestIsolation_visibleRows(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx := t.Context()
	kabul, herat := id.New[id.Tenant](), id.New[id.Tenant]()
	check.Must(t, add(ctx, db, kabul, id.New[id.Reservation]()))
	check.Must(t, add(ctx, db, herat, id.New[id.Reservation]()))

	for _, test := range []struct {
		name string
		in   func(context.Context, func(postgres.Tx) error) error
		want []id.Tenant
	}{
		{"a tenant sees its own rows", within(db, kabul), []id.Tenant{kabul}},
		{"another tenant sees its own", within(db, herat), []id.Tenant{herat}},
		{"a tenant without rows sees none", within(db, id.New[id.Tenant]()), nil},
		{"without a tenant there are no rows and no error", db.InTx, nil},
		{"maintenance lists the rows of all", db.InMaintenance, []id.Tenant{kabul, herat}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, look := range map[string]func(postgres.Tx) postgres.Tx{
				"first statement": func(tx postgres.Tx) postgres.Tx { return tx },
				"last statement":  postgres.Tx.Last,
			} {
				t.Run(name, func(t *testing.T) {
					var got []id.Tenant
					err := test.in(ctx, func(tx postgres.Tx) (err error) {
						got, err = tenants(ctx, look(tx))
						return err
					})
					if err != nil || len(got) != len(test.want) {
						t.Fatalf("got %v, %v; want %v", got, err, test.want)
					}
					for _, w := range test.want {
						if !slices.Contains(got, w) {
							t.Errorf("got %v, want %v", got, test.want)
						}
					}
				})
			}
		})
	}
}

func within(db *postgres.DB, tenant id.Tenant) func(context.Context, func(postgres.Tx) error) error {
	return func(ctx context.Context, f func(postgres.Tx) error) error { return db.InTenant(ctx, tenant, f) }
}

func TestIsolation_forbidden(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx := t.Context()
	kabul, herat := id.New[id.Tenant](), id.New[id.Tenant]()
	foreign := id.New[id.Reservation]()
	check.Must(t, add(ctx, db, herat, foreign))
	write := func(tx postgres.Tx) error { return insert(ctx, tx, herat, id.New[id.Reservation]()) }
	run := func(sql string) func(postgres.Tx) error {
		return func(tx postgres.Tx) error { _, err := tx.Exec(ctx, sql); return err }
	}

	for _, test := range []struct {
		name string
		in   func(context.Context, func(postgres.Tx) error) error
		do   func(postgres.Tx) error
	}{
		{"write a row of another tenant", within(db, kabul), write},
		{"write a row without a tenant", db.InTx, write},
		{"write as maintenance", db.InMaintenance, write},
		{"make a table", within(db, kabul), run(`CREATE TABLE lodge.mine ()`)},
		{"make a temporary table", within(db, kabul), run(`CREATE TEMPORARY TABLE mine ()`)},
		{"make a schema", within(db, kabul), run(`CREATE SCHEMA mine`)},
		{"switch the policies off", within(db, kabul), run(`ALTER TABLE lodge.stays DISABLE ROW LEVEL SECURITY`)},
		{"look past the policies", within(db, kabul), run(`SET LOCAL row_security = off; SELECT stay_id FROM lodge.stays`)},
		{"become the superuser", within(db, kabul), run(`SET LOCAL ROLE postgres`)},
		{"leave out the schema's name", within(db, kabul), run(`SELECT stay_id FROM stays`)},
	} {
		t.Run(test.name, func(t *testing.T) { check.Fails(t, test.in(ctx, test.do), "a call that is not allowed") })
	}

	t.Run("change a row of another tenant", func(t *testing.T) {
		check.Must(t, db.InTenant(ctx, kabul, func(tx postgres.Tx) error {
			tag, err := tx.Exec(ctx, `DELETE FROM lodge.stays WHERE stay_id = @stay`, pgx.StrictNamedArgs{"stay": foreign})
			check.Equal(t, tag.RowsAffected(), 0, "affected rows")
			return err
		}))
	})
}

func TestInTenant_withoutTenant(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	check.Fails(t, db.InTenant(t.Context(), id.Tenant{}, func(postgres.Tx) error { return nil }), "the zero tenant")
}

var errRefused = errors.New("refused")

// mishaps are the ways in which a request can end and leave something on its connection.
var mishaps = []func(context.Context, postgres.Tx) error{
	func(context.Context, postgres.Tx) error { return nil },
	func(context.Context, postgres.Tx) error { return errRefused },
	func(context.Context, postgres.Tx) error { panic("a bug") },
	func(ctx context.Context, tx postgres.Tx) error { _, err := tx.Exec(ctx, `SELECT 1/0`); return err },
	func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `SELECT pg_sleep(5)`)
		return err
	}, // beyond the deadline
	func(ctx context.Context, tx postgres.Tx) error { // careless statements, committed
		_, err := tx.Exec(ctx, `SELECT set_config('app.tenant_id', current_setting('app.tenant_id'), false)`)
		return err
	},
	func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `SET ROLE lodge_maintenance`)
		return err
	},
}

func TestIsolation_reusedConnections(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, map[string]string{"DATABASE_POOL": "2"})
	all := make([]id.Tenant, 8)
	for i := range all {
		all[i] = id.New[id.Tenant]()
		check.Must(t, add(t.Context(), db, all[i], id.New[id.Reservation]()))
	}
	var foreign, seen atomic.Int64
	var g errgroup.Group
	g.SetLimit(8)
	for i := range 2000 {
		g.Go(func() error {
			tenant := all[i%len(all)]
			if i%9 == 8 {
				tenant = id.Tenant{} // no tenant: any row at all is foreign
			}
			return request(t.Context(), db, tenant, i%4 == 0, mishap(i), &seen, &foreign)
		})
	}
	check.Must(t, g.Wait())
	if foreign.Load() != 0 || seen.Load() < 1500 {
		t.Errorf("%d foreign rows, %d own", foreign.Load(), seen.Load())
	}
}

// mishap is mostly nothing, so that 2,000 requests do not wait for 2,000 deadlines.
func mishap(i int) func(context.Context, postgres.Tx) error {
	if i%5 == 0 {
		return mishaps[i/5%len(mishaps)]
	}
	return mishaps[0]
}

// request looks at the table as one request does, then ends as it may.
func request(ctx context.Context, db *postgres.DB, tenant id.Tenant, last bool, end func(context.Context, postgres.Tx) error, seen, foreign *atomic.Int64) (err error) {
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var looked error
	f := func(tx postgres.Tx) error {
		look := tx
		if last {
			look = tx.Last()
		}
		found, err := tenants(short, look)
		looked = err
		for _, of := range found {
			if of == tenant {
				seen.Add(1)
			} else {
				foreign.Add(1)
			}
		}
		brief, cancel := context.WithTimeout(short, 50*time.Millisecond)
		defer cancel()
		return end(brief, tx)
	}
	defer func() {
		_ = recover()
		if looked != nil {
			err = fmt.Errorf("look: %w", looked)
		}
	}()
	if tenant.IsZero() {
		_ = db.InTx(short, f) // its end is the mishap's
		return nil
	}
	_ = db.InTenant(short, tenant, f)
	return nil
}

// The check above must be able to fail: a tenant set for the session, as the careless set it, does reach the next user.
func TestIsolation_sabotagedSessionSetting(t *testing.T) {
	t.Parallel()
	d, db := openLodge(t, nil)
	ctx := t.Context()
	kabul := id.New[id.Tenant]()
	check.Must(t, add(ctx, db, kabul, id.New[id.Reservation]()))
	conn, err := pgx.Connect(ctx, d.URL())
	check.Must(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `SET ROLE lodge_app; SET app.tenant_id = '`+fmt.Sprintf("%x", kabul[:])+`'`)
	check.Must(t, err)
	var rows int
	check.Must(t, conn.QueryRow(ctx, `SELECT count(*) FROM lodge.stays`).Scan(&rows))
	check.Equal(t, rows, 1, "rows of the earlier user that the next one sees")
}
