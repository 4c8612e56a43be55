package peers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/sandboxtest"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// most is what an act may cost more when there is ten times as much.
const most = 1.3

// grown prints what an act costs among many, beside what it costs among a tenth of them.
func grown(what string, few, many []float64, n int) {
	put(line{what: "growth: " + what, ours: fmt.Sprintf("among %s: %s", thousands(float64(n)), micros(many)),
		peer: fmt.Sprintf("among %s: %s", thousands(float64(n)/10), micros(few)), ratio: over(many, few), most: most})
}

// repeated is what one of n acts takes, several times over.
func repeated(b *testing.B, n int, act func(context.Context) error) (all []float64) {
	b.Helper()
	for range rounds(5) {
		all = append(all, clock(b, func() error { return runClients(b.Context(), 1, n, act) })/float64(n))
	}
	return all
}

// enough is a publisher that takes no time and cancels its caller after a number of messages.
type enough struct {
	left *atomic.Int64
	stop context.CancelFunc
}

func (e enough) Publish(_ context.Context, messages []topic.Message) []error {
	if e.left.Add(int64(-len(messages))) <= 0 {
		e.stop()
	}
	return make([]error, len(messages))
}

// BenchmarkBacklog publishes some thousands of rows out of a backlog, and out of one that is ten times as long.
func BenchmarkBacklog(b *testing.B) {
	h := open(b, 4)
	h.template(b)
	n := times(1_000_000)
	some := n / 10 / 4
	publish := func(backlog int) (all []float64) {
		h.backlog(b, backlog)
		for range 3 {
			ctx, stop := context.WithCancel(b.Context())
			left := &atomic.Int64{}
			left.Store(int64(some))
			relay := outbox.Open(topic.PublisherKey.With(h.env, enough{left, stop}), h.db)
			took := clock(b, func() error {
				if err := relay.Tick(ctx, time.Time{}); err != nil && !errors.Is(err, context.Canceled) {
					return err
				}
				return nil
			})
			all = append(all, took/float64(int64(some)-left.Load()))
			stop()
		}
		return all
	}
	few := publish(n / 10)
	grown("one row published out of a backlog", few, publish(n), n)
}

// multiply copies one reservation with its item and hold, each copy at another property of its own tenant; a property has a
// thousand, a tenant ten properties. One hold in a thousand is due.
const multiply = `
	INSERT INTO reservation.reservations (reservation_id, tenant_id, property_id, code, state, pending_step, version, channel, partner_id,
		quote_id, guest_id, guest_locale, stay_start, stay_end, currency, grand_total_micro, policy, hold_id, region, time_zone,
		no_show_grace_hours, created_by, created_at, payment_status, payment_intent_id)
	SELECT md5('r' || n)::uuid, md5('t' || n / 10000)::uuid, md5('p' || n / 1000)::uuid, 'GM-' || upper(lpad(to_hex(n), 8, '0')),
		CASE WHEN n %% 50 = 0 THEN state ELSE 'confirmed' END, '',
		version, channel, partner_id, quote_id, guest_id, guest_locale, stay_start + n %% 300, stay_end + n %% 300, currency, grand_total_micro,
		policy, md5('h' || n)::uuid, region, time_zone, no_show_grace_hours, created_by, created_at,
		CASE WHEN n %% 50 = 0 THEN '' ELSE 'pending_cash' END, CASE WHEN n %% 50 = 0 THEN NULL ELSE md5('m' || n)::uuid END
	FROM bare.reservations, generate_series(%[1]d, %[2]d) n;
	INSERT INTO reservation.reservation_items (item_id, tenant_id, reservation_id, position, room_type_id, rate_plan_id, adults, children, infants,
		nights, nightly_rate_micro, total_micro, policy)
	SELECT md5('i' || n)::uuid, md5('t' || n / 10000)::uuid, md5('r' || n)::uuid, position, room_type_id, rate_plan_id, adults, children, infants,
		nights, nightly_rate_micro, total_micro, policy
	FROM bare.items, generate_series(%[1]d, %[2]d) n;
	INSERT INTO reservation.holds (hold_id, tenant_id, reservation_id, allocation_ids, placed_at, expires_at, ttl_seconds, status)
	SELECT md5('h' || n)::uuid, md5('t' || n / 10000)::uuid, md5('r' || n)::uuid, allocation_ids, placed_at,
		expires_at + CASE WHEN n %% 200 = 0 THEN '-1 hour' ELSE '1 day' END::interval - interval '1 hour', ttl_seconds,
		CASE WHEN n %% 50 = 0 THEN 'live' ELSE 'committed' END
	FROM bare.holds, generate_series(%[1]d, %[2]d) n`

