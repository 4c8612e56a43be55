package booking

import "crypto/rand"

// letters are the characters of a code. Look-alikes are excluded: 0/O, 1/I/L, 2/Z, 5/S, 8/B, U/V.
const letters = "234679ACDEFGHJKMNPQRTVWXY"

const (
	codePrefix = "GM-"
	codeLength = 6
)

// newCode returns a random code. Its uniqueness is checked on insert. A code grants no access by itself.
func newCode() string {
	code := make([]byte, 0, codeLength)
	for len(code) < codeLength {
		var b [codeLength]byte
		_, _ = rand.Read(b[:]) // never fails: crypto/rand crashes the process instead
		for _, n := range b {
			if n < 250 && len(code) < codeLength { // 250 = 10 × 25; larger values would bias the choice
				code = append(code, letters[int(n)%len(letters)])
			}
		}
	}
	return codePrefix + string(code)
}
