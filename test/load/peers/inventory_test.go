package peers

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/holdrooms"
	"melmastoon.ghasi.io/functions/demo/sandbox/sandboxtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// bareBooks are the best safe books that we know how to keep with a bare driver, in one call: a counter for each night, looked
// at without a lock first, then locked in order.
//
// promise gives the same guarantees as our store: a hold expires by the clock, so each night stores the earliest expiry of its
// count; the result of an act is stored under its id; an event in the outbox states result and time; and no tenant sees the
// rows of another. tell stores and publishes less, without expiry and without tenants. hold only counts.
const bareBooks = `
	CREATE SCHEMA bare;
	CREATE TABLE bare.nights (tenant uuid NOT NULL, room uuid, night date, capacity int NOT NULL, free int NOT NULL CHECK (free >= 0),
		next_lapse timestamptz NOT NULL DEFAULT 'infinity', PRIMARY KEY (room, night)) WITH (fillfactor = 50);
	CREATE TABLE bare.acts (act uuid PRIMARY KEY, tenant uuid NOT NULL, room uuid NOT NULL, starts date NOT NULL, ends date NOT NULL,
		units int NOT NULL, granted bool NOT NULL, at timestamptz NOT NULL, expires timestamptz NOT NULL);
	CREATE INDEX ON bare.acts (room, ends) WHERE granted;
	ALTER TABLE bare.nights ENABLE ROW LEVEL SECURITY;
	ALTER TABLE bare.acts ENABLE ROW LEVEL SECURITY;
	CREATE POLICY of_tenant ON bare.nights TO sandbox_app USING (tenant = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
	CREATE POLICY of_tenant ON bare.acts TO sandbox_app USING (tenant = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
	GRANT USAGE ON SCHEMA bare TO sandbox_app;
	GRANT SELECT, INSERT, UPDATE ON bare.nights, bare.acts TO sandbox_app;
	CREATE FUNCTION bare.hold(p_room uuid, p_start date, p_end date, p_units int) RETURNS bool LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM bare.nights WHERE room = p_room AND night >= p_start AND night < p_end AND free < p_units) THEN
			RETURN false;
		END IF;
		PERFORM FROM bare.nights WHERE room = p_room AND night >= p_start AND night < p_end ORDER BY night FOR NO KEY UPDATE;
		IF EXISTS (SELECT FROM bare.nights WHERE room = p_room AND night >= p_start AND night < p_end AND free < p_units) THEN
			RETURN false;
		END IF;
		UPDATE bare.nights SET free = free - p_units WHERE room = p_room AND night >= p_start AND night < p_end;
		RETURN true;
	END $$;
	CREATE FUNCTION bare.tell(p_act uuid, p_tenant uuid, p_room uuid, p_start date, p_end date, p_units int, p_event uuid, p_text text,
		p_subject text, p_key text, p_payload jsonb, p_envelope jsonb, p_at timestamptz) RETURNS bool LANGUAGE plpgsql AS $$
	DECLARE
		v_granted bool;
	BEGIN
		SELECT granted INTO v_granted FROM bare.acts WHERE act = p_act;
		IF FOUND THEN
			RETURN v_granted;
		END IF;
		v_granted := bare.hold(p_room, p_start, p_end, p_units);
		INSERT INTO bare.acts VALUES (p_act, p_tenant, p_room, p_start, p_end, p_units, v_granted, now(), now() + interval '10 min');
		INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
		VALUES (p_event, p_text, p_tenant, p_subject, p_key, p_payload, p_envelope, p_at);
		RETURN v_granted;
	END $$;
	CREATE FUNCTION bare.count(p_room uuid, p_start date, p_end date, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		UPDATE bare.nights n SET (free, next_lapse) = (
			SELECT n.capacity - coalesce(sum(a.units), 0), coalesce(min(a.expires), 'infinity') FROM bare.acts a
			WHERE a.room = n.room AND a.granted AND a.ends > n.night AND a.starts <= n.night AND a.expires > p_at)
		WHERE n.room = p_room AND n.night >= p_start AND n.night < p_end;
	END $$;
	CREATE FUNCTION bare.hold_until(p_room uuid, p_start date, p_end date, p_units int, p_lasts interval, OUT granted bool, OUT at timestamptz)
		LANGUAGE plpgsql AS $$
	DECLARE
		v_lapse timestamptz;
	BEGIN
		granted := false;
		at := platform.now();
		IF EXISTS (SELECT FROM bare.nights WHERE room = p_room AND night >= p_start AND night < p_end AND free < p_units AND next_lapse > at) THEN
			RETURN;
		END IF;
		SELECT bool_and(free >= p_units), min(next_lapse) INTO granted, v_lapse
		FROM (SELECT free, next_lapse FROM bare.nights WHERE room = p_room AND night >= p_start AND night < p_end
			ORDER BY night FOR NO KEY UPDATE) AS locked;
		at := platform.now();
		IF v_lapse <= at THEN
			PERFORM bare.count(p_room, p_start, p_end, at);
			SELECT bool_and(free >= p_units) INTO granted FROM bare.nights WHERE room = p_room AND night >= p_start AND night < p_end;
		END IF;
		IF granted THEN
			UPDATE bare.nights SET free = free - p_units, next_lapse = least(next_lapse, at + p_lasts)
			WHERE room = p_room AND night >= p_start AND night < p_end;
		END IF;
	END $$;
	CREATE FUNCTION bare.wire(p_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
		SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
	CREATE FUNCTION bare.promise(p_act uuid, p_tenant uuid, p_room uuid, p_start date, p_end date, p_units int, p_lasts interval, p_event uuid, p_text text,
		p_key text, p_held text, p_held_payload jsonb, p_held_envelope jsonb, p_refused text, p_refused_payload jsonb, p_refused_envelope jsonb,
		p_at timestamptz, OUT granted bool, OUT at timestamptz) LANGUAGE plpgsql AS $$
	BEGIN
		SELECT a.granted, a.at INTO granted, at FROM bare.acts a WHERE a.act = p_act;
		IF FOUND THEN
			RETURN;
		END IF;
		SELECT h.granted, h.at INTO granted, at FROM bare.hold_until(p_room, p_start, p_end, p_units, p_lasts) h;
		INSERT INTO bare.acts VALUES (p_act, p_tenant, p_room, p_start, p_end, p_units, granted, at, at + p_lasts);
		PERFORM pg_advisory_xact_lock(hashtextextended(p_key, 0));
		IF granted THEN
			INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at) VALUES (p_event, p_text, p_tenant,
				p_held, p_key, p_held_payload || jsonb_build_object('committedAt', bare.wire(at), 'expiresAt', bare.wire(at + p_lasts)), p_held_envelope, p_at);
		ELSE
			INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at) VALUES (p_event, p_text, p_tenant,
				p_refused, p_key, p_refused_payload || jsonb_build_object('failedAt', bare.wire(at)), p_refused_envelope, p_at);
		END IF;
	END $$`

