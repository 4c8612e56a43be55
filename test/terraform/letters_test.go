package terraform

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// gcloud is a program in place of Google's. It runs a job's program with the given arguments and appends its output to a file. It splits
// the arguments as gcloud does: at commas, or at the character between two carets.
const gcloud = `#!/bin/sh
[ "$1" = logging ] && exit
[ "$1 $2 $3" = "run jobs execute" ] || exit 64
job=$4
for word in "$@"; do case "$word" in --args=*) args=${word#--args=};; esac; done
IFS=,
case "$args" in ^?^*) rest=${args#???}; IFS=${args%"^$rest"}; IFS=${IFS#^}; args=$rest;; esac
echo "called with $args" >> "$NOTES"
set -f
exec "$PROGRAMS/$job" $args >> "$NOTES"
`

// replays finds the command that replays, which is not among those to paste at first.
var replays = regexp.MustCompile("`(gcloud run jobs execute replay [^`]* --args=\"-go,[^`]*)`")

// A replayTest is a bus with dead letters, on which the test runs the commands of the playbook.
type replayTest struct {
	db  *pgtest.Database
	bus *bus.Bus
}

const (
	held            = "melmastoon.reservation.held.v1"
	deadLetterTopic = "reservation.held.dlq"
)

func openReplayTest(t *testing.T) replayTest {
	t.Helper()
	p := replayTest{db: pgtest.New(t)}
	p.bus = bus.Open(p.db.Env(), postgres.Open(p.db.Env(), "bus"))
	check.Must(t, p.bus.Subscribe(t.Context(), heldSubscription()))
	return p
}

func heldSubscription() []topic.Subscription {
	return []topic.Subscription{{Name: "desk-held", Topic: held, Endpoint: "http://localhost", DeadLetter: deadLetterTopic, Attempts: 5}}
}

// deadLetter publishes an event to the dead-letter topic as a function does, and returns its id.
func (p replayTest) deadLetter(t *testing.T, reason string) string {
	t.Helper()
	tenant := id.New[id.Tenant]()
	subject := event.Subject{Name: held, Version: 1, Producer: "reservation-service", SchemaURI: "https://schemas.melmastoon.io/held/v1.json"}
	raw, err := event.Draft{Subject: subject, Tenant: tenant, OrderingKey: tenant.String() + ":k", Payload: map[string]string{"guest": "it's \"کابل\" | 100 % $HOME\n"}}.
		Seal(time.UnixMilli(1).UTC(), event.Origin{})
	check.Must(t, err)
	data := check.Got(raw.Data()).Must(t)
	a := raw.Attributes()
	a["melmastoon-parked-by"], a["melmastoon-parked-reason"] = "desk-held", reason
	check.Must(t, errors.Join(p.bus.Publish(t.Context(), []topic.Message{{Topic: deadLetterTopic, Attributes: a, Data: data}})...))
	return raw.Envelope.EventID.String()
}

// TestPlaybook_replaysDeadLetters does what the playbook of dead letters says, with two dead letters and with the job's own program.
func TestPlaybook_replaysDeadLetters(t *testing.T) {
	t.Parallel()
	p := openReplayTest(t)
	missing := p.deadLetter(t, "reservation: "+id.New[id.Reservation]().String()+" not found")
	broken := p.deadLetter(t, "contract: this, and=that | more")
	said := p.play(t)
	for name, want := range map[string]string{
		"count":                            deadLetterTopic + ": 1 of " + held + " to desk-held, the oldest of 1970-01-01T00:00:00Z: reservation: rsv_… not found\n",
		"event of the missing reservation": `"ce-id":"` + missing + `"`,
		"event of the broken contract":     `"ce-id":"` + broken + `"`,
		"event to replay":                  "would replay " + missing,
		"dry run":                          "would replay 1 of 2 messages",
		"replay":                           "replayed 1 of 2 messages",
	} {
		t.Run(name, func(t *testing.T) { check.Contains(t, said, want) })
	}
	check.Lacks(t, said, "guest", "would replay "+broken)
	var back, left string
	owner := p.db.Owner(t)
	check.Must(t, owner.QueryRow(t.Context(), `
		SELECT attributes ->> 'ce-id' FROM bus.messages
		WHERE topic = $1 AND attributes ->> 'ce-replayto' = 'desk-held' AND ordering_key = attributes ->> 'ce-partitionkey'`, held).Scan(&back))
	check.Must(t, owner.QueryRow(t.Context(), `
		SELECT m.attributes ->> 'ce-id' FROM bus.deliveries AS d JOIN bus.messages AS m USING (seq) WHERE d.subscription = $1`, deadLetterTopic).Scan(&left))
	check.Equal(t, back, missing)
	check.Equal(t, left, broken)
}

// play runs the playbook's commands and returns what the job said.
func (p replayTest) play(t *testing.T) string {
	t.Helper()
	page := strings.ReplaceAll(playbook(t, "dead-letters"), "<topic>", deadLetterTopic)
	commands, replays := shell.FindStringSubmatch(page), replays.FindStringSubmatch(page)
	if commands == nil || replays == nil {
		t.Fatal("the page dead-letters has no commands, or none that replays")
	}
	return paste(t, "replay", "./scripts/serve/replay", blanks.ReplaceAllString(commands[1], "nowhere")+replays[1],
		"DATABASE_URL="+p.db.URL(), "PUBSUB_EMULATOR_HOST=", "DEAD_LETTERS="+replay.Listeners(heldSubscription()))
}

// paste runs commands of a playbook in a shell whose gcloud runs the job, built from a package, and returns the output of the job.
func paste(t *testing.T, job, program, commands string, environment ...string) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, job), program)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check.Must(t, os.WriteFile(filepath.Join(dir, "gcloud"), []byte(gcloud), 0o700))
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", commands)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "PROGRAMS=" + dir, "NOTES=" + filepath.Join(dir, "notes")}, environment)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(check.Got(os.ReadFile(filepath.Join(dir, "notes"))).Must(t))
}
