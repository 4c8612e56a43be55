package roundtrips

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/sandboxtest"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/cachetest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A fixture is a system with a number of rows of everything that a call may list, and the costs of the calls.
type fixture struct {
	*system.System
	*recorder
	t    *testing.T
	conn *pgx.Conn // the owner's
	rows int       // 1 or 10
	// memory is the memory of the process's caches.
	memory *cachetest.Memory
	city   []demo.Hotel // the hotels of Kabul: the booked one, and as many others as rows
}

// open returns a fixture with a number of rows, and with middleware of the test before functions.
func open(t *testing.T, rows int, before map[string]func(http.Handler) http.Handler) *fixture {
	t.Helper()
	db := pgtest.New(t)
	system.ToNoon(db)
	b := &recorder{before: before}
	e := postgres.TracerKey.With(db.Env(), trace)
	e = upstream.TransportKey.With(e, wire{&http.Transport{MaxIdleConnsPerHost: 32}})
	e = document.StoreKey.With(e, &store{documents.Open(e), map[string]bool{consumer.FlagsIn: true, tenantbooking.FlagsIn: true}})
	system.PublishAllTelemetry(t, e)
	e, memory := cachetest.Surround(e)
	w := &fixture{recorder: b, t: t, conn: db.Owner(t), rows: rows, memory: memory}
	w.addHotels(e)
	w.System = system.As(t, db, cloud.Config{Env: e, Middleware: b.middleware})
	w.moreRooms()
	return w
}

// maxHotels is enough for eleven hotels in Kabul.
const maxHotels = 100

// addHotels loads hotels until Kabul has as many as rows in addition to the booked one.
func (w *fixture) addHotels(e env.Env) {
	w.t.Helper()
	all, err := demo.Hotels(maxHotels)
	if err != nil {
		w.t.Fatal(err)
	}
	for n, h := range all {
		if h.CityID != demo.KabulGrand.CityID {
			continue
		}
		if w.city = append(w.city, h); len(w.city) == w.rows+1 {
			if err := demo.Furnish(w.t.Context(), e, n+1); err != nil {
				w.t.Fatal(err)
			}
			return
		}
	}
	w.t.Fatalf("only %[2]d of %[1]d hotels are in Kabul", maxHotels, len(w.city))
}

// moreRooms copies each room of the booked hotel, with its rate plans, prices and nights, until there are rows of each.
func (w *fixture) moreRooms() {
	w.t.Helper()
	for _, sql := range copies {
		_, err := w.conn.Exec(w.t.Context(), sql, pgx.StrictNamedArgs{"property": demo.KabulGrand.Property, "more": w.rows - 1})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if err := sandboxtest.Index(w.t.Context(), w.Env(), demo.KabulGrand.Tenant, demo.KabulGrand.Property); err != nil {
		w.t.Fatal(err)
	}
}

// copies derives the ids of copies from the originals, so that references remain consistent.
var copies = []string{
	`INSERT INTO sandbox.room_types (room_type_id, tenant_id, property_id, name, description, max_occupancy, units)
	 SELECT md5(room_type_id::text || n)::uuid, tenant_id, property_id, name || ' ' || n, description, max_occupancy, units
	 FROM sandbox.room_types CROSS JOIN generate_series(1, @more::int) AS n WHERE property_id = @property`,
	`INSERT INTO sandbox.rate_plans (rate_plan_id, tenant_id, property_id, room_type_id, name, meal_plan, cancellation_ref,
	     free_until_hours_before, penalty_percent, cancellation_description)
	 SELECT md5(rate_plan_id::text || n)::uuid, tenant_id, property_id, md5(room_type_id::text || n)::uuid, name, meal_plan, cancellation_ref,
	     free_until_hours_before, penalty_percent, cancellation_description
	 FROM sandbox.rate_plans CROSS JOIN generate_series(1, @more::int) AS n WHERE property_id = @property`,
	`INSERT INTO sandbox.weekday_rates (tenant_id, rate_plan_id, weekday, amount_micro)
	 SELECT r.tenant_id, md5(r.rate_plan_id::text || n)::uuid, r.weekday, r.amount_micro
	 FROM sandbox.weekday_rates AS r JOIN sandbox.rate_plans AS p USING (rate_plan_id) CROSS JOIN generate_series(1, @more::int) AS n
	 WHERE p.property_id = @property`,
	`INSERT INTO sandbox.inventory_nights (tenant_id, property_id, room_type_id, night, capacity)
	 SELECT tenant_id, property_id, md5(room_type_id::text || n)::uuid, night, capacity
	 FROM sandbox.inventory_nights CROSS JOIN generate_series(1, @more::int) AS n WHERE property_id = @property`,
}

// clearCaches deletes all documents that can be recreated, which excludes sessions and flags, and clears the in-memory caches.
func (w *fixture) clearCaches() {
	w.t.Helper()
	w.memory.Empty()
	_, err := w.conn.Exec(w.t.Context(), `DELETE FROM document.documents WHERE collection <> ALL (@kept)`,
		pgx.StrictNamedArgs{"kept": []string{"gms-session", "tnt-session", consumer.FlagsIn, tenantbooking.FlagsIn}})
	if err != nil {
		w.t.Fatal(err)
	}
}
