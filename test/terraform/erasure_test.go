package terraform

import (
	"context"
	"errors"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestReadme_erasure pastes the commands of the section about erasure and runs the job's own code. Afterwards the guest and the dead letter
// about the guest are deleted, the erasure of the session is requested, and a receipt names the operator.
func TestReadme_erasure(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(text(t, "README.md"), "## Erasure of a guest\n")
	commands := shell.FindStringSubmatch(section)
	if !found || commands == nil {
		t.Fatal("terraform/README.md has no commands about erasure")
	}
	db, tenant := pgtest.New(t), id.New[id.Tenant]()
	owner := db.Owner(t)
	t.Cleanup(func() {
		if _, err := owner.Exec(context.Background(), `TRUNCATE reservation.reservations, reservation.quotes, reservation.outbox CASCADE`); err != nil {
			t.Error(err) // the invariants know no cancellation without its event
		}
	})
	r := reservationtest.Held(t, db.Env(), tenant, id.New[id.Property]())
	for _, statement := range []string{
		`INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email, phone, locale, email_hash, phone_hash)
			SELECT reservation_id, tenant_id, guest_id, 'A', 'B', 'e', 'p', 'en', repeat('a', 64), repeat('a', 64) FROM reservation.reservations`,
		`UPDATE reservation.reservations SET state = 'cancelled', cancellation = '{}', pending_step = '', step_since = NULL`,
		`UPDATE reservation.outbox SET published_at = platform.now()`,
	} {
		check.Got(owner.Exec(t.Context(), statement)).Must(t)
	}
	pasted := blanks.ReplaceAllString(strings.NewReplacer("<tenant>", tenant.String(), "<reservation>", r.ID.String(), "<hash>", strings.Repeat("a", 64),
		"<session>", id.New[id.GuestSession]().String(), "NAME", "K. Amiri", "REASON", "the guest asked").Replace(commands[1]), "nowhere")
	deadLetterTopic := bus.Open(db.Env(), postgres.Open(db.Env(), "bus"))
	subscription := topic.Subscription{Name: "s", Topic: "t", Endpoint: "http://localhost", DeadLetter: "t.dlq", Attempts: 5}
	check.Must(t, deadLetterTopic.Subscribe(t.Context(), []topic.Subscription{subscription}))
	for _, name := range []string{r.ID.String(), id.New[id.Reservation]().String()} {
		check.Must(t, errors.Join(deadLetterTopic.Publish(t.Context(), []topic.Message{{Topic: "t.dlq", Data: []byte(`{"payload":{"reservationId":"` + name + `"}}`)}})...))
	}
	said := paste(t, "erase", "./scripts/serve/erase", pasted, "DATABASE_URL="+db.URL(), "DEAD_LETTERS="+replay.Listeners([]topic.Subscription{subscription}))
	for _, want := range []string{"would erase the guest", "dead letters: would delete 1", `erased by "K. Amiri"`, "0 reservations have a guest with this address", "the erasure of the session is requested"} {
		t.Run(want, func(t *testing.T) { check.Contains(t, said, want) })
	}
	var guests, receipts, requests, dead int
	check.Must(t, owner.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM reservation.guests), (SELECT count(*) FROM bff_consumer.erasure_requests),
		(SELECT count(*) FROM reservation.erasures WHERE completed_at IS NOT NULL AND requested_by = 'K. Amiri'), (SELECT count(*) FROM bus.deliveries)`).Scan(&guests, &requests, &receipts, &dead))
	check.Equal(t, guests, 0)
	check.Equal(t, dead, 1)
	check.Equal(t, requests, 1)
	check.Equal(t, receipts, 1)
}
