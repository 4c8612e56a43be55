package document

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// A Key identifies a document within its collection. It must contain every input that the document's content depends on.
type Key struct{ id string }

// maxIDLength is the maximum length of a key's text; a hash replaces longer ones. Firestore's own limit is 1500 bytes.
const maxIDLength = 400

// KeyOf makes a key from parts. Each part is prefixed with its length, so different lists of parts have different keys. It runs
// on every store access, so it allocates only once.
func KeyOf(part string, more ...string) Key {
	id := appendPart(make([]byte, 0, 64), part)
	for _, p := range more {
		id = appendPart(id, p)
	}
	if len(id) > maxIDLength {
		sum := sha256.New()
		for _, p := range append([]string{part}, more...) {
			sum.Write(strconv.AppendInt(nil, int64(len(p)), 10))
			sum.Write([]byte{':'})
			sum.Write([]byte(p))
		}
		return Key{"sha256:" + hex.EncodeToString(sum.Sum(nil))} // no other key begins with a letter
	}
	return Key{string(id)}
}

// String returns the key as stores see it: printable ASCII without "/", which all of them accept.
func (k Key) String() string { return k.id }

// appendPart escapes every byte that is not harmless as %XX.
func appendPart(id []byte, part string) []byte {
	const digits = "0123456789ABCDEF"
	id = append(strconv.AppendInt(id, int64(len(part)), 10), ':')
	for i := range len(part) {
		if c := part[i]; harmless[c] {
			id = append(id, c)
		} else {
			id = append(id, '%', digits[c>>4], digits[c&15])
		}
	}
	return id
}

// harmless marks the bytes that every store accepts unescaped.
var harmless = func() (all [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.") {
		all[c] = true
	}
	return all
}()
