package document

import (
	"bytes"
	"compress/gzip"
	"encoding"
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
	ownForm    = 'b' // the result of the type's MarshalBinary
)

const (
	worthZipping = 1 << 10  // smaller values hardly shrink
	maxPlain     = 16 << 20 // maximum size of a value before compression; protects Unzip against decompression bombs
)

var errContent = errors.New("document: unreadable content")

// Encode encodes a value for a store: with its own MarshalBinary, or else as JSON, compressed if it is large enough.
func Encode(v any) ([]byte, error) {
	if own, ok := v.(encoding.BinaryMarshaler); ok {
		b, err := own.MarshalBinary()
		return append([]byte{ownForm}, b...), err
	}
	text, err := json.Marshal(v, json.Deterministic(true))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxPlain:
		return nil, ErrTooLarge
	case len(text) < worthZipping:
		return append([]byte{plainJSON}, text...), nil
	}
	return append([]byte{zippedJSON}, Zip(text)...), nil
}

// Decode is the inverse of Encode. It ignores unknown members, so that an older program can read values that a newer one wrote.
func Decode(content []byte, into any) error {
	if len(content) == 0 {
		return errContent
	}
	switch body := content[1:]; content[0] {
	case plainJSON:
		return json.Unmarshal(body, into)
	case zippedJSON:
		text, err := Unzip(body)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, into)
	case ownForm:
		if own, ok := into.(encoding.BinaryUnmarshaler); ok {
			return own.UnmarshalBinary(body)
		}
	}
	return errContent
}

// PlainSize returns the uncompressed size of encoded content: roughly the memory that its value takes.
func PlainSize(content []byte) int {
	const trailer = 4 // of gzip: the size
	if len(content) <= trailer || content[0] != zippedJSON {
		return len(content)
	}
	return int(binary.LittleEndian.Uint32(content[len(content)-trailer:]))
}

// zippers pools gzip writers, because each of them takes most of a megabyte.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// Zip compresses with gzip.
func Zip(plain []byte) []byte {
	var b bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&b)
	_, _ = z.Write(plain) // a bytes.Buffer returns no errors
	_ = z.Close()
	return b.Bytes()
}

// Unzip is the inverse of Zip. It rejects content that is larger than maxPlain uncompressed.
func Unzip(zipped []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxPlain+1))
	if err == nil && len(plain) > maxPlain {
		return nil, ErrTooLarge
	}
	return plain, err
}

// form is the first byte of every value that this package writes. It identifies the format of the content.
const form = 0xD1

// head is the length of the form and the checksum.
const head = 1 + crc32.Size

// seal prepends the form and a checksum to the content, to detect corruption and content of another document.
func seal(name Name, content []byte) []byte {
	value := make([]byte, 0, head+len(content))
	value = binary.BigEndian.AppendUint32(append(value, form), checksum(name, content))
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