// Books for 64 clients: their connections, and how many room types and nights there are when stays are spread.
const (
	clients    = 64
	connection = 16
	roomTypes  = 60
	open400    = 400
)

// An inventory is where rooms are held: one hotel, with the same rooms in our books and in the bare ones.
type inventory struct {
	*fixture
	env   env.Env
	today stay.Date
	hot   id.RoomType
	rooms []id.RoomType
}

func openInventory(b *testing.B) *inventory {
	b.Helper()
	h := open(b, connection)
	check.Must(b, demo.Furnish(b.Context(), h.env, 2)) // those that examples book
	h.exec(b, bareBooks)
	m := &inventory{fixture: h, env: h.env, today: stay.DateOf(h.env.Now()), hot: demo.KabulGrand.Rooms[2].ID}
	k := demo.KabulGrand
	for range roomTypes {
		room := id.New[id.RoomType]()
		m.rooms = append(m.rooms, room)
		_, err := h.owner.Exec(b.Context(), `
			INSERT INTO sandbox.room_types (room_type_id, tenant_id, property_id, name, description, max_occupancy, units)
			VALUES ($1, $2, $3, 'Room', 'A room', 2, 50)`, room, k.Tenant, k.Property)
		check.Must(b, err)
		_, err = h.owner.Exec(b.Context(), `
			INSERT INTO sandbox.inventory_nights (tenant_id, property_id, room_type_id, night, capacity)
			SELECT $2, $3, $1, current_date + n, 50 FROM generate_series(0, $4::int) n`, room, k.Tenant, k.Property, open400)
		check.Must(b, err)
	}
	return m
}

