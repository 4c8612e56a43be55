package sandbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// books is the sandbox on its own database with the two example hotels.
type books struct {
	*pgtest.Database
	inventory.Inventory
	payment.Intents
	env   env.Env
	db    *postgres.DB
	owner *pgx.Conn
	today stay.Date // in Kabul, the first night on sale; tomorrow in the evening of UTC
}

func open(t *testing.T) books {
	t.Helper()
	return openWith(t, "4")
}

// openWith opens the sandbox with a maximum number of connections.
func openWith(t *testing.T, pool string) books {
	t.Helper()
	d := pgtest.New(t)
	e := d.Env().With("DATABASE_POOL", pool)
	if err := demo.Furnish(t.Context(), e, 2); err != nil { // the example hotels
		t.Fatal(err)
	}
	zone, err := time.LoadLocation(kabul.TimeZone)
	check.Must(t, err)
	return books{d, inventory.Open(e), payment.OpenIntents(e), e, postgres.Open(e, standin.Schema), d.Owner(t), stay.DateOf(e.Now().In(zone))}
}

// nights returns a stay that begins in a number of days.
func (b books) nights(from, n int) stay.Window {
	return stay.Window{Start: b.today.AddDays(from), End: b.today.AddDays(from + n)}
}

var (
	kabul  = demo.KabulGrand
	suites = kabul.Rooms[2] // two of them
)

// want returns a hold on a number of Kabul's suites for a new reservation.
func (b books) want(w stay.Window, units int) inventory.Hold {
	return inventory.Hold{Tenant: kabul.Tenant, Property: kabul.Property, Reservation: id.New[id.Reservation](), Stay: w,
		TTL: 10 * time.Minute, Claims: []inventory.Claim{{Allocation: id.New[id.Allocation](), RoomType: suites.ID, Units: units}}}
}

func (b books) held(t *testing.T, w stay.Window, units int) inventory.Hold {
	t.Helper()
	h := b.want(w, units)
	check.Got(b.Inventory.Hold(t.Context(), h)).Must(t)
	return h
}

func (b books) commit(ctx context.Context, h inventory.Hold) error {
	_, err := b.Inventory.Commit(ctx, h.Tenant, ids(h))
	return err
}

func (b books) release(ctx context.Context, h inventory.Hold) error {
	return b.db.InTenant(ctx, h.Tenant, func(tx postgres.Tx) error { return b.Release(ctx, tx, ids(h)) })
}

func ids(h inventory.Hold) (all []id.Allocation) {
	for _, c := range h.Claims {
		all = append(all, c.Allocation)
	}
	return all
}

// left returns the number of free suites.
func (b books) left(t *testing.T, w stay.Window) int {
	t.Helper()
	all, err := b.Left(t.Context(), kabul.Property, w)
	check.Must(t, err)
	for _, l := range all {
		if l.RoomType == suites.ID {
			return l.Units
		}
	}
	t.Fatalf("the suites are not in %v", all)
	return 0
}

// published returns the shortened subjects in the outbox about one reservation, in order.
func (b books) published(t *testing.T, r id.Reservation) []string {
	t.Helper()
	rows, _ := b.owner.Query(t.Context(), `
		SELECT replace(subject, 'melmastoon.', '') FROM sandbox.outbox WHERE payload ->> 'reservationId' = $1 ORDER BY seq`, r.String())
	subjects, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.Must(t, err)
	return subjects
}

// count returns the result of a counting query by the owner of the tables.
func (b books) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	check.Must(t, b.owner.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// opened returns an intent of one reservation over 1,000 afghanis.
func (b books) opened(t *testing.T, method standin.Method) payment.Intent {
	t.Helper()
	i, err := b.Intents.Open(t.Context(), wanted(id.New[id.Reservation](), method))
	check.Must(t, err)
	return i
}

func wanted(r id.Reservation, method standin.Method) payment.Wanted {
	return payment.Wanted{Tenant: kabul.Tenant, Reservation: r, Method: method,
		Amount: money.Amount{Micro: 1000_000_000, Currency: money.AFN}}
}
