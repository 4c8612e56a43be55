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

// ParseFeatures reads a document such as {"readOnly": true} and returns the known features that are on. An absent document
// switches nothing on. A document with one invalid entry is rejected as a whole. An unknown feature is not an error, because
// functions run beside newer and older versions of their service.
func ParseFeatures(document []byte, known []Feature) (map[Feature]bool, error) {
	on := map[Feature]bool{}
	if len(document) == 0 {
		return on, nil
	}
	var given map[Feature]jsontext.Value
	if err := json.Unmarshal(document, &given); err != nil {
		return nil, refusal(err)
	}
	if given == nil {
		return nil, ErrForm // null
	}
	for _, feature := range slices.Sorted(maps.Keys(given)) {
		kind := given[feature].Kind()
		if kind != 't' && kind != 'f' {
			return nil, fmt.Errorf("%w: %q", ErrFeature, feature)
		}
		if kind == 't' && slices.Contains(known, feature) {
			on[feature] = true
		}
	}
	return on, nil
}
