package terraform

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// pageBlocks returns the blocks of a page about point-in-time recovery or rolling back, with a moment.
func pageBlocks(t *testing.T, page string) (blocks []string) {
	t.Helper()
	for _, m := range shell.FindAllStringSubmatch(text(t, page), -1) {
		filled := strings.NewReplacer("<project>", "my-project", "<region>", "me-central1", "<moment>", "2026-11-26T14:03:00Z", "<function>", "reservation-hold").Replace(m[1])
		blocks = append(blocks, "(cd terraform; "+filled+")") // each block sets its own variables
	}
	return blocks
}

// restored runs the blocks, and returns the commands in order.
func restored(t *testing.T, blocks []string) ([]string, error) {
	t.Helper()
	r := newReader(t)
	if err := r.paste("-euc", "", strings.Join(blocks, "\n")); err != nil {
		return nil, err
	}
	for _, wrong := range r.unknown() {
		t.Errorf("the command line of Google has no %s", wrong)
	}
	return r.commands(), nil
}

// TestRestore_blocks runs all commands of the page in order, with stubs. Everything is of one project; what is closed is opened, what is
// paused is resumed, and what is cloned is deleted.
func TestRestore_blocks(t *testing.T) {
	t.Parallel()
	commands := check.Got(restored(t, pageBlocks(t, "RESTORE.md"))).Must(t)
	for _, command := range commands {
		if strings.HasPrefix(command, "gcloud ") && !strings.Contains(command, " --project=my-project") {
			t.Errorf("%s does not name its project", command)
		}
	}
	at := -1
	for _, step := range []string{
		"scheduler jobs pause reservation-sweepnoshows",
		"firewall-rules create melmastoon-closed --project=my-project --network=melmastoon --direction=EGRESS --priority=0 --action=DENY --rules=tcp --destination-ranges=10.20.0.3/32",
		"instances clone melmastoon melmastoon-after",
		"instances clone melmastoon melmastoon-before --project=my-project --point-in-time=2026-11-26T14:03:00Z",
		"jobs execute outbox --project=my-project --region=me-central1 --wait --update-env-vars=CLOUDSQL_INSTANCE=my-project:me-central1:melmastoon-before " +
			"--args=-lost=melmastoon-after,-since=2026-11-26T14:03:00Z",
		"backups create --instance=melmastoon-before --project=my-project --location=me-central1",
		"backups restore 1764165780000 --restore-instance=melmastoon --backup-instance=melmastoon-before",
		"secrets versions add melmastoon-handoff-keys",
		"firewall-rules delete melmastoon-closed",
		"subscriptions seek reservation-paymentcaptured --project=my-project --time=2026-11-26T14:03:00Z",
		"subscriptions seek consumer-handoffconsumed",
		"jobs execute outbox --project=my-project --region=me-central1 --wait --args=-lost=melmastoon-after,-since=2026-11-26T14:03:00Z",
		"scheduler jobs resume reservation-sweepnoshows",
		"instances delete melmastoon-before",
		"instances delete melmastoon-after",
	} {
		next := slices.IndexFunc(commands[at+1:], func(command string) bool { return strings.Contains(command, step) })
		if next < 0 {
			t.Fatalf("the page does not run %q after the first %d of %q", step, at+1, commands)
		}
		at += next + 1
	}
}

// TestRestore_mistakes changes one word of the page at a time. The stubs must reject each change.
func TestRestore_mistakes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"job":      {"jobs execute outbox", "jobs execute outboxes"},
		"instance": {"sql instances restart melmastoon", "sql instances restart main"},
		"unset":    {`MOMENT="2026-11-26T14:03:00Z"`, `TIME="2026-11-26T14:03:00Z"`},
		"output":   {"output -raw migrate", "output -raw migration"},
		"again":    {"clone melmastoon melmastoon-before", "clone melmastoon melmastoon-after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := strings.Join(pageBlocks(t, "RESTORE.md"), "\n")
			if !strings.Contains(page, change[0]) {
				t.Fatalf("the page has no %q", change[0])
			}
			if _, err := restored(t, []string{strings.ReplaceAll(page, change[0], change[1])}); err == nil {
				t.Errorf("%q in place of %q is not noticed", change[1], change[0])
			}
		})
	}
}

// TestRollback_blocks runs all commands of the page about rolling back. They build and apply nothing, and in the end all traffic follows
// the latest revisions again.
func TestRollback_blocks(t *testing.T) {
	t.Parallel()
	commands := check.Got(restored(t, pageBlocks(t, "ROLLBACK.md"))).Must(t)
	const at = " --project=my-project --region=me-central1 "
	var moved []string
	for _, command := range commands {
		check.Contains(t, command+" ", at)
		if function, to, ok := strings.Cut(strings.TrimPrefix(command, "gcloud run services update-traffic "), at); ok && strings.Contains(command, "update-traffic") {
			moved = append(moved, function+" "+to)
		}
	}
	want := []string{
		"reservation-hold --to-revisions=revision-00001=100",
		"reservation-hold --to-revisions=revision-00002=100 --async", "consumer-search --to-revisions=revision-00002=100 --async",
		"reservation-hold --to-latest --async", "consumer-search --to-latest --async",
	}
	if !slices.Equal(moved, want) {
		t.Errorf("the page moves traffic of %q, want %q", moved, want)
	}
}
