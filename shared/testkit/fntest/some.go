package fntest

import (
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// Some is a Maybe that was given, as it comes to a function: it is read from what v is in JSON. A v that cannot be read so is a
// mistake of the test's.
func Some[T any](v T) (m fn.Maybe[T]) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		panic(err)
	}
	return m
}
