package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/functions/sandbox/holdrooms"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn/observe"
	"melmastoon.ghasi.io/shared/fntest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/identity"
	"melmastoon.ghasi.io/shared/stay"
)

// bareBooks are the best safe books that we know how to keep with a bare driver: a counter for each night, looked at
// without a lock first, then locked in order, in one call that is its own transaction. hold only counts. promise keeps
// what ours promises too: the act is remembered under its id, granted or not, and told in the outbox.
const bareBooks = `
	CREATE SCHEMA bare;
	CREATE TABLE bare.nights (room uuid, night date, free int NOT NULL CHECK (free >= 0), PRIMARY KEY (room, night)) WITH (fillfactor = 50);
	CREATE TABLE bare.acts (act uuid PRIMARY KEY, room uuid NOT NULL, starts date NOT NULL, ends date NOT NULL, units int NOT NULL,
		granted bool NOT NULL, at timestamptz NOT NULL, expires timestamptz NOT NULL);
	CREATE INDEX ON bare.acts (expires) WHERE granted;
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
	CREATE FUNCTION bare.promise(p_act uuid, p_room uuid, p_start date, p_end date, p_units int, p_event uuid, p_text text,
		p_tenant uuid, p_subject text, p_key text, p_payload jsonb, p_envelope jsonb, p_at timestamptz) RETURNS bool LANGUAGE plpgsql AS $$
	DECLARE
		v_granted bool;
	BEGIN
		SELECT granted INTO v_granted FROM bare.acts WHERE act = p_act;
		IF FOUND THEN
			RETURN v_granted;
		END IF;
		v_granted := bare.hold(p_room, p_start, p_end, p_units);
		INSERT INTO bare.acts VALUES (p_act, p_room, p_start, p_end, p_units, v_granted, now(), now() + interval '10 min');
		INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
		VALUES (p_event, p_text, p_tenant, p_subject, p_key, p_payload, p_envelope, p_at);
		RETURN v_granted;
	END $$`

// Books for 64 clients: their connections, and how many room types and nights there are when stays are spread.
const (
	clients    = 64
	connection = 16
	roomTypes  = 60
	open400    = 400
)

// A market is where rooms are held: one hotel, with the same rooms in our books and in the bare ones.
type market struct {
	*house
	env   env.Env
	today stay.Date
	hot   id.RoomType
	rooms []id.RoomType
}

func openMarket(b *testing.B) *market {
	b.Helper()
	h := open(b, connection)
	must(b, demo.Load(b.Context(), h.env))
	h.exec(b, bareBooks)
	m := &market{house: h, env: h.env, today: stay.DateOf(h.env.Now()), hot: demo.KabulGrand.Rooms[2].ID}
	k := demo.KabulGrand
	for range roomTypes {
		room := id.New[id.RoomType]()
		m.rooms = append(m.rooms, room)
		_, err := h.owner.Exec(b.Context(), `
			INSERT INTO sandbox.room_types (room_type_id, tenant_id, property_id, name, description, max_occupancy, units)
			VALUES ($1, $2, $3, 'Room', 'A room', 2, 50)`, room, k.Tenant, k.Property)
		must(b, err)
		_, err = h.owner.Exec(b.Context(), `
			INSERT INTO sandbox.inventory_nights (tenant_id, property_id, room_type_id, night, capacity)
			SELECT $2, $3, $1, current_date + n, 50 FROM generate_series(0, $4::int) n`, room, k.Tenant, k.Property, open400)
		must(b, err)
	}
	return m
}

// clear gives all rooms back, in all books.
func (m *market) clear(b *testing.B) {
	b.Helper()
	m.exec(b, `TRUNCATE sandbox.allocations, sandbox.outbox, bare.nights, bare.acts`,
		`INSERT INTO bare.nights SELECT room_type_id, night, capacity FROM sandbox.inventory_nights`, `VACUUM ANALYZE`, `CHECKPOINT`)
}

