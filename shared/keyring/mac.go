package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// A Sum is an HMAC-SHA256.
type Sum [sha256.Size]byte

// Sum returns the HMAC of a text with the key of that id, active or in its grace period, if there is one.
func (r Ring) Sum(id string, text []byte) (Sum, bool) {
	k, ok := r.find(id)
	if !ok {
		return Sum{}, false
	}
	return k.sum(text), true
}

// A mac is a prepared HMAC of one key. It is pooled, because preparing takes as long as signing.
type mac struct {
	hash.Hash
	room Sum
}

func newMACs(secret []byte) *sync.Pool {
	return &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, secret)} }}
}

func (k key) sum(text []byte) Sum {
	m := k.macs.Get().(*mac)
	defer k.macs.Put(m)
	m.Reset()
	m.Write(text)
	return Sum(m.Hash.Sum(m.room[:0]))
}
