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

// A Pack is the beginning of a JSON object that many answers share, encoded and compressed once. Each answer ends it with
// members of its own. It is not changed by that, and may be kept and shared.
//
// Other answers leave here as they are, and the edge compresses them: that costs more than making a small one.
type Pack struct {
	zipped []byte // gzip, up to where an answer goes on
	length uint32 // of the text
	sum    uint32 // of the text, as gzip has it
}

// The parts of gzip (RFC 1952) and of what is in it (RFC 1951).
const (
	zipHead        = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // compressed by deflate, at no time, by no system
	blockGoesOn    = 0
	blockIsLast    = 1
	maxStoredBlock = 1<<16 - 1 // of what is stored as it is
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
	text = text[:len(text)-1] // it goes on
	b := bytes.NewBufferString(zipHead)
	z, err := flate.NewWriter(b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	_, _ = z.Write(text) // a buffer takes everything
	_ = z.Flush()        // ends with a whole byte, so that a block of the answer's own can follow
	return &Pack{zipped: bytes.Clone(b.Bytes()), length: uint32(len(text)), sum: crc32.ChecksumIEEE(text)}, nil
}

// Size is how many bytes a Pack takes.
func (p *Pack) Size() int { return len(p.zipped) }

// With is the body of one answer: the pack's members, and then those of v. The latter are not compressed, so that the length
// of an answer says nothing about what its visitor has sent.
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

// Packed is the body of an answer that is compressed already. A response embeds it with the tag `json:"-"`. If it is set, it
// is sent in place of the response's own members, which then only declare what it holds; the zero Packed is ignored and the
// members are encoded. An idempotent function cannot have one, for a replay may go to a client that does not read gzip.
type Packed struct {
	pack *Pack
	end  []byte
}

// packed makes every response that embeds a Packed a packer.
func (p Packed) packed() Packed { return p }

type packer interface{ packed() Packed }

// appendGzip appends the body as it lies, with its end.
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

// plain is the body for those who do not read gzip.
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

// bodies are reused: such an answer is large, and is gone once it is written.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// giveBack ends the use of what the body was lent.
func (c *record) giveBack() {
	if c.lent != nil {
		bodies.Put(c.lent)
		c.lent = nil
	}
}

// encodePacked answers in the form that the caller reads. The two forms are of one version and differ byte for byte, so what
// names the version is a weak validator.
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

// takesGzip reports whether a client reads gzip. Who does not say is not thought to.
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

// wanted reads a weight such as "q=0.5". What is none refuses nothing.
func wanted(weight string) bool {
	value, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
	if !ok {
		return true
	}
	q, err := strconv.ParseFloat(value, 64)
	return err != nil || q > 0
}