// want is a hold: of one of two suites within six nights, or of any room at any time.
func (m *market) want(hot bool) sandbox.Hold {
	room, from := m.rooms[rand.IntN(len(m.rooms))], rand.IntN(open400-10)
	if hot {
		room, from = m.hot, 10+rand.IntN(3)
	}
	start := m.today.AddDays(from)
	return sandbox.Hold{Tenant: demo.KabulGrand.Tenant, Property: demo.KabulGrand.Property, Reservation: id.New[id.Reservation](),
		Stay: stay.Window{Start: start, End: start.AddDays(1 + rand.IntN(4))}, TTL: 10 * time.Minute,
		Claims: []sandbox.Claim{{Allocation: id.New[id.Allocation](), RoomType: room, Units: 1}}}
}

// decided is how many holds 64 clients have decided in a second, granted or refused.
func (m *market) decided(hot bool, n int, hold func(context.Context, sandbox.Hold) error) side {
	return func(b *testing.B) float64 {
		m.clear(b)
		return rate(clients, n, func(ctx context.Context) error { return hold(ctx, m.want(hot)) })(b)
	}
}

func counted(pool *pgxpool.Pool) func(context.Context, sandbox.Hold) error {
	return func(ctx context.Context, h sandbox.Hold) error {
		var granted bool
		return pool.QueryRow(ctx, `SELECT bare.hold($1, $2::date, $3::date, 1)`, [16]byte(h.Claims[0].RoomType), h.Stay.Start.String(), h.Stay.End.String()).Scan(&granted)
	}
}

// promised tells of a hold before it knows how it ends; both ends cost the same.
func promised(m *market, pool *pgxpool.Pool) func(context.Context, sandbox.Hold) error {
	return func(ctx context.Context, h sandbox.Hold) error {
		args, err := written(m.house, told(h.Reservation.String()))
		if err != nil {
			return err
		}
		c, granted := h.Claims[0], false
		all := append([]any{[16]byte(c.Allocation), [16]byte(c.RoomType), h.Stay.Start.String(), h.Stay.End.String(), 1}, args...)
		return pool.QueryRow(ctx, `SELECT bare.promise($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8, $9, $10, $11, $12, $13)`, all...).Scan(&granted)
	}
}

// BenchmarkInventory has 64 clients hold rooms through the store, over HTTP, and in bare SQL.
func BenchmarkInventory(b *testing.B) {
	m := openMarket(b)
	pool, books := m.bare(b, connection), sandbox.OpenInventory(m.env)
	store := func(ctx context.Context, h sandbox.Hold) error {
		if _, err := books.Hold(ctx, h); !errors.Is(err, sandbox.ErrSoldOut) {
			return err
		}
		return nil
	}
	http, n := overHTTP(b, m), times(3_000)
	for _, nights := range []struct {
		name string
		hot  bool
	}{{"hot nights", true}, {"spread nights", false}} {
		sides := []side{m.decided(nights.hot, n, store), m.decided(nights.hot, n, promised(m, pool)), m.decided(nights.hot, n, counted(pool)),
			m.decided(nights.hot, n, http)}
		said := alternate(b, rounds(2), sides...)
		bare := "bare, remembering and telling: " + perSecond("", said[1])
		put(line{what: fmt.Sprintf("inventory store, %d clients, %s", clients, nights.name), ours: perSecond("holds", said[0]),
			peer: bare, ratio: over(said[0], said[1]), least: 0.8})
		put(line{what: fmt.Sprintf("inventory store, %d clients, %s", clients, nights.name), ours: perSecond("holds", said[0]),
			peer: "bare, only counting: " + perSecond("", said[2]), ratio: over(said[0], said[2])})
		put(line{what: fmt.Sprintf("hold over HTTP, %d clients, %s", clients, nights.name), ours: perSecond("holds", said[3]),
			peer: bare, ratio: over(said[3], said[1]), least: 0.25})
	}
}

// overHTTP asks the function that holds rooms, over real connections.
func overHTTP(b *testing.B, m *market) func(context.Context, sandbox.Hold) error {
	b.Helper()
	e, issuer := fntest.Surround(b, m.env)
	handler, err := holdrooms.Function.Handler(env.Give(e, observe.To(io.Discard)))
	must(b, err)
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	token, err := issuer.Sign(issuer.Email(), e.Now().Add(24*time.Hour), identity.Audience(holdrooms.Function.Spec.Service()))
	must(b, err)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	return func(ctx context.Context, h sandbox.Hold) error {
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
		said, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusConflict {
			err = fmt.Errorf("%d %s", answer.StatusCode, said)
		}
		return err
	}
}
