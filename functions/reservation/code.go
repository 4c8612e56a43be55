package reservation

import "crypto/rand"

// letters of a code look like no other letter, on paper and in bad light: no 0/O, 1/I/L, 2/Z, 5/S, 8/B, U/V.
const letters = "234679ACDEFGHJKMNPQRTVWXY"

const codeLength = 6

// newCode draws a code. It is unique only once it is stored, and opens nothing by itself.
func newCode() string {
	code := make([]byte, 0, codeLength)
	for len(code) < codeLength {
		var b [codeLength]byte
		_, _ = rand.Read(b[:]) // never fails: it ends the process instead
		for _, n := range b {
			if n < 250 && len(code) < codeLength { // 250 is ten times 25: the rest would favour some letters
				code = append(code, letters[int(n)%len(letters)])
			}
		}
	}
	return "GM-" + string(code)
}
