package document

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
)

// The first byte of an encoded value names the encoding of the rest.
const (
	plainJSON  = 'j'
	zippedJSON = 'z'
)

const (
	worthZipping = 1 << 10  // smaller values hardly shrink
	maxPlain     = 16 << 20 // maximum size of a value before compression; protects decode against decompression bombs
)

// zippers keeps compressors: a new one allocates 800 kB, which was 40 % of what a booking allocated.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

var errContent = errors.New("document: unreadable content")

// encode encodes a value for a store: as JSON, compressed if it is large enough.
func encode(v any) ([]byte, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxPlain:
		return nil, ErrTooLarge
	case len(text) < worthZipping:
		return append([]byte{plainJSON}, text...), nil
	}
	b := bytes.NewBuffer([]byte{zippedJSON})
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(b)
	_, _ = z.Write(text) // a bytes.Buffer returns no errors
	_ = z.Close()
	return b.Bytes(), nil
}

// decode is the inverse of encode. It ignores unknown members, so that an older program can read values that a newer one wrote.
func decode(content []byte, into any) error {
	if len(content) == 0 {
		return errContent
	}
	switch body := content[1:]; content[0] {
	case plainJSON:
		return json.Unmarshal(body, into)
	case zippedJSON:
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return err
		}
		return json.UnmarshalRead(io.LimitReader(z, maxPlain), into)
	}
	return errContent
}

// form is the first byte of every value that this package writes. It identifies the format of the content.
const form = 0xD1

// head is the length of the form and the checksum.
const head = 1 + crc32.Size

// seal prepends the form and a checksum to the content, to detect corruption and content of another document.
func seal(name Name, content []byte) []byte {
	value := binary.BigEndian.AppendUint32([]byte{form}, checksum(name, content))
	return append(value, content...)
}

// unseal is the inverse of seal.
func unseal(name Name, value []byte) ([]byte, bool) {
	if len(value) < head || value[0] != form {
		return nil, false
	}
	content := value[head:]
	return content, binary.BigEndian.Uint32(value[1:]) == checksum(name, content)
}

// checksum detects accidents. It does not protect against a writer with access to the store.
func checksum(name Name, content []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Checksum([]byte(name.Collection+"/"+name.ID+"/"), table)
	return crc32.Update(sum, table, content)
}