// BenchmarkReservations reads reservations one by one, by code and by arrival, and lists what is due.
func BenchmarkReservations(b *testing.B) {
	h := open(b, 4)
	reservationtest.Held(b, h.env, id.New[id.Tenant](), id.New[id.Property]())
	h.exec(b, `CREATE SCHEMA bare`, `CREATE TABLE bare.reservations AS SELECT * FROM reservation.reservations`,
		`CREATE TABLE bare.items AS SELECT * FROM reservation.reservation_items`, `CREATE TABLE bare.holds AS SELECT * FROM reservation.holds`,
		`UPDATE bare.holds SET placed_at = placed_at - interval '1 day'`,
		`SET session_replication_role = replica`) // the copies are consistent, so foreign keys need no check
	h.forget(b, `TRUNCATE reservation.reservations, reservation.reservation_items, reservation.holds, reservation.quotes, reservation.outbox CASCADE`)
	n, acts, s := times(1_000_000), times(2_000), reservationtest.OpenReservations(h.env)
	var was [4][]float64
	for step, rows := range [][2]int{{1, n / 10}, {n/10 + 1, n}} {
		h.exec(b, fmt.Sprintf(multiply, rows[0], rows[1]), `VACUUM ANALYZE`, `CHECKPOINT`)
		among := h.sample(b, acts, `SELECT tenant_id, property_id, reservation_id, code, stay_start::text FROM reservation.reservations WHERE state = 'confirmed'`)
		for i, act := range []struct {
			name string
			do   func(context.Context) error
		}{
			{"a reservation by its id", func(ctx context.Context) error {
				r := among[rand.IntN(len(among))]
				_, err := s.Get(ctx, reservationtest.Scope{Tenant: r.Tenant}, r.Reservation)
				return err
			}},
			{"a reservation by its code", func(ctx context.Context) error {
				r := among[rand.IntN(len(among))]
				found, err := s.ByCode(ctx, reservationtest.Scope{Tenant: r.Tenant}, r.Code)
				return only(err, len(found) == 1)
			}},
			{"the arrivals of a day", func(ctx context.Context) error {
				r := among[rand.IntN(len(among))]
				day, err := stay.ParseDate(r.Day)
				if err != nil {
					return err
				}
				found, err := s.Arrivals(ctx, reservationtest.Scope{Tenant: r.Tenant}, r.Property, day, reservationtest.Page{Limit: 50})
				return only(err, len(found) > 0)
			}},
			{"the first hundred holds that are due", func(ctx context.Context) error {
				due, err := s.Due(ctx, reservationtest.Due{}, 100)
				return only(err, len(due) > 0)
			}},
		} {
			took := repeated(b, acts, act.do)
			if step == 1 {
				grown(act.name, was[i], took, n)
			}
			was[i] = took
		}
	}
}

// forget takes away at the end what was made up: the books at large do not balance with it.
func (h *fixture) forget(b *testing.B, sql string) {
	b.Helper()
	b.Cleanup(func() {
		if _, err := h.owner.Exec(context.WithoutCancel(b.Context()), sql); err != nil {
			b.Error(err)
		}
	})
}

// A booking is one that is there.
type booking struct {
	Tenant      id.Tenant
	Property    id.Property
	Reservation id.Reservation
	Code        string
	Day         string
}

func (h *fixture) sample(b *testing.B, n int, sql string) []booking {
	b.Helper()
	rows, _ := h.owner.Query(b.Context(), sql+fmt.Sprintf(` ORDER BY md5(reservation_id::text) LIMIT %d`, n))
	return check.Got(pgx.CollectRows(rows, pgx.RowToStructByPos[booking])).Must(b)
}

