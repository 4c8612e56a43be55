package terraform

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// changes finds the command on a page that changes the outbox.
var changes = regexp.MustCompile("`(gcloud run jobs execute outbox [^`]*;-go;[^`]*)`")

// TestPlaybook_stuckEvents pastes the commands of the pages about stuck events, with the job's own program. Afterwards the parked event
// waits for the relay, or is deleted if it is telemetry.
func TestPlaybook_stuckEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ page, schema, subject, cause, says, status string }{
		{"outbox", "reservation", "melmastoon.reservation.held.v1", "contract: /holdId: missing", "unpark evt_", "pending"},
		{"outbox-telemetry", "bff_consumer", "melmastoon.bff.consumer.click.recorded.v1", "contract: /email: unknown member", "forget evt_", "gone"},
		{"outbox-lag", "reservation", "melmastoon.reservation.held.v1", "contract: /holdId: missing", "reservation: 1 of melmastoon.reservation.held.v1 parked", "parked"},
	} {
		t.Run(test.page, func(t *testing.T) {
			t.Parallel()
			db, event := pgtest.New(t), id.New[id.Event]()
			owner := db.Owner(t)
			t.Cleanup(func() {
				if _, err := owner.Exec(context.Background(), `TRUNCATE `+test.schema+`.outbox`); err != nil {
					t.Error(err) // the invariants do not know the event
				}
			})
			_, err := owner.Exec(t.Context(), `
				INSERT INTO `+test.schema+`.outbox (id, event_id, subject, ordering_key, payload, envelope, occurred_at, parked_reason)
				VALUES (@id, @event, @subject, 'k', '{}', '{}', platform.now(), @cause)`,
				pgx.StrictNamedArgs{"id": event, "event": event.String(), "subject": test.subject, "cause": test.cause})
			must(t, err)
			page := playbook(t, test.page)
			commands := shell.FindStringSubmatch(page)[1]
			if change := changes.FindStringSubmatch(page); change != nil {
				commands += change[1] + "\n"
			}
			commands = blanks.ReplaceAllString(strings.NewReplacer("<schema>", test.schema, "NAME", "K. Amiri", "REASON", "it is mended").Replace(commands), "nowhere")
			said := paste(t, "outbox", "./jobs/outbox/main", commands, "DATABASE_URL="+db.URL())
			if !strings.Contains(said, test.says) {
				t.Errorf("the job printed %s, want %q in it", said, test.says)
			}
			var status string
			must(t, owner.QueryRow(t.Context(), `SELECT coalesce((SELECT status FROM `+test.schema+`.outbox), 'gone')`).Scan(&status))
			if status != test.status {
				t.Errorf("the event is %s, want %s; the job printed %s", status, test.status, said)
			}
		})
	}
}
