package cloud

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// A Secret is what all keys of one local cloud derive from: 32 random bytes, kept for as long as its data is. In
// production each key is a secret of its own.
type Secret []byte

// key is the key of that purpose.
func (s Secret) key(purpose string) []byte {
	h := hmac.New(sha256.New, s)
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

// ring is a keyring with the one key of that purpose.
func (s Secret) ring(purpose string) string {
	return "local:" + base64.StdEncoding.EncodeToString(s.key(purpose))
}
