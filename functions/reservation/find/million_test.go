package find

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// copyReservations copies the one stored reservation: 25,000 per property, arriving over three years around today. The past
// ones have checked out, except one in 500 that is still awaited.
const copyReservations = `
	WITH copies AS MATERIALIZED (
		SELECT n, md5('r' || n)::uuid AS reservation_id, md5('h' || n)::uuid AS hold_id, md5('p' || n / 25000)::uuid AS property_id,
			platform.now()::date - 547 + n % 1095 AS start
		FROM generate_series(1, @rows) AS n
	), booked AS (
		INSERT INTO reservation.reservations (reservation_id, tenant_id, property_id, code, state, pending_step, version, channel, partner_id,
			quote_id, guest_id, guest_locale, stay_start, stay_end, currency, grand_total_micro, policy, hold_id, region, time_zone, no_show_grace_hours,
			created_by, created_at, payment_method, payment_status, payment_intent_id, confirmed_at)
		SELECT c.reservation_id, tenant_id, c.property_id, 'GM-' || upper(lpad(to_hex(n), 8, '0')),
			CASE WHEN c.start < platform.now()::date AND n % 500 > 0 THEN 'checked_out' ELSE 'confirmed' END, '', version, channel, partner_id,
			quote_id, guest_id, guest_locale, c.start, c.start + 2, currency, grand_total_micro, policy, c.hold_id, region, time_zone,
			no_show_grace_hours, created_by, created_at, payment_method, payment_status, payment_intent_id, confirmed_at
		FROM reservation.reservations, copies AS c
	), items AS (
		INSERT INTO reservation.reservation_items (item_id, tenant_id, reservation_id, position, room_type_id, rate_plan_id, adults, children,
			infants, nights, nightly_rate_micro, total_micro, policy)
		SELECT md5('i' || n)::uuid, tenant_id, c.reservation_id, position, room_type_id, rate_plan_id, adults, children,
			infants, nights, nightly_rate_micro, total_micro, policy
		FROM reservation.reservation_items, copies AS c
	)
	INSERT INTO reservation.holds (hold_id, tenant_id, reservation_id, allocation_ids, placed_at, expires_at, ttl_seconds, status)
	SELECT c.hold_id, tenant_id, c.reservation_id, allocation_ids, placed_at, expires_at, ttl_seconds, status
	FROM reservation.holds, copies AS c`

// TestFind_million lists arrivals among 1,000,000 reservations in a full run, and among some in an ordinary one. In a full run
// the 95th percentile must be at most 20 ms.
func TestFind_million(t *testing.T) {
	var c struct {
		Full string `env:"MELMASTOON_FULL"`
	}
	if err := env.System().Load(&c); err != nil {
		t.Fatal(err)
	}
	rows, calls := 10_000, 20
	if c.Full != "" {
		rows, calls = 1_000_000, 1_000
	}
	db := pgtest.New(t)
	tenant := id.New[id.Tenant]()
	reservationtest.Confirm(t, db, reservationtest.Held(t, db.Env(), tenant, id.New[id.Property]()))
	properties := multiply(t, db, rows)
	serve, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	took := make([]time.Duration, calls)
	today := fntest.Some(stay.DateOf(db.Env().Now()))
	for i := range took {
		call := reservation.Call[Request]{
			Call:      fn.Call[Request]{In: Request{Arrivals: fntest.Some(properties[i%len(properties)]), Date: today}},
			Principal: access.Principal{Scope: access.Scope{Tenant: tenant}},
		}
		start := time.Now()
		out, err := serve(t.Context(), call)
		took[i] = time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Reservations) == 0 {
			t.Fatal("a property without arrivals")
		}
	}
	slices.Sort(took)
	p95 := took[calls*95/100]
	t.Logf("arrivals among %d reservations: p50 %v, p95 %v", rows, took[calls/2], p95)
	if c.Full != "" && p95 > 20*time.Millisecond {
		t.Errorf("the 95th percentile is %v, want at most 20ms", p95)
	}
}

// multiply copies the stored reservation and returns the properties. It removes all of them at the end, because the invariants
// of the database do not hold for copies.
func multiply(t *testing.T, db *pgtest.Database, rows int) (properties []id.Property) {
	t.Helper()
	owner := db.Owner(t)
	t.Cleanup(func() {
		if _, err := db.Owner(t).Exec(context.WithoutCancel(t.Context()), `TRUNCATE reservation.reservations, reservation.quotes, reservation.outbox CASCADE`); err != nil {
			t.Error(err)
		}
	})
	if _, err := owner.Exec(t.Context(), `SET session_replication_role = replica`); err != nil { // the copies refer to one another
		t.Fatal(err)
	}
	if _, err := owner.Exec(t.Context(), copyReservations, pgx.StrictNamedArgs{"rows": rows}); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Exec(t.Context(), `VACUUM ANALYZE reservation.reservations, reservation.reservation_items, reservation.holds`); err != nil {
		t.Fatal(err)
	}
	found, _ := owner.Query(t.Context(), `
		SELECT DISTINCT property_id FROM reservation.reservations
		WHERE state = 'confirmed' AND stay_start <= platform.now()::date`)
	properties, err := pgx.CollectRows(found, pgx.RowTo[id.Property])
	if err != nil {
		t.Fatal(err)
	}
	return properties
}
