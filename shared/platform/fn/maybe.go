package fn

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Maybe is a member that may be absent, which is not the same as being zero. It is optional wherever it stands.
type Maybe[T any] struct {
	value T
	given bool
}

// Get returns the value and whether it was given.
func (m Maybe[T]) Get() (T, bool) { return m.value, m.given }

// Or returns the value, or another one where none was given.
func (m Maybe[T]) Or(other T) T {
	if m.given {
		return m.value
	}
	return other
}

// IsZero reports whether it was not given, so that omitzero leaves it out of an answer.
func (m Maybe[T]) IsZero() bool { return !m.given }

// MarshalJSONTo writes the value; one that was not given is null unless its tag has omitzero.
func (m Maybe[T]) MarshalJSONTo(to *jsontext.Encoder) error {
	if !m.given {
		return to.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(to, m.value)
}

// UnmarshalJSONFrom reads the value in the form that T has everywhere else.
func (m *Maybe[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	m.given = true
	return json.UnmarshalDecode(from, &m.value)
}

// optional tells the decoder, which knows T only by reflection, that absence is allowed and where the value goes.
func (m *Maybe[T]) optional() any { m.given = true; return &m.value }

// inner lets the decoder look into T without a value.
func (m *Maybe[T]) inner() any { return &m.value }

// A maybe is any Maybe.
type maybe interface {
	optional() any
	inner() any
}
