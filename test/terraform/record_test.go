package terraform

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/keyfailed"
	"melmastoon.ghasi.io/functions/reservation/quote"
	"melmastoon.ghasi.io/functions/reservation/relay"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/functions/reservation/watchsagas"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
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
		_, err := owner.Exec(context.WithoutCancel(t.Context()), statement)
		must(t, err)
	}
	exec(`UPDATE reservation.outbox SET parked_reason = 'too large' WHERE seq = (SELECT min(seq) FROM reservation.outbox)`)
	publishing := topic.PublisherKey.With(db.Env(), &topictest.Memory{})
	away := env.Of(map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable"})
	panicking := postgres.TracerKey.With(env.Of(map[string]string{"DATABASE_URL": db.URL()}), postgres.Tracer(func(string) pgx.QueryTracer { panic("a mistake") }))
	alone := db.Env()
	for _, name := range []string{"PRICING", "PROPERTY", "INVENTORY", "TENANT", "PAYMENT", "LOCK"} {
		alone = alone.With("UPSTREAM_"+name+"_URL", "http://127.0.0.1:1")
	}
	lines := map[string]string{
		"parked":      line(t, publishing, relay.Function),
		"dead relay":  line(t, db.Env(), relay.Function),
		"no database": line(t, away, quote.Function),
		"bad release": line(t, panicking, quote.Function),
		"no upstream": line(t, alone, quote.Function),
	}
	exec(`UPDATE reservation.outbox SET subject = 'melmastoon.bff.tenant.flow.step_completed.v1' WHERE parked_reason IS NOT NULL`)
	lines["parked telemetry"] = line(t, publishing, relay.Function)
	lines["manual key"] = keyFailed(t, db)
	exec(`UPDATE reservation.reservations SET step_attempts = 5, step_since = step_since - interval '7 minutes' WHERE pending_step = 'await_inventory'`)
	lines["stuck step"] = line(t, alone, watchsagas.Function)
	exec(`DELETE FROM reservation.outbox WHERE parked_reason IS NOT NULL`)
	return lines
}

// keyFailed returns the line of the event that completes a check-in without an electronic key.
func keyFailed(t *testing.T, db *pgtest.Database) string {
	t.Helper()
	r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	reservationtest.Confirm(t, db, r)
	reservationtest.StartCheckIn(t, db, r)
	k := r.Keys[0]
	raw, err := event.Draft{
		Subject: event.Subject{Name: keyfailed.Function.Spec.Subject, Version: 1, Producer: "lock-integration-service"},
		Tenant:  r.Tenant, OrderingKey: r.ID.String(), Payload: map[string]any{
			"tenantId": r.Tenant, "propertyId": r.Property, "reservationId": r.ID, "itemId": k.Item, "roomId": k.Room, "keyCredentialId": k.ID,
			"validFrom": db.Env().Now(), "validUntil": db.Env().Now(), "reasonCode": "battery_low", "failedAt": db.Env().Now(),
		},
	}.Seal(db.Env().Now(), event.Origin{})
	must(t, err)
	return line(t, topic.PublisherKey.With(db.Env(), &topictest.Memory{}).With("UPSTREAM_LOCK_URL", "http://127.0.0.1:1"), keyfailed.Function, raw)
}

// line is what a function writes about one call: a tick, the push of an event or a request.
func line(t *testing.T, e env.Env, f fn.Function, pushed ...event.Raw) string {
	t.Helper()
	e, issuer := fntest.Surround(t, e)
	var written bytes.Buffer
	e = observe.LogKey.With(e, observe.To(&written))
	front := fntest.Behind(t, e, issuer, f)
	switch {
	case f.Spec.Schedule != "":
		front.Tick(f)
	case f.Spec.Subject != "":
		front.Push(f, pushed[0])
	default: // by the handler itself: no document describes the answer to a panic
		handler, err := f.Handler(e)
		must(t, err)
		handler.ServeHTTP(httptest.NewRecorder(), front.Request(t, http.MethodPost, "/api/v1/reservations/quotes", reservationtest.Ask(t, id.New[id.Property]()),
			"X-Tenant-Id", id.New[id.Tenant]().String(), "Idempotency-Key", id.New[id.Request]().String()))
	}
	if entry(written.String()) == nil || strings.Count(written.String(), "\n") != 1 {
		t.Fatalf("%s wrote %q", f.Spec.Name, written.String())
	}
	return written.String()
}
