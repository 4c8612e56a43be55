package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// BenchmarkALookBare measures reading one row with the driver only.
func BenchmarkALookBare(b *testing.B) {
	d, _ := openLodge(b, nil)
	pool := check.Got(pgxpool.New(b.Context(), d.OwnerURL())).Must(b)
	defer pool.Close()
	ctx, stay := b.Context(), id.New[id.Reservation]()
	for b.Loop() {
		check.Must(b, pool.QueryRow(ctx, `SELECT count(*) FROM lodge.stays WHERE stay_id = $1`, [16]byte(stay)).Scan(new(int)))
	}
}

const looking = `SELECT count(*) FROM lodge.stays WHERE stay_id = @stay`

func BenchmarkALookInATransaction(b *testing.B) {
	_, db := openLodge(b, nil)
	ctx, stay := b.Context(), id.New[id.Reservation]()
	for b.Loop() {
		check.Must(b, db.InTx(ctx, func(tx postgres.Tx) error {
			return tx.Last().QueryRow(ctx, looking, pgx.StrictNamedArgs{"stay": stay}).Scan(new(int))
		}))
	}
}

func BenchmarkALookInATenant(b *testing.B) {
	_, db := openLodge(b, nil)
	ctx, stay, tenant := b.Context(), id.New[id.Reservation](), id.New[id.Tenant]()
	for b.Loop() {
		check.Must(b, db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
			return tx.Last().QueryRow(ctx, looking, pgx.StrictNamedArgs{"stay": stay}).Scan(new(int))
		}))
	}
}
