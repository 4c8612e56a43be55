package handoff

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"strings"
)

// maxTokenLength is about twice what a token needs. It bounds the work that a stranger can cause.
const maxTokenLength = 1024

// A Token is the text that travels. It is as good as the guest's own hand until it is used: it prints its fingerprint
// only, and JSON and Reveal alone write it out. Whatever text it is read from, Verify judges it.
type Token struct{ text string }

// Reveal is the text, for the link that the guest follows. It is safe in a query as it is.
func (t Token) Reveal() string { return t.text }

// IsZero reports whether there is no token.
func (t Token) IsZero() bool { return t.text == "" }

// MarshalText writes the text.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// UnmarshalText takes any text: what is no token is refused by Verify, with the same answer as a forged one.
func (t *Token) UnmarshalText(text []byte) error {
	t.text = string(text)
	return nil
}

// Fingerprint names the token in logs and events: "sha256:" and the hash of its signature. What is no token has none.
func (t Token) Fingerprint() string {
	_, signature, ok := t.split()
	if !ok {
		return ""
	}
	sum := sha256.Sum256(signature)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// String is the fingerprint.
func (t Token) String() string { return "handoff(" + t.Fingerprint() + ")" }

// GoString is String, so that no verb of fmt prints a token by reflection.
func (t Token) GoString() string { return t.String() }

// LogValue is String, because a logger that writes JSON would ask MarshalText.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

func assemble(canonical, signature []byte) Token {
	b := append(make([]byte, 0, maxTokenLength), version+"."...)
	b = append(base64url.AppendEncode(b, canonical), '.')
	return Token{string(base64url.AppendEncode(b, signature))}
}

// split takes the token apart, if it has the form of one.
func (t Token) split() (canonical, signature []byte, ok bool) {
	first, rest, _ := strings.Cut(t.text, ".")
	second, third, _ := strings.Cut(rest, ".")
	if len(t.text) > maxTokenLength || first != version {
		return nil, nil, false
	}
	room := make([]byte, base64url.DecodedLen(len(rest)))
	canonical, ok = decode(room, second)
	if !ok {
		return nil, nil, false
	}
	signature, ok = decode(room[len(canonical):], third)
	return canonical, signature, ok && len(signature) == sha256.Size
}

var base64url = base64.RawURLEncoding.Strict() // no loose bits at the end: they would let a changed token through

// decode decodes into room, which is large enough.
func decode(room []byte, s string) ([]byte, bool) {
	n, err := base64url.Decode(room, []byte(s))
	return room[:n], err == nil && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, '\n') < 0 // the decoder passes over line ends
}
