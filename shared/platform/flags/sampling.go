package flags

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/id"
)

// A Rule is the sampling rule of a subject.
type Rule struct {
	OneIn  int  // default rate; 0 and 1 keep every event
	Always bool // the rate cannot be changed
}

// A Table has a rule for every subject that a service publishes. It is constant.
type Table map[string]Rule

// Rates hold the n of each subject: one of n events is kept. A value of Rates is immutable, so goroutines may read it while
// another one replaces it.
type Rates struct {
	oneIn   map[string]int
	unknown []string
}

// Errors of an invalid document, which is rejected as a whole.
var (
	ErrForm   = errors.New("flags: not one JSON object of subjects and whole numbers")
	ErrRate   = errors.New("flags: a rate must be a whole number from 1 to a million")
	ErrAlways = errors.New("flags: every event of this subject is kept")
)

const maxOneIn = 1_000_000

// Rates returns the rates of the table.
func (t Table) Rates() Rates {
	oneIn := make(map[string]int, len(t))
	for subject, rule := range t {
		oneIn[subject] = rule.builtIn()
	}
	return Rates{oneIn: oneIn}
}

func (r Rule) builtIn() int {
	if r.Always {
		return 1
	}
	return max(1, r.OneIn)
}

// Parse reads a document such as {"melmastoon.bff.tenant.flow.step_completed.v1": 4}, which keeps one event in four and does not
// change other subjects. A document with one invalid entry is rejected as a whole. An unknown subject is not an error, because
// functions run beside newer and older versions of their service; see Unknown.
func (t Table) Parse(document []byte) (Rates, error) {
	var given map[string]int
	if err := json.Unmarshal(document, &given); err != nil {
		return Rates{}, refusal(err)
	}
	if given == nil {
		return Rates{}, ErrForm // null
	}
	r := t.Rates()
	for _, subject := range slices.Sorted(maps.Keys(given)) {
		n, rule := given[subject], t[subject]
		switch _, known := t[subject]; {
		case n < 1 || n > maxOneIn:
			return Rates{}, fmt.Errorf("%w: %q", ErrRate, subject)
		case !known:
			r.unknown = append(r.unknown, subject)
		case rule.Always && n != 1:
			return Rates{}, fmt.Errorf("%w: %q", ErrAlways, subject)
		default:
			r.oneIn[subject] = n
		}
	}
	return r, nil
}

// refusal returns an error with the position of the violation in the document.
func refusal(err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok && e.JSONPointer != "" {
		return fmt.Errorf("%w: %q", ErrRate, e.JSONPointer.LastToken())
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("%w: at byte %d", ErrForm, e.ByteOffset)
	}
	return ErrForm
}

// Unknown returns the subjects of the document that the table does not have. Code that writes the document rejects them; code
// that reads it may log them.
func (r Rates) Unknown() []string { return slices.Clone(r.unknown) }

// Keep reports whether the event is kept, and the n of its subject, which is published with it (sampledrate). An event that is
// kept at one n is kept at every smaller one, so a higher sampling rate only adds events. Undeclared subjects are kept.
func (r Rates) Keep(subject string, e id.Event) (keep bool, n int) {
	n = max(1, r.oneIn[subject])
	return place(e) <= math.MaxUint64/uint64(n), n
}

// place returns the position of an event in the sampling order: the first eight bytes of its id's SHA-256, big-endian. Other
// implementations can recompute it.
func place(e id.Event) uint64 {
	sum := sha256.Sum256(e[:])
	return binary.BigEndian.Uint64(sum[:8])
}
