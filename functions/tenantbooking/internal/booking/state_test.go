package booking

import (
	"maps"
	"os"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// states and acts list all states and acts. A test fails if one is missing.
var (
	states = []State{Quoting, Holding, CollectingDetails, Paying, Confirming, Confirmed, Abandoned, Failed}
	acts   = []Act{Quotes, Holds, SetsGuest, Pays, Confirms, Converts, Abandons, Fails}
)

// drawn parses the state machine in the package's comment: one line for each state that is not final.
func drawn(t *testing.T) map[State]map[Act]State {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	check.Must(t, err)
	moves := map[State]map[Act]State{}
	for line := range strings.Lines(string(text)) {
		from, to, ok := strings.Cut(strings.TrimPrefix(line, "//"), "▶")
		if !ok {
			continue
		}
		state := State(strings.Trim(from, " \t─"))
		moves[state] = map[Act]State{}
		for move := range strings.SplitSeq(to, "·") {
			act, target, _ := strings.Cut(strings.TrimSpace(move), " ")
			moves[state][Act(act)] = State(target)
		}
	}
	return moves
}

func TestTransitions_matchPackageComment(t *testing.T) {
	t.Parallel()
	check.Equal(t, maps.EqualFunc(drawn(t), transitions, maps.Equal), true, "drawn %v\ntable %v", drawn(t), transitions)
}

func TestTransitions_complete(t *testing.T) {
	t.Parallel()
	reached, used := map[State]bool{Quoting: true}, map[Act]bool{}
	for _, row := range transitions {
		for act, to := range row {
			reached[to], used[act] = true, true
		}
	}
	check.Equal(t, len(reached), len(states), "states that the table reaches")
	check.Equal(t, len(used), len(acts), "acts that the table uses")
	for _, s := range states {
		check.Equal(t, reached[s], true, "no transition leads to %s", s)
	}
}

// aDraft returns a draft in a state, as if it had reached the state at noon.
func aDraft(s State) *Draft {
	d := NewDraft(id.New[id.Request](), aVisitor(), aQuote(), noon)
	d.State, d.Version, d.History = s, 3, append(d.History, Step{s, noon})
	if s != Quoting {
		d.Hold = &Hold{id.New[id.Reservation](), "GM-ABC234", d.Quote.ID, noon.Add(10 * minute)}
		d.ExpiresAt = d.Hold.ExpiresAt
	}
	if s == Paying || s == Confirming || s == Confirmed {
		d.Payment = &Payment{id.New[id.Intent](), hotel.Card, "bank", d.Quote.Total}
	}
	return d
}

// do applies an act by its method.
func do(d *Draft, a Act) (err error) {
	switch a {
	case Quotes:
		_, err = d.SetQuote(aQuote(), aVisitor(), noon)
	case Holds:
		_, err = d.SetHold(Hold{id.New[id.Reservation](), "GM-XYZ789", d.Quote.ID, noon.Add(10 * minute)}, noon)
	case SetsGuest:
		_, err = d.SetGuest(Guest{FirstName: "Zarghona"}, Hashes{}, noon)
	case Pays:
		_, err = d.Pay(Intent{ID: id.New[id.Intent](), Method: hotel.Card, Provider: "bank", Amount: d.Quote.Total}, noon)
	case Confirms:
		_, err = d.StartConfirming(noon)
	case Converts:
		_, err = d.Convert(Reservation{}, noon)
	case Abandons:
		_, err = d.Abandon(noon)
	case Fails:
		_, err = d.Fail(ErrOverbooked, "", noon)
	}
	return err
}

func TestTransitions_everyActInEveryState(t *testing.T) {
	t.Parallel()
	for _, from := range states {
		for _, act := range acts {
			t.Run(string(from)+"_"+string(act), func(t *testing.T) {
				d := aDraft(from)
				to, legal := transitions[from][act]
				version, wantErr := 4, error(nil)
				switch {
				case !legal && from.Ended():
					to, version, wantErr = from, 3, ErrDraftClosed
				case !legal:
					to, version, wantErr = from, 3, ErrIllegalStep
				case from == Confirming && act == Confirms: // recorded already
					version = 3
				}
				check.Error(t, do(d, act), wantErr)
				check.Equal(t, d.State, to)
				check.Equal(t, d.Version, version)
			})
		}
	}
}
