// Package id defines typed ids: a ULID with a prefix for its kind, and one Go type per kind.
//
// "rsv_01HZX3…" in text and JSON and the same 128 bits as a uuid in SQL are the same value. An id of one kind becomes another
// only by an explicit conversion, id.Allocation(r), which keeps the bits.
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

// An ID identifies one thing of kind K. The zero ID is not set.
type ID[K Kind] [16]byte

// A Kind is the prefix of ids. It is a type, so that the compiler rejects a tenant's id for a property's.
type Kind interface{ Prefix() string }

// Any is the constraint of all ids.
type Any interface {
	~[16]byte
	String() string
}

// New returns an id with the current time. Its entropy is from crypto/rand and not monotonic, so ids cannot be guessed from each
// other. It uses the machine's clock, not the movable one: the time only keeps ids adjacent in an index.
func New[T Any]() T {
	return T(ulid.MustNew(ulid.Now(), rand.Reader))
}

// Derive returns the id of the thing called label in an act: the same whenever the act is repeated (decision 3). It has the time
// of from. Without from it cannot be guessed.
func Derive[T Any](from [16]byte, label string) T {
	const timestamp = 6
	sum := sha256.Sum256(append(from[:], label...))
	derived := from
	copy(derived[timestamp:], sum[:])
	return T(derived)
}

// Parse parses the prefixed form, exactly as String writes it.
func Parse[T Any, P interface {
	*T
	encoding.TextUnmarshaler
}](s string) (T, error) {
	var parsed T
	err := P(&parsed).UnmarshalText([]byte(s))
	return parsed, err
}

// String returns the prefixed form.
func (i ID[K]) String() string { return i.prefix() + ulid.ULID(i).String() }

// IsZero reports whether the id is not set.
func (i ID[K]) IsZero() bool { return i == ID[K]{} }

// MarshalText writes the prefixed form.
func (i ID[K]) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText accepts only the prefixed form: this kind's prefix, then 26 upper-case characters of Crockford's base 32. It
// rejects the zero ID, which means not set.
func (i *ID[K]) UnmarshalText(text []byte) error {
	rest, ok := strings.CutPrefix(string(text), i.prefix())
	u, err := ulid.ParseStrict(rest)
	if !ok || err != nil || u.IsZero() || u.String() != rest { // the parser also accepts lower case, which would be a second spelling
		return i.refuse()
	}
	*i = ID[K](u)
	return nil
}

// Scan reads an id from SQL: the 16 bytes or the text of a uuid, or the prefixed form. It rejects NULL; scan nullable columns
// into a pointer to an ID.
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
	return fmt.Errorf("id: cannot scan %T into an id %s…", src, i.prefix())
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

func (i ID[K]) prefix() string {
	var k K
	return k.Prefix() + "_"
}

// refuse returns an error without the input, which may be a misplaced secret.
func (i ID[K]) refuse() error {
	return fmt.Errorf("id: not of the form %s and 26 characters of a ULID", i.prefix())
}
