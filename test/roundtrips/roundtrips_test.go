package roundtrips

import (
	"bufio"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/platform/env"
)

//go:embed roundtrips.txt
var committed string

// A line holds the cost of a call with cold and with warm caches.
type line struct{ cold, warm trips }

// read reads the file. Each line has a name and two costs.
func read(t *testing.T, text string) map[string]line {
	t.Helper()
	lines := map[string]line{}
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		n := len(words) - 2
		if n < 1 {
			t.Fatalf("the file has %q", s.Text())
		}
		lines[strings.Join(words[:n], " ")] = line{figure(t, words[n]), figure(t, words[n+1])}
	}
	return lines
}

func figure(t *testing.T, text string) (f trips) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "%d/%d/%d/%d", &f.SQL, &f.Tx, &f.Doc, &f.Up); err != nil {
		t.Fatalf("the file has %q: %v", text, err)
	}
	return f
}

// more reports whether a call needs more trips of any kind than another.
func (t trips) more(than trips) bool {
	return t.SQL > than.SQL || t.Tx > than.Tx || t.Doc > than.Doc || t.Up > than.Up
}

// differences returns descriptions of costs that differ from the expected ones.
func differences(got, want map[string]trips, kind string) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(got)) {
		was, known := want[name]
		switch {
		case !known:
			found = append(found, fmt.Sprintf("%s, %s: costs %s and is not in the file", name, kind, got[name]))
		case got[name].more(was):
			found = append(found, fmt.Sprintf("%s, %s: costs %s, more than the %s that are committed", name, kind, got[name], was))
		case got[name] != was:
			found = append(found, fmt.Sprintf("%s, %s: costs %s, less than the %s that are committed. Well done: commit it", name, kind, got[name], was))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, asked := got[name]; !asked {
			found = append(found, fmt.Sprintf("%s, %s: is in the file and was not called", name, kind))
		}
	}
	return found
}

// timeout is the maximum number of walks. On a busy machine an outbox may have no time left to publish after a commit, or a call
// is retried; a cost counts as correct if one walk has measured it.
const timeout = 5

// hold repeats the walk until each cost was correct once, and returns the ones that never were. Walks of one fixture book
// different days.
func (w *fixture) hold(want map[string]trips, cold bool, day int) (never []string, last *walk) {
	w.t.Helper()
	shown := map[string]bool{}
	for n := range timeout {
		last = walkThrough(w, cold, day+n*apart)
		for name, f := range last.figures {
			shown[name] = shown[name] || f == want[name]
			if shown[name] {
				last.figures[name] = want[name]
			}
		}
		if never = differences(last.figures, want, map[bool]string{true: "cold", false: "warm"}[cold]); len(never) == 0 {
			break
		}
	}
	return never, last
}

const (
	firstDay = 10
	apart    = 9 // days between two walks, so that they book different rooms
)

// TestRoundTrips_budget measures a fixture with one row of everything and one with ten rows: the costs must be equal.
func TestRoundTrips_budget(t *testing.T) {
	if writing(t) {
		t.Skip("the file is being written")
	}
	t.Parallel()
	cold, warm := map[string]trips{}, map[string]trips{}
	for name, l := range read(t, committed) {
		cold[name], warm[name] = l.cold, l.warm
	}
	for _, rows := range []int{1, 10} {
		t.Run(fmt.Sprint("rows ", rows), func(t *testing.T) {
			t.Parallel()
			w := open(t, rows, nil)
			wrong, _ := w.hold(cold, true, firstDay)
			more, last := w.hold(warm, false, firstDay+timeout*apart)
			for _, d := range append(wrong, more...) {
				t.Error(d)
			}
			for name, n := range last.sizes { // otherwise the comparison proves nothing
				if n < rows || rows == 1 && n > 3 {
					t.Errorf("%s: %d, want the rows of a fixture of %d", name, n, rows)
				}
			}
		})
	}
}

// exempt lists functions that need not be in the file.
var exempt = map[string]string{
	"consumer-relay":             "works off what waits, a batch at a time",
	"tenantbooking-relay":        "works off what waits, a batch at a time",
	"reservation-relay":          "works off what waits, a batch at a time",
	"consumer-sweepsessions":     "costs what has lapsed, a batch at a time",
	"tenantbooking-sweepdrafts":  "each draft is a transaction of its own, inside its tenant",
	"reservation-expireholds":    "each hold is a transaction of its own, inside its tenant",
	"reservation-sweepoutages":   "each guest who moves is a change of its own, inside its tenant",
	"reservation-sweepnoshows":   "each no-show is a transaction of its own, inside its tenant",
	"reservation-watchsagas":     "each step is repeated in transactions of its own, inside its tenant",
	"reservation-watchoverstays": "each guest is a transaction of its own, inside its tenant",
}

func TestRoundTrips_allFunctionsListed(t *testing.T) {
	t.Parallel()
	there, stale := map[string]bool{}, maps.Clone(exempt)
	for name := range read(t, committed) {
		there[strings.Fields(name)[0]] = true
	}
	for _, f := range melmastoon.Functions {
		name := f.Spec.Name
		if !ours(name) {
			continue
		}
		if _, free := exempt[name]; free == there[name] {
			t.Errorf("%s: in the file %v, exempt %v", name, there[name], free)
		}
		delete(stale, name)
		delete(there, name)
	}
	for name := range there {
		t.Errorf("%s is in the file but is not a function", name)
	}
	for name := range stale {
		t.Errorf("%s is exempt but is not a function", name)
	}
}

// writing reports whether to rewrite the file: MELMASTOON_ROUNDTRIPS=write.
func writing(t *testing.T) bool {
	t.Helper()
	var asked struct {
		Ledger string `env:"MELMASTOON_ROUNDTRIPS"`
	}
	if err := env.System().Load(&asked); err != nil {
		t.Fatal(err)
	}
	return asked.Ledger == "write"
}

const head = `# Cost of one call in round trips: SQL/transactions/document store/other services.
#
# BEGIN is sent with the first statement of a transaction, and COMMIT often with its last. Work that a driver does once per
# connection, such as preparing a statement, is not counted. Calls of other services are counted in their own lines. Cold:
# every cache is empty. Warm: the same request was made before. A name alone is the usual call; the line of an event is its most
# expensive delivery. If events are published, 2 SQL and 3 transactions are the outbox's, which publishes them after the
# commit and checks once more.
#
# To rewrite this file: MELMASTOON_ROUNDTRIPS=write go test ./test/roundtrips -run TestWrite

`

// TestWrite rewrites the file on request, with the maximum of two runs: a run under load may cost less.
func TestWrite(t *testing.T) {
	if !writing(t) {
		t.Skip("MELMASTOON_ROUNDTRIPS=write rewrites the file")
	}
	w := open(t, 1, nil)
	cold, warm := walkThrough(w, true, firstDay), walkThrough(w, false, firstDay+apart)
	again, warmAgain := walkThrough(w, true, firstDay+2*apart), walkThrough(w, false, firstDay+3*apart)
	var text strings.Builder
	text.WriteString(head)
	for _, name := range slices.Sorted(maps.Keys(cold.figures)) {
		fmt.Fprintf(&text, "%-40s %-12s %s\n", name, most(cold.figures[name], again.figures[name]), most(warm.figures[name], warmAgain.figures[name]))
	}
	if err := os.WriteFile("roundtrips.txt", []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func most(a, b trips) trips {
	return trips{max(a.SQL, b.SQL), max(a.Tx, b.Tx), max(a.Doc, b.Doc), max(a.Up, b.Up)}
}
