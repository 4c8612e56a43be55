package fn

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Maybe is an optional member. An absent member is different from a zero one.
type Maybe[T any] struct {
	value T
	given bool
}

// Get returns the value and whether it was given.
func (m Maybe[T]) Get() (T, bool) { return m.value, m.given }

// Or returns the value, or other if no value was given.
func (m Maybe[T]) Or(other T) T {
	if m.given {
		return m.value
	}
	return other
}

// IsZero reports whether no value was given, so that omitzero omits it.
func (m Maybe[T]) IsZero() bool { return !m.given }

// MarshalJSONTo writes the value. An absent value becomes null unless its tag has omitzero.
func (m Maybe[T]) MarshalJSONTo(to *jsontext.Encoder) error {
	if !m.given {
		return to.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(to, m.value)
}

// UnmarshalJSONFrom reads the value in the same form as a T.
func (m *Maybe[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	m.given = true
	return json.UnmarshalDecode(from, &m.value)
}

// Optional marks the value as given and returns a pointer to it, for the decoder, which knows T only by reflection.
func (m *Maybe[T]) Optional() any { m.given = true; return &m.value }
