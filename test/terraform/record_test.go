package terraform

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/keyfailed"
	"melmastoon.ghasi.io/functions/reservation/quote"
	"melmastoon.ghasi.io/functions/reservation/relay"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/functions/reservation/roomoutoforder"
	"melmastoon.ghasi.io/functions/reservation/watchsagas"
	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// record returns, for each trouble, the line that a function of the reservation service writes in it.
func record(t *testing.T) map[string]string {
	t.Helper()
	db := pgtest.New(t)
	reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]()) // events without a publisher
	owner := db.Owner(t)
	exec := func(statement string) {
		t.Helper()
		check.Got(owner.Exec(context.WithoutCancel(t.Context()), statement)).Must(t)
	}
	exec(`UPDATE reservation.outbox SET parked_reason = 'too large', envelope = jsonb_set(envelope, '{retentionClass}', '"regulated"') WHERE seq = (SELECT min(seq) FROM reservation.outbox)`)
	publishing := topic.PublisherKey.With(db.Env(), &topictest.Memory{})
	noDatabase := env.Of(map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable"})
	panicking := postgres.TracerKey.With(env.Of(map[string]string{"DATABASE_URL": db.URL()}), postgres.Tracer(func(string) pgx.QueryTracer { panic("a mistake") }))
	property := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // a property without rooms
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"tenantId":%q,"timeZone":"Asia/Kabul","checkInFrom":"14:00","checkOutUntil":"12:00","rooms":[]}`, r.Header.Get("X-Tenant-Id"))
	}))
	t.Cleanup(property.Close)
	alone := db.Env().With("UPSTREAM_PROPERTY_URL", property.URL)
	for _, name := range []string{"PRICING", "INVENTORY", "TENANT", "PAYMENT", "LOCK"} {
		alone = alone.With("UPSTREAM_"+name+"_URL", "http://127.0.0.1:1")
	}
	lines := map[string]string{
		"parked":      line(t, publishing, relay.Function),
		"dead relay":  line(t, db.Env(), relay.Function),
		"no database": line(t, noDatabase, quote.Function),
		"bad release": line(t, panicking, quote.Function),
		"no upstream": line(t, alone, quote.Function),
	}
	exec(`UPDATE reservation.outbox SET envelope = jsonb_set(envelope, '{retentionClass}', '"operational"') WHERE parked_reason IS NOT NULL`)
	lines["parked operational"] = line(t, publishing, relay.Function)
	exec(`DELETE FROM reservation.outbox WHERE parked_reason IS NOT NULL`)
	for trouble, rows := range map[string]string{"growing outbox": "49000000", "large outbox": "51000000"} {
		exec(`UPDATE pg_catalog.pg_class SET reltuples = ` + rows + ` WHERE oid = 'reservation.outbox'::regclass`) // an estimate is not counted
		lines[trouble] = line(t, publishing, relay.Function)
	}
	r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	reservationtest.Confirm(t, db, r)
	reservationtest.StartCheckIn(t, db, r)
	key := r.Keys[0]
	lines["manual key"] = line(t, alone, keyfailed.Function, pushed(t, keyfailed.Function, r.Tenant, map[string]any{
		"tenantId": r.Tenant, "propertyId": r.Property, "reservationId": r.ID, "itemId": key.Item, "roomId": key.Room, "keyCredentialId": key.ID,
		"validFrom": alone.Now(), "validUntil": alone.Now(), "reasonCode": "battery_low", "failedAt": alone.Now(),
	}))
	lines["no other room"] = line(t, alone, roomoutoforder.Function, pushed(t, roomoutoforder.Function, r.Tenant, map[string]any{
		"tenantId": r.Tenant, "propertyId": r.Property, "roomId": key.Room, "roomTypeId": r.Items[0].RoomType, "from": r.Stay.Start, "until": r.Stay.End,
		"reasonCode": "water", "occurredAt": alone.Now(),
	}))
	exec(`UPDATE reservation.reservations SET step_attempts = 5, step_since = step_since - interval '7 minutes' WHERE pending_step = 'await_inventory'`)
	lines["stuck step"] = line(t, alone, watchsagas.Function)
	_, err := owner.Exec(context.WithoutCancel(t.Context()), `
		INSERT INTO bff_tenant_booking.booking_drafts (draft_id, tenant_id, session_id, state, version, reservation_id, body, created_at, active_at, expires_at)
		SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'paying', 4, gen_random_uuid(), @body, at, at, at
		FROM (SELECT platform.now() - interval '3 hours' AS at) AS waiting`, pgx.StrictNamedArgs{"body": waitingDraft})
	check.Must(t, err)
	lines["stuck draft"] = line(t, alone.With("UPSTREAM_RESERVATION_URL", "http://127.0.0.1:1"), sweepdrafts.Function)
	exec(`DELETE FROM bff_tenant_booking.booking_drafts`)
	exec(`DELETE FROM reservation.outbox WHERE parked_reason IS NOT NULL`)
	return lines
}

// waitingDraft is the body of a draft that has waited for its payment for years.
const waitingDraft = `{"quote":{},"hold":{"reservationId":"rsv_01J8KABG000000000000000RSV"},"payment":{"intentId":"pyi_01J8KABG000000000000000PAY","method":"card"},
	"trail":[{"state":"paying","at":"2020-01-01T00:00:00Z"}]}`

// pushed returns an event of another service for a function.
func pushed(t *testing.T, to fn.Function, tenant id.Tenant, payload map[string]any) event.Raw {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: to.Spec.Subject, Version: 1, Producer: "platform-service"}, Tenant: tenant, OrderingKey: tenant.String(), Payload: payload,
	}.Seal(time.Now(), event.Origin{})
	check.Must(t, err)
	return raw
}

// line is what a function writes about one call: a tick, the push of an event or a request.
func line(t *testing.T, e env.Env, f fn.Function, events ...event.Raw) string {
	t.Helper()
	e, issuer := fntest.Surround(t, e)
	var written bytes.Buffer
	e = observe.LogKey.With(e, observe.To(&written))
	front := fntest.Behind(t, e, issuer, f)
	switch {
	case f.Spec.Schedule != "":
		front.Tick(f)
	case f.Spec.Subject != "":
		front.Push(f, events[0])
	default: // by the handler itself: no document describes the answer to a panic
		handler := check.Got(f.Handler(e)).Must(t)
		handler.ServeHTTP(httptest.NewRecorder(), front.Request(t, http.MethodPost, "/api/v1/reservations/quotes", reservationtest.Ask(t, id.New[id.Property]()),
			"X-Tenant-Id", id.New[id.Tenant]().String(), "Idempotency-Key", id.New[id.Request]().String()))
	}
	if entry(written.String()) == nil || strings.Count(written.String(), "\n") != 1 {
		t.Fatalf("%s wrote %q", f.Spec.Name, written.String())
	}
	return written.String()
}
