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

// Rates hold the n of each subject: one of n events is kept.
type Rates map[string]int

// Errors of an invalid document, which is rejected as a whole.
var (
	ErrForm    = errors.New("flags: not one JSON object of names and values")
	ErrRate    = errors.New("flags: a rate must be a whole number from 1 to a million")
	ErrAlways  = errors.New("flags: every event of this subject is kept")
	ErrFeature = errors.New("flags: a feature must be true or false")
)

const maxOneIn = 1_000_000

// Rates returns the rates of the table.
func (t Table) Rates() Rates {
	r := Rates{}
	for subject, rule := range t {
		r[subject] = max(1, rule.OneIn)
		if rule.Always {
			r[subject] = 1
		}
	}
	return r
}

// Parse reads a document such as {"melmastoon.bff.tenant.flow.step_completed.v1": 4}, which keeps one event in four and does not
// change other subjects. An unknown subject is not an error, because functions run beside newer and older versions of their
// service.
func (t Table) Parse(document []byte) (Rates, error) {
	given, err := parse[string, int](document, ErrRate)
	if err != nil {
		return nil, err
	}
	r := t.Rates()
	for _, subject := range slices.Sorted(maps.Keys(given)) {
		n, rule := given[subject], t[subject]
		switch _, known := t[subject]; {
		case n < 1 || n > maxOneIn:
			return nil, fmt.Errorf("%w: %q", ErrRate, subject)
		case rule.Always && n != 1:
			return nil, fmt.Errorf("%w: %q", ErrAlways, subject)
		case known:
			r[subject] = n
		}
	}
	return r, nil
}

// parse reads one JSON object. If a value has the wrong type, it returns the error wrong with the name of the value.
func parse[K ~string, V any](document []byte, wrong error) (map[K]V, error) {
	var given map[K]*V
	err := json.Unmarshal(document, &given)
	if e, ok := errors.AsType[*json.SemanticError](err); ok && e.JSONPointer != "" {
		return nil, fmt.Errorf("%w: %q", wrong, e.JSONPointer.LastToken())
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return nil, fmt.Errorf("%w: at byte %d", ErrForm, e.ByteOffset)
	}
	if err != nil || given == nil { // null
		return nil, ErrForm
	}
	values := map[K]V{}
	for name, value := range given {
		if value == nil {
			return nil, fmt.Errorf("%w: %q", wrong, name)
		}
		values[name] = *value
	}
	return values, nil
}

// Keep reports whether the event is kept, and the n of its subject, which is published with it (sampledrate). An event that is
// kept at one n is kept at every smaller one, so a higher sampling rate only adds events. Undeclared subjects are kept.
//
// The first eight bytes of the SHA-256 of the event's id, big-endian, decide. Other implementations can recompute them.
func (r Rates) Keep(subject string, e id.Event) (keep bool, n int) {
	n = max(1, r[subject])
	sum := sha256.Sum256(e[:])
	return binary.BigEndian.Uint64(sum[:8]) <= math.MaxUint64/uint64(n), n
}
