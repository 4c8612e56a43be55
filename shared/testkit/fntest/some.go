package fntest

import (
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// Some returns a Maybe with the value v, decoded from its JSON as in a request. It panics if v cannot be decoded.
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
