package document

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Key finds a document within its collection. Every input that changes what the document says belongs in it.
type Key struct{ id string }

// longest is what a key's text may have before its hash stands for it. Firestore's own limit is 1500 bytes.
const longest = 400

// KeyOf makes a key of parts. Each part's length stands before it, so no two lists of parts make the same key.
func KeyOf(part string, more ...string) Key {
	var b strings.Builder
	prefix(&b, part)
	for _, p := range more {
		prefix(&b, p)
	}
	id := escape(b.String())
	if len(id) > longest {
		sum := sha256.Sum256([]byte(b.String()))
		id = "sha256:" + hex.EncodeToString(sum[:]) // no other key begins with a letter
	}
	return Key{id}
}

// String is the key as stores know it: printable ASCII without "/", which each of them takes.
func (k Key) String() string { return k.id }

func prefix(b *strings.Builder, part string) {
	b.WriteString(strconv.Itoa(len(part)))
	b.WriteByte(':')
	b.WriteString(part)
}

// escape writes every byte that is not surely harmless as %XX.
func escape(s string) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; harmless(c) {
			out = append(out, c)
		} else {
			out = append(out, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(out)
}

func harmless(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(":-_.", c) >= 0
}