// clear gives all rooms back, in all books. What was booked and given back before is remembered in them, as much in each: a
// plan that was made for an empty table would read the whole table for each hold.
func (m *inventory) clear(b *testing.B) {
	b.Helper()
	m.exec(b, `TRUNCATE sandbox.allocations, sandbox.outbox, bare.nights, bare.acts`,
		`UPDATE sandbox.inventory_nights SET taken = 0, counted_at = '-infinity', next_lapse = 'infinity'`,
		`INSERT INTO sandbox.allocations (allocation_id, tenant_id, property_id, room_type_id, reservation_id, starts_on, ends_on, units, state,
			placed_at, expires_at, released_at)
		SELECT gen_random_uuid(), tenant_id, property_id, room_type_id, gen_random_uuid(), night, night + 2, 1, 'released', now(), now(), now()
		FROM sandbox.inventory_nights`,
		`INSERT INTO bare.acts SELECT allocation_id, tenant_id, room_type_id, starts_on, ends_on, units, false, placed_at, expires_at FROM sandbox.allocations`,
		`INSERT INTO bare.nights (tenant, room, night, capacity, free) SELECT tenant_id, room_type_id, night, capacity, capacity FROM sandbox.inventory_nights`, `VACUUM ANALYZE`, `CHECKPOINT`)
}

// want is a hold: of one of two suites within six nights, or of any room at any time.
func (m *inventory) want(hot bool) sandboxtest.Hold {
	room, from := m.rooms[rand.IntN(len(m.rooms))], rand.IntN(open400-10)
	if hot {
		room, from = m.hot, 10+rand.IntN(3)
	}
	start := m.today.AddDays(from)
	return sandboxtest.Hold{Tenant: demo.KabulGrand.Tenant, Property: demo.KabulGrand.Property, Reservation: id.New[id.Reservation](),
		Stay: stay.Window{Start: start, End: start.AddDays(1 + rand.IntN(4))}, TTL: 10 * time.Minute,
		Claims: []sandboxtest.Claim{{Allocation: id.New[id.Allocation](), RoomType: room, Units: 1}}}
}

// decided is how many holds 64 clients have decided in a second, granted or refused.
func (m *inventory) decided(hot bool, n int, hold func(context.Context, sandboxtest.Hold) error) side {
	return func(b *testing.B) float64 {
		m.clear(b)
		return rate(clients, n, func(ctx context.Context) error { return hold(ctx, m.want(hot)) })(b)
	}
}

func counted(pool *pgxpool.Pool) func(context.Context, sandboxtest.Hold) error {
	return func(ctx context.Context, h sandboxtest.Hold) error {
		var granted bool
		return pool.QueryRow(ctx, `SELECT bare.hold($1, $2::date, $3::date, 1)`, [16]byte(h.Claims[0].RoomType), h.Stay.Start.String(), h.Stay.End.String()).Scan(&granted)
	}
}

// publishesEach tells of a hold before it knows how it ends; both ends cost the same.
func publishesEach(m *inventory, pool *pgxpool.Pool) func(context.Context, sandboxtest.Hold) error {
	return func(ctx context.Context, h sandboxtest.Hold) error {
		e, err := written(m.fixture, sampleDraft(h.Reservation.String()))
		if err != nil {
			return err
		}
		c, granted := h.Claims[0], false
		return pool.QueryRow(ctx, `SELECT bare.tell($1, $2, $3, $4::text::date, $5::text::date, $6, $7, $8, $9, $10, $11, $12, $13)`,
			[16]byte(c.Allocation), [16]byte(h.Tenant), [16]byte(c.RoomType), h.Stay.Start.String(), h.Stay.End.String(), c.Units,
			e[0], e[1], e[3], e[4], e[5], e[6], e[7]).Scan(&granted)
	}
}

