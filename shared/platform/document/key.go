package document

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
)

// A Key identifies a document within its collection. It must contain every input that the document's content depends on.
type Key struct{ id string }

// maxIDLength is the maximum length of a key's text; a hash replaces longer ones. Firestore's own limit is 1500 bytes.
const maxIDLength = 400

// KeyOf makes a key from parts. Each part is prefixed with its length, so different lists of parts have different keys.
func KeyOf(part string, more ...string) Key {
	var id strings.Builder
	for _, p := range append([]string{part}, more...) {
		fmt.Fprintf(&id, "%d:%s", len(p), url.PathEscape(p))
	}
	if id.Len() > maxIDLength {
		sum := sha256.Sum256([]byte(id.String()))
		return Key{"sha256:" + hex.EncodeToString(sum[:])} // no other key begins with a letter
	}
	return Key{id.String()}
}

// String returns the key as stores see it: printable ASCII without "/", which all of them accept.
func (k Key) String() string { return k.id }
