package flags

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Feature is a behavior of a service that can be switched on and off while its functions run. It is off without a document.
type Feature string

// ErrFeature is the error of a value that switches nothing.
var ErrFeature = errors.New("flags: a feature must be true or false")

// A Switches value holds the features that are on. It is immutable.
type Switches struct {
	on      map[Feature]bool
	unknown []Feature
}

// On reports whether the feature is on.
func (s Switches) On(f Feature) bool { return s.on[f] }

// Unknown returns the features of the document that the service does not have. Code that writes the document rejects them.
func (s Switches) Unknown() []Feature { return slices.Clone(s.unknown) }

// ParseFeatures reads a document such as {"readOnly": true}. An absent document switches nothing on. A document with one
// invalid entry is rejected as a whole. An unknown feature is not an error, because functions run beside newer and older
// versions of their service; see Unknown.
func ParseFeatures(document []byte, known []Feature) (Switches, error) {
	s := Switches{on: map[Feature]bool{}}
	if len(document) == 0 {
		return s, nil
	}
	var given map[Feature]jsontext.Value
	if err := json.Unmarshal(document, &given); err != nil {
		return Switches{}, refusal(err)
	}
	if given == nil {
		return Switches{}, ErrForm // null
	}
	for _, feature := range slices.Sorted(maps.Keys(given)) {
		kind := given[feature].Kind()
		switch {
		case kind != 't' && kind != 'f':
			return Switches{}, fmt.Errorf("%w: %q", ErrFeature, feature)
		case !slices.Contains(known, feature):
			s.unknown = append(s.unknown, feature)
		default:
			s.on[feature] = kind == 't'
		}
	}
	return s, nil
}
