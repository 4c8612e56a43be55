package document

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// A Key finds a document within its collection. Every input that changes what the document says belongs in it.
type Key struct{ id string }

// maxIDLength is what a key's text may have before its hash stands for it. Firestore's own limit is 1500 bytes.
const maxIDLength = 400

// KeyOf makes a key of parts. Each part's length stands before it, so no two lists of parts make the same key. One is made for
// every look at the store: it costs one piece of memory.
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

// String is the key as stores know it: printable ASCII without "/", which each of them takes.
func (k Key) String() string { return k.id }

// appendPart writes every byte that is not surely harmless as %XX.
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

// harmless are the bytes that every store takes as they are.
var harmless = func() (all [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.") {
		all[c] = true
	}
	return all
}()
