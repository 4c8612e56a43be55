package cloud

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// A Secret is the secret from which all keys of a local cloud derive: 32 random bytes, stored as long as its data. In
// production each key has its own secret.
type Secret []byte

// key returns the key of that purpose.
func (s Secret) key(purpose string) []byte {
	h := hmac.New(sha256.New, s)
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

// ring returns a keyring with the key of that purpose.
func (s Secret) ring(purpose string) string {
	return "local:" + base64.StdEncoding.EncodeToString(s.key(purpose))
}
