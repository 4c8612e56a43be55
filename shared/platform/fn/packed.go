package fn

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// A Pack is the beginning of a JSON object that many answers share. It is encoded and compressed once, and each answer appends
// its own members. A Pack is immutable and may be cached and shared.
//
// Other answers are sent uncompressed and the edge compresses them, which costs more than compressing a small answer here.
type Pack struct {
	zipped []byte // gzip, up to the point where an answer appends its members
	length uint32 // of the uncompressed text
	sum    uint32 // CRC-32 of the text
}

// Constants of gzip (RFC 1952) and of deflate (RFC 1951).
const (
	zipHead        = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // deflate, no modification time, no extra flags, unknown system
	blockGoesOn    = 0
	blockIsLast    = 1
	maxStoredBlock = 1<<16 - 1 // maximum length of a stored block
)

var errNoObject = errors.New("fn: only objects can be packed")

// NewPack packs an object.
func NewPack(v any) (*Pack, error) {
	text, err := json.Marshal(v, answerJSON)
	if err != nil {
		return nil, fmt.Errorf("fn: pack: %w", err)
	}
	if text[0] != '{' {
		return nil, errNoObject
	}
	text = text[:len(text)-1] // without the closing brace: members follow
	b := bytes.NewBufferString(zipHead)
	z, err := flate.NewWriter(b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	_, _ = z.Write(text) // a bytes.Buffer returns no errors
	_ = z.Flush()        // ends at a byte boundary, so that another block can follow
	return &Pack{zipped: bytes.Clone(b.Bytes()), length: uint32(len(text)), sum: crc32.ChecksumIEEE(text)}, nil
}

// Size returns the size of a Pack in bytes.
func (p *Pack) Size() int { return len(p.zipped) }

// With returns the body of one answer: the pack's members followed by those of v. The latter are not compressed, so that the
// length of an answer reveals nothing about values that the visitor has sent.
func (p *Pack) With(v any) (Packed, error) {
	text, err := json.Marshal(v, answerJSON)
	if err != nil {
		return Packed{}, fmt.Errorf("fn: pack: %w", err)
	}
	if text[0] != '{' {
		return Packed{}, errNoObject
	}
	if len(text) > len(`{}`) && p.length > uint32(len(`{`)) {
		text[0] = ','
	} else {
		text = text[1:]
	}
	return Packed{p, text}, nil
}

// Packed is an answer body that is already compressed. A response embeds it with the tag `json:"-"`. If it is set, it is sent in
// place of the response's own members, which then only document its content. The zero Packed is ignored and the members are
// encoded. The response of an idempotent function must not embed it, because a replay may go to a client that does not accept
// gzip.
type Packed struct {
	pack *Pack
	end  []byte
}

// packed makes every response that embeds a Packed a packer.
func (p Packed) packed() Packed { return p }

type packer interface{ packed() Packed }

// appendGzip appends the complete gzip body.
func (p Packed) appendGzip(b []byte) []byte {
	b = append(b, p.pack.zipped...)
	rest := p.end
	for len(rest) > maxStoredBlock {
		b = appendStored(b, blockGoesOn, rest[:maxStoredBlock])
		rest = rest[maxStoredBlock:]
	}
	b = appendStored(b, blockIsLast, rest)
	b = binary.LittleEndian.AppendUint32(b, crc32.Update(p.pack.sum, crc32.IEEETable, p.end))
	return binary.LittleEndian.AppendUint32(b, p.pack.length+uint32(len(p.end)))
}

func appendStored(b []byte, kind byte, text []byte) []byte {
	length := uint16(len(text))
	b = binary.LittleEndian.AppendUint16(append(b, kind), length)
	b = binary.LittleEndian.AppendUint16(b, ^length)
	return append(b, text...)
}

// plain returns the uncompressed body, for clients that do not accept gzip.
func (p Packed) plain() ([]byte, error) {
	b := make([]byte, p.pack.length, int(p.pack.length)+len(p.end))
	z := flate.NewReader(bytes.NewReader(p.pack.zipped[len(zipHead):]))
	for n := 0; n < len(b); {
		more, err := z.Read(b[n:])
		if n += more; err != nil && n < len(b) {
			return nil, fmt.Errorf("fn: unpack: %w", err)
		}
	}
	return append(b, p.end...), nil
}

// bodies pools buffers: such an answer is large, and its buffer is free after the write.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// giveBack returns the pooled buffer of the body.
func (c *record) giveBack() {
	if c.lent != nil {
		bodies.Put(c.lent)
		c.lent = nil
	}
}

// encodePacked answers in the encoding that the caller accepts. Both encodings have the same version and different bytes, so the
// ETag is weak.
func encodePacked(r *http.Request, c *record, a answer, p Packed) (_ answer, err error) {
	if takesGzip(r.Header["Accept-Encoding"]) {
		a.Header["Content-Encoding"] = []string{"gzip"}
		c.lent = bodies.Get().(*[]byte)
		*c.lent = p.appendGzip((*c.lent)[:0])
		a.Body = *c.lent
	} else if a.Body, err = p.plain(); err != nil {
		return answer{}, err
	}
	a.Header["Content-Type"] = []string{jsonType}
	return a, nil
}

// takesGzip reports whether a client accepts gzip. Without Accept-Encoding it does not.
func takesGzip(accepts []string) bool {
	any := false
	for _, one := range accepts {
		for coding := range strings.SplitSeq(one, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				return wanted(weight)
			case name == "*":
				any = wanted(weight)
			}
		}
	}
	return any
}

// wanted reports whether a weight such as "q=0.5" is above zero. A malformed weight counts as above zero.
func wanted(weight string) bool {
	value, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
	if !ok {
		return true
	}
	q, err := strconv.ParseFloat(value, 64)
	return err != nil || q > 0
}