// spread copies all hotels of the demo to cities of their own, so that a search in one city finds as many as before.
const spread = `
	INSERT INTO sandbox.cities (city_id, name, name_localized, country, region, time_zone, latitude, longitude, city_keys, region_keys)
	SELECT city_id || '-' || n, name || ' ' || n, '{}', country, region || ' ' || n, time_zone, latitude, longitude,
		ARRAY(SELECT k || ' ' || n FROM unnest(city_keys) k), ARRAY(SELECT k || ' ' || n FROM unnest(region_keys) k)
	FROM bare.cities, generate_series(%[1]d, %[2]d) n;
	INSERT INTO sandbox.tenants SELECT (jsonb_populate_record(t, jsonb_build_object('tenant_id', md5(t.tenant_id::text || n), 'slug', t.slug || '-' || n))).*
	FROM bare.tenants t, generate_series(%[1]d, %[2]d) n;
	INSERT INTO sandbox.properties SELECT (jsonb_populate_record(t, jsonb_build_object('property_id', md5(t.property_id::text || n),
		'tenant_id', md5(t.tenant_id::text || n), 'city_id', t.city_id || '-' || n))).* FROM bare.properties t, generate_series(%[1]d, %[2]d) n;
	INSERT INTO sandbox.room_types SELECT (jsonb_populate_record(t, jsonb_build_object('room_type_id', md5(t.room_type_id::text || n),
		'property_id', md5(t.property_id::text || n), 'tenant_id', md5(t.tenant_id::text || n)))).* FROM bare.room_types t, generate_series(%[1]d, %[2]d) n;
	INSERT INTO sandbox.listings SELECT (jsonb_populate_record(t, jsonb_build_object('property_id', md5(t.property_id::text || n),
		'tenant_id', md5(t.tenant_id::text || n), 'city_id', t.city_id || '-' || n))).* FROM bare.listings t, generate_series(%[1]d, %[2]d) n;
	INSERT INTO sandbox.listing_rooms SELECT (jsonb_populate_record(t, jsonb_build_object('room_type_id', md5(t.room_type_id::text || n),
		'property_id', md5(t.property_id::text || n), 'tenant_id', md5(t.tenant_id::text || n)))).* FROM bare.listing_rooms t, generate_series(%[1]d, %[2]d) n;
	INSERT INTO sandbox.listing_rates SELECT (jsonb_populate_record(t, jsonb_build_object('rate_plan_id', md5(t.rate_plan_id::text || n),
		'room_type_id', md5(t.room_type_id::text || n), 'property_id', md5(t.property_id::text || n), 'tenant_id', md5(t.tenant_id::text || n)))).*
	FROM bare.listing_rates t, generate_series(%[1]d, %[2]d) n`

// BenchmarkHotels searches one city, and opens a hotel by its id, among a thousand hotels and among ten thousand.
func BenchmarkHotels(b *testing.B) {
	h := open(b, 4)
	named := check.Got(demo.Named()).Must(b)
	check.Must(b, demo.Furnish(b.Context(), h.env, named))
	h.exec(b, `CREATE SCHEMA bare`)
	for _, table := range []string{"cities", "tenants", "properties", "room_types", "listings", "listing_rooms", "listing_rates"} {
		h.exec(b, fmt.Sprintf(`CREATE TABLE bare.%s AS SELECT * FROM sandbox.%[1]s`, table))
	}
	h.exec(b, `SET session_replication_role = replica`)
	h.forget(b, `TRUNCATE sandbox.listing_rates, sandbox.listing_rooms, sandbox.listings CASCADE`)
	copies := max(20, times(10_000)/named)
	from := stay.DateOf(h.env.Now()).AddDays(20)
	search := func(sort string) func(ctx context.Context) error {
		search := sandboxtest.Search(h.env, "Kabul", from, sort)
		return func(ctx context.Context) error {
			page, total, err := search(ctx)
			return only(err, page > 0 && total < named)
		}
	}
	var was [2][]float64
	for step, rows := range [][2]int{{1, copies / 10}, {copies/10 + 1, copies}} {
		h.exec(b, fmt.Sprintf(spread, rows[0], rows[1]), `VACUUM ANALYZE`, `CHECKPOINT`)
		for i, sort := range []string{"recommended", "price-asc"} {
			took := repeated(b, times(300), search(sort))
			if step == 1 {
				grown("a search in one city, "+sort+", hotels", was[i], took, copies*named)
			}
			was[i] = took
		}
	}
}

// only returns an error if an operation failed or returned the wrong result.
func only(err error, is bool) error {
	if err == nil && !is {
		err = errors.New("the wrong result")
	}
	return err
}
