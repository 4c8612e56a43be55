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

// What the first byte of an encoded value says of the rest.
const (
	plainJSON  = 'j'
	zippedJSON = 'z'
	ownForm    = 'b' // what the type's MarshalBinary returned
)

const (
	worthZipping = 1 << 10  // smaller values would hardly shrink
	maxPlain     = 16 << 20 // what a value may have before it is compressed, and a bomb after it bursts
)

var errContent = errors.New("document: not the content of this document")

// Encode puts a value into the form in which documents are kept: as its own MarshalBinary says, or else as JSON,
// compressed where that is worth it.
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

// Decode is the inverse of Encode. Members that the value does not have are skipped: an older program reads what a newer
// one wrote.
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

// PlainSize is how many bytes encoded content has before it is compressed: what its value will take in memory, more or less.
func PlainSize(content []byte) int {
	const trailer = 4 // of gzip: the size
	if len(content) <= trailer || content[0] != zippedJSON {
		return len(content)
	}
	return int(binary.LittleEndian.Uint32(content[len(content)-trailer:]))
}

// zippers are reused because each holds most of a megabyte.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// Zip compresses as browsers understand it: gzip.
func Zip(plain []byte) []byte {
	var b bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&b)
	_, _ = z.Write(plain) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// Unzip is the inverse of Zip. It refuses what would become larger than anything we keep.
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

// form begins every value that this package writes. Another form of content gets another byte.
const form = 0xD1

// head is the form and the checksum.
const head = 1 + crc32.Size

// seal puts before the content what tells it from everything else: damage, and content of another document.
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

// checksum guards against accidents, not against whoever may write to the store.
func checksum(name Name, content []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Checksum([]byte(name.Collection+"/"+name.ID+"/"), table)
	return crc32.Update(sum, table, content)
}
