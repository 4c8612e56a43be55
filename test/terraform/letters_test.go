package terraform

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

// gcloud stands in for Google's program: it shows a letter to whoever pulls, and notes what else it is asked, a line for each word.
const gcloud = `#!/bin/sh
if [ "$3" = pull ]; then cat "$LETTERS"; exit; fi
for word in "$@"; do printf '%s\n' "$word"; done >> "$NOTES"
`

var takesALetter = regexp.MustCompile("(?s)### Playbook: dead letters\n.*?```sh\n(.*?)```")

// TestALetterIsPublishedAgainAsItWas does what the playbook says, with a letter that a function has parked.
func TestALetterIsPublishedAgainAsItWas(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed, which the playbook of dead letters needs")
	}
	tenant := id.New[id.Tenant]()
	subject := event.Subject{Name: "melmastoon.reservation.held.v1", Version: 1, Producer: "reservation-service", SchemaURI: "https://schemas.melmastoon.io/held/v1.json"}
	raw, err := event.Draft{Subject: subject, Tenant: tenant, OrderingKey: tenant.String() + ":k", Payload: map[string]string{"guest": "it's \"کابل\" | 100 % $HOME\n"}}.
		Seal(time.UnixMilli(1).UTC(), event.Origin{})
	must(t, err)
	data, err := raw.Data()
	must(t, err)
	attributes := maps.Clone(raw.Attributes())
	attributes["melmastoon-parked-reason"] = "this, and=that | more"
	attributes["CloudPubSubDeadLetterSourceDeliveryCount"] = "20"
	notes := replay(t, map[string]any{"ackId": "ack-1", "message": map[string]any{"data": data, "attributes": attributes, "orderingKey": raw.Attributes()["ce-partitionkey"]}})

	if strings.Join(notes[:4], " ") != "pubsub topics publish "+subject.Name || notes[4] != "--ordering-key="+tenant.String()+":k" || notes[6] != "--message="+string(data) {
		t.Errorf("asked for %q", notes)
	}
	given, ok := strings.CutPrefix(notes[5], "--attribute=^|^")
	got := map[string]string{}
	for pair := range strings.SplitSeq(given, "|") {
		name, value, _ := strings.Cut(pair, "=")
		got[name] = value
	}
	if !ok || !maps.Equal(got, raw.Attributes()) {
		t.Errorf("attributes %v\nwant       %v", got, raw.Attributes())
	}
	if rest := strings.Join(notes[7:], " "); rest != "pubsub subscriptions ack letters --ack-ids=ack-1" {
		t.Errorf("then asked for %q", rest)
	}
}

// replay runs the playbook's commands where there is one letter, and returns what they asked for.
func replay(t *testing.T, letter map[string]any) []string {
	t.Helper()
	commands := takesALetter.FindStringSubmatch(text(t, "README.md"))
	if commands == nil {
		t.Fatal("the playbook of dead letters has no commands")
	}
	dir := t.TempDir()
	letters, err := json.Marshal([]any{letter})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "letters"), letters, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "gcloud"), []byte(gcloud), 0o700))
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", commands[1])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TOPIC=letters", "LETTERS="+filepath.Join(dir, "letters"), "NOTES="+filepath.Join(dir, "notes"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	notes, err := os.ReadFile(filepath.Join(dir, "notes"))
	must(t, err)
	return strings.Split(strings.TrimSuffix(string(notes), "\n"), "\n")
}
