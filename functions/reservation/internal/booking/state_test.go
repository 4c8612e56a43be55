package booking

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// all are the states. A test fails if one is missing.
var all = []State{Quoted, Held, ExpiredHold, Confirmed, CheckInStarted, CheckedIn, CheckoutStarted, CheckedOut, Cancelled, NoShow}

// drawn parses the diagram in the package comment: one line per state with successors.
func drawn(t *testing.T) map[State][]State {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	moves := map[State][]State{}
	for line := range strings.Lines(string(text)) {
		from, to, ok := strings.Cut(strings.TrimPrefix(line, "//"), "▶")
		if !ok {
			continue
		}
		from = strings.Trim(from, " \t─")
		for target := range strings.SplitSeq(to, "·") {
			moves[State(from)] = append(moves[State(from)], State(strings.TrimSpace(target)))
		}
	}
	return moves
}

func TestStates_diagram(t *testing.T) {
	t.Parallel()
	table := map[State][]State{}
	for _, s := range all {
		if next := s.next(); next != nil {
			table[s] = next
		}
	}
	if got := drawn(t); !maps.EqualFunc(got, table, slices.Equal) {
		t.Errorf("drawn %v\ntable %v", got, table)
	}
}

func TestStates_reachable(t *testing.T) {
	t.Parallel()
	reached := map[State]bool{Quoted: true}
	for _, s := range all {
		for _, to := range s.next() {
			reached[to] = true
			if !slices.Contains(all, to) {
				t.Errorf("%s leads to %s, which is no state", s, to)
			}
		}
	}
	for _, s := range all {
		if !reached[s] {
			t.Errorf("nothing leads to %s", s)
		}
	}
}

func TestMove_illegalTransition(t *testing.T) {
	t.Parallel()
	for _, from := range all {
		for _, to := range all {
			if from.leadsTo(to) {
				continue
			}
			r := Reservation{State: from, Version: 3, Saga: Saga{Pending: AwaitPayment}}
			if err := r.move(from, to); !errors.Is(err, ErrIllegalTransition) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if r.State != from {
				t.Errorf("%s to %s: r.State = %v, want %v", from, to, r.State, from)
			}
			if r.Version != 3 {
				t.Errorf("%s to %s: r.Version = %v, want 3", from, to, r.Version)
			}
			if r.Saga.Pending != AwaitPayment {
				t.Errorf("%s to %s: r.Pending = %v, want %v", from, to, r.Saga.Pending, AwaitPayment)
			}
		}
	}
}
