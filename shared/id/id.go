// Package id names things: a ULID with a prefix that says what it names, and a Go type that keeps kinds apart.
//
// "rsv_01HZX3…" in text and JSON and the same 128 bits as a uuid in SQL are one value. One kind becomes another only by
// an explicit conversion, id.Allocation(r), which keeps the bits.
package id

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/oklog/ulid/v2"
)

// An ID names one thing of kind K. The zero ID names nothing.
type ID[K Kind] [16]byte

// A Kind gives ids their prefix. It is a type, so that the compiler refuses a tenant where a property belongs.
type Kind interface{ Prefix() string }

// Any is the constraint that every id meets.
type Any interface {
	~[16]byte
	String() string
}

// New mints an id of the present moment. Its entropy is crypto/rand's and never monotonic: no id tells the next.
// The moment is the machine's, not the movable clock's: ids only use it to be near each other in an index.
func New[T Any]() T {
	return T(ulid.MustNew(ulid.Now(), rand.Reader))
}

// Derive mints the id that an act gives to the thing called label: the same whenever the act is repeated. It carries
// the time of from; who does not know from can guess it no better than a minted one.
func Derive[T Any](from [16]byte, label string) T {
	const timestamp = 6
	sum := sha256.Sum256(append(from[:], label...))
	derived := from
	copy(derived[timestamp:], sum[:])
	return T(derived)
}

// Parse reads the prefixed form, exactly as String writes it.
func Parse[T Any, P interface {
	*T
	encoding.TextUnmarshaler
}](s string) (T, error) {
	var parsed T
	err := P(&parsed).UnmarshalText([]byte(s))
	return parsed, err
}

// String is the prefixed form.
func (i ID[K]) String() string {
	var space [40]byte                 // a text is made for every key: it costs one piece of memory
	text, _ := i.AppendText(space[:0]) // there is room for it
	return string(text)
}

// IsZero reports whether the id names nothing.
func (i ID[K]) IsZero() bool { return i == ID[K]{} }

// MarshalText writes the prefixed form.
func (i ID[K]) MarshalText() ([]byte, error) { return i.AppendText(nil) }

// AppendText appends the prefixed form.
func (i ID[K]) AppendText(b []byte) ([]byte, error) {
	b = append(b, i.prefix()...)
	at := len(b)
	b = append(b, make([]byte, ulid.EncodedSize)...)
	return b, ulid.ULID(i).MarshalTextTo(b[at:])
}

// UnmarshalText accepts the prefixed form only: this kind's prefix, then 26 upper-case characters of Crockford's base 32. The
// zero ID is malformed: it is the value of an ID that is not set.
func (i *ID[K]) UnmarshalText(text []byte) error {
	prefix := i.prefix()
	if len(text) != len(prefix)+ulid.EncodedSize || string(text[:len(prefix)]) != prefix {
		return i.refuse()
	}
	rest := text[len(prefix):]
	u, err := ulid.ParseStrict(string(rest))
	var again [ulid.EncodedSize]byte
	if err != nil || u.IsZero() || u.MarshalTextTo(again[:]) != nil || string(again[:]) != string(rest) {
		return i.refuse() // the parser also takes lower case, which would be a second name of the same thing
	}
	*i = ID[K](u)
	return nil
}

// Scan reads an id from SQL: the 16 bytes or the text of a uuid, or the prefixed form. NULL is refused; scan into a pointer
// to an ID where it may occur.
func (i *ID[K]) Scan(src any) error {
	switch v := src.(type) {
	case [16]byte:
		*i = v
		return nil
	case []byte:
		if len(v) == len(i) {
			copy(i[:], v)
			return nil
		}
		return i.scanText(string(v))
	case string:
		return i.scanText(v)
	}
	return fmt.Errorf("id: cannot scan %T into a %s id", src, i.name())
}

func (i *ID[K]) scanText(s string) error {
	const uuidText = 36
	if len(s) != uuidText || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return i.UnmarshalText([]byte(s))
	}
	raw, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(raw) != len(i) {
		return i.refuse()
	}
	copy(i[:], raw)
	return nil
}

func (i ID[K]) name() string {
	var k K
	return k.Prefix()
}

func (i ID[K]) prefix() string { return i.name() + "_" }

// refuse never repeats the input: it may be a secret in the wrong place.
func (i ID[K]) refuse() error {
	return fmt.Errorf("id: not of the form %s and 26 characters of a ULID", i.prefix())
}
