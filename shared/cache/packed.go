package cache

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/document"
)

// Packed is JSON in the compressed form in which it is kept. A Cache[Packed] encodes and compresses once, when it
// composes: a hit is passed on as it lies.
type Packed struct{ gzip []byte }

// Pack compresses JSON.
func Pack(v jsontext.Value) Packed { return Packed{document.Zip(v)} }

// Gzip is the compressed form, as a browser takes it that accepts gzip. It is not to be changed.
func (p Packed) Gzip() []byte { return p.gzip }

// JSON is the plain form.
func (p Packed) JSON() (jsontext.Value, error) { return document.Unzip(p.gzip) }

// MarshalBinary is the compressed form.
func (p Packed) MarshalBinary() ([]byte, error) { return p.gzip, nil }

// UnmarshalBinary takes a compressed form as it is: the document around it vouches for its bytes.
func (p *Packed) UnmarshalBinary(b []byte) error {
	p.gzip = slices.Clone(b)
	return nil
}
