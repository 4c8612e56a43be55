package cache

import (
	"encoding/binary"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// An entry is a stored value.
type entry[T any] struct {
	Epochs []int64
	ReadAt time.Time // when the epochs were read; composing began after that
	Value  T

	size int // in bytes, of an entry that was read
}

// MarshalBinary puts the metadata in front of the value, so that a value that is already compressed stays unchanged.
func (e entry[T]) MarshalBinary() ([]byte, error) {
	content, err := document.Encode(e.Value)
	if err != nil {
		return nil, err
	}
	b := binary.AppendVarint(nil, e.ReadAt.UnixMicro())
	b = binary.AppendUvarint(b, uint64(len(e.Epochs)))
	for _, g := range e.Epochs {
		b = binary.AppendVarint(b, g)
	}
	return append(b, content...), nil
}

var errEntry = errors.New("cache: not an entry")

// UnmarshalBinary is the inverse of MarshalBinary.
func (e *entry[T]) UnmarshalBinary(b []byte) error {
	readAt, n := binary.Varint(b)
	if n <= 0 {
		return errEntry
	}
	b = b[n:]
	count, n := binary.Uvarint(b)
	if n <= 0 || count > uint64(len(b)) {
		return errEntry
	}
	b = b[n:]
	var epochs []int64
	for range count {
		g, n := binary.Varint(b)
		if n <= 0 {
			return errEntry
		}
		epochs, b = append(epochs, g), b[n:]
	}
	e.Epochs, e.ReadAt, e.size = epochs, time.UnixMicro(readAt).UTC(), document.PlainSize(b)
	return document.Decode(b, &e.Value)
}
