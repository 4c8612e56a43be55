package cache

import (
	"encoding/binary"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// An entry is a stored value.
type entry[T any] struct {
	Generations []int64
	Looked      time.Time // when the epochs were read; composing began after that
	Value       T

	size int // in bytes, of an entry that was read
}

// MarshalBinary puts the metadata in front of the value, so that a value that is already compressed stays unchanged.
func (e entry[T]) MarshalBinary() ([]byte, error) {
	content, err := document.Encode(e.Value)
	if err != nil {
		return nil, err
	}
	b := binary.AppendVarint(nil, e.Looked.UnixMicro())
	b = binary.AppendUvarint(b, uint64(len(e.Generations)))
	for _, g := range e.Generations {
		b = binary.AppendVarint(b, g)
	}
	return append(b, content...), nil
}

var errEntry = errors.New("cache: not an entry")

// UnmarshalBinary is the inverse of MarshalBinary.
func (e *entry[T]) UnmarshalBinary(b []byte) error {
	looked, n := binary.Varint(b)
	if n <= 0 {
		return errEntry
	}
	b = b[n:]
	count, n := binary.Uvarint(b)
	if n <= 0 || count > uint64(len(b)) {
		return errEntry
	}
	b = b[n:]
	var generations []int64
	for range count {
		g, n := binary.Varint(b)
		if n <= 0 {
			return errEntry
		}
		generations, b = append(generations, g), b[n:]
	}
	e.Generations, e.Looked, e.size = generations, time.UnixMicro(looked).UTC(), document.PlainSize(b)
	return document.Decode(b, &e.Value)
}