// promises has both ends of a hold ready, held to their schemas, and is in the role and the tenant.
func promises(m *inventory, pool *pgxpool.Pool) func(context.Context, sandboxtest.Hold) error {
	return func(ctx context.Context, h sandboxtest.Hold) error {
		held, err := written(m.fixture, ending(h, allocationCommitted, map[string]any{"committedAt": m.env.Now(), "expiresAt": m.env.Now()}))
		if err != nil {
			return err
		}
		refused, err := written(m.fixture, ending(h, allocationFailed, map[string]any{"failedAt": m.env.Now(), "reasonCode": "no_inventory"}))
		if err != nil {
			return err
		}
		var at time.Time
		var granted bool
		c, batch := h.Claims[0], &pgx.Batch{}
		batch.Queue(`SELECT set_config('role', 'sandbox_app', true), set_config('app.tenant_id', $1, true)`, hex.EncodeToString(h.Tenant[:]))
		batch.Queue(`SELECT granted, at FROM bare.promise($1, $2, $3, $4::text::date, $5::text::date, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
			[16]byte(c.Allocation), [16]byte(h.Tenant), [16]byte(c.RoomType), h.Stay.Start.String(), h.Stay.End.String(), c.Units, h.TTL,
			held[0], held[1], held[4], held[3], held[5], held[6], refused[3], refused[5], refused[6], held[7],
		).QueryRow(func(row pgx.Row) error { return row.Scan(&granted, &at) })
		return pool.SendBatch(ctx, batch).Close()
	}
}

// ending is how a hold may end.
func ending(h sandboxtest.Hold, s event.Subject, members map[string]any) event.Draft {
	c := h.Claims[0]
	maps.Copy(members, map[string]any{"tenantId": h.Tenant, "propertyId": h.Property, "allocationId": c.Allocation, "reservationId": h.Reservation,
		"roomTypeId": c.RoomType, "stayWindow": h.Stay, "units": c.Units})
	return event.Draft{Subject: s, Tenant: h.Tenant, OrderingKey: h.Tenant.String() + ":" + h.Reservation.String(), AggregateVersion: 1, Payload: members}
}

var allocationCommitted = event.Subject{Name: "melmastoon.inventory.allocation.committed.v1", Version: 1, Producer: "inventory-service"}

// BenchmarkInventory has 64 clients hold rooms through the store, over HTTP, and in bare SQL.
func BenchmarkInventory(b *testing.B) {
	m := openInventory(b)
	pool, books := m.bare(b, connection), sandboxtest.OpenInventory(m.env)
	store := func(ctx context.Context, h sandboxtest.Hold) error {
		if _, err := books.Hold(ctx, h); !errors.Is(err, sandboxtest.ErrSoldOut) {
			return err
		}
		return nil
	}
	http, n := overHTTP(b, m), times(3_000)
	for _, nights := range []struct {
		name string
		hot  bool
	}{{"hot nights", true}, {"spread nights", false}} {
		sides := []side{m.decided(nights.hot, n, store), m.decided(nights.hot, n, promises(m, pool)), m.decided(nights.hot, n, publishesEach(m, pool)),
			m.decided(nights.hot, n, counted(pool)), m.decided(nights.hot, n, http)}
		samples := alternate(b, rounds(6), sides...)
		bare := "plain, with all guarantees: " + perSecond("", samples[1])
		what := fmt.Sprintf("inventory store, %d clients, %s", clients, nights.name)
		put(line{what: what, ours: perSecond("holds", samples[0]), peer: bare, ratio: over(samples[0], samples[1]), least: 0.8})
		put(line{what: what, ours: perSecond("holds", samples[0]), peer: "plain, stored and published, without expiry and tenants: " + perSecond("", samples[2]),
			ratio: over(samples[0], samples[2])})
		put(line{what: what, ours: perSecond("holds", samples[0]), peer: "plain, counted only: " + perSecond("", samples[3]), ratio: over(samples[0], samples[3])})
		put(line{what: fmt.Sprintf("hold over HTTP, %d clients, %s", clients, nights.name), ours: perSecond("holds", samples[4]),
			peer: bare, ratio: over(samples[4], samples[1]), least: 0.25})
	}
}

// overHTTP asks the function that holds rooms, over real connections.
func overHTTP(b *testing.B, m *inventory) func(context.Context, sandboxtest.Hold) error {
	b.Helper()
	e, issuer := fntest.Surround(b, m.env)
	handler := check.Got(holdrooms.Function.Handler(observe.LogKey.With(e, observe.To(io.Discard)))).Must(b)
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	token := check.Got(issuer.Sign(issuer.Email(), e.Now().Add(24*time.Hour), identity.Audience(holdrooms.Function.Spec.Service()))).Must(b)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	return func(ctx context.Context, h sandboxtest.Hold) error {
		text, err := json.Marshal(holdrooms.Request{Tenant: h.Tenant, Property: h.Property, Reservation: h.Reservation, Stay: h.Stay,
			TTLSeconds: 600, Allocations: h.Claims})
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/sandbox/inventory/v1/holds", bytes.NewReader(text))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		samples, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusConflict {
			err = fmt.Errorf("%d %s", answer.StatusCode, samples)
		}
		return err
	}
}
