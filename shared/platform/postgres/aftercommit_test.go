package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestAfterCommit(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	for _, test := range []struct {
		name string
		keys []string
		end  func(context.Context, postgres.Tx) error
		want []string
	}{
		{"order of registration", []string{"a 1", "b 2"}, fine, []string{"a[1]", "b[2]"}},
		{"once per key, with all values", []string{"a 1", "b 2", "a 3"}, fine, []string{"a[1 3]", "b[2]"}},
		{"error", []string{"a"}, refuse, nil},
		{"panic", []string{"a"}, collapse, nil},
		{"failed commit", []string{"a"}, breakLate, nil},
		{"ignored error of a statement", []string{"a"}, swallow, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ran []string
			func() {
				defer func() { _ = recover() }()
				_ = db.InTenant(t.Context(), id.New[id.Tenant](), func(tx postgres.Tx) error {
					for _, key := range test.keys {
						key, about, _ := strings.Cut(key, " ")
						tx.AfterCommit(key, func(_ context.Context, of []string) { ran = append(ran, key+fmt.Sprint(of)) }, about)
					}
					return test.end(t.Context(), tx)
				})
			}()
			check.Equal(t, ran, test.want)
		})
	}
}

func fine(context.Context, postgres.Tx) error     { return nil }
func refuse(context.Context, postgres.Tx) error   { return errRefused }
func collapse(context.Context, postgres.Tx) error { panic("a bug") }

// breakLate breaks a rule that is checked at the commit.
func breakLate(ctx context.Context, tx postgres.Tx) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO lodge.stays (stay_id, tenant_id, code)
		SELECT gen_random_uuid(), current_setting('app.tenant_id')::uuid, 'twice' FROM generate_series(1, 2)`)
	if err != nil {
		panic(err) // the failure must come from the commit
	}
	return nil
}

func swallow(ctx context.Context, tx postgres.Tx) error {
	_, _ = tx.Exec(ctx, `SELECT 1/0`)
	return nil
}

func TestInTx_commitFails(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx := t.Context()
	do := func(f func(context.Context, postgres.Tx) error) error {
		return db.InTenant(ctx, id.New[id.Tenant](), func(tx postgres.Tx) error { return f(ctx, tx) })
	}
	check.Fails(t, do(swallow), "a transaction that was rolled back")
	if err := do(breakLate); !postgres.Violates(err, "stays_code") {
		t.Errorf("got %v, want the constraint that was broken", err)
	}
}

// With a pool of one, a hook that needs the database shows that the connection is free again and the rows are there.
func TestAfterCommit_connectionIsFree(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, map[string]string{"DATABASE_POOL": "1"})
	ctx := t.Context()
	kabul := id.New[id.Tenant]()
	var found []id.Tenant
	err := db.InTenant(ctx, kabul, func(tx postgres.Tx) error {
		tx.AfterCommit("look", func(ctx context.Context, _ []string) {
			check.Must(t, db.InTenant(ctx, kabul, func(tx postgres.Tx) (err error) {
				found, err = tenants(ctx, tx)
				return err
			}))
		})
		return insert(ctx, tx, kabul, id.New[id.Reservation]())
	})
	check.Must(t, err)
	check.Equal(t, found, []id.Tenant{kabul})
}

func TestInTx_panic(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, map[string]string{"DATABASE_POOL": "1"})
	ctx := t.Context()
	kabul := id.New[id.Tenant]()
	func() {
		defer func() {
			if r := recover(); r != "a bug" {
				t.Errorf("recovered %v, want the panic itself", r)
			}
		}()
		_ = db.InTenant(ctx, kabul, func(tx postgres.Tx) error {
			check.Must(t, insert(ctx, tx, kabul, id.New[id.Reservation]()))
			panic("a bug")
		})
	}()
	check.Must(t, db.InTenant(ctx, kabul, func(tx postgres.Tx) error { // the one connection came back
		found, err := tenants(ctx, tx)
		check.Equal(t, len(found), 0, "rows after the panic")
		return err
	}))
}
