package handoff

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"strings"
)

// maxTokenLength is about twice the length of a token. It bounds the work for untrusted input.
const maxTokenLength = 1024

// A Token is a bearer secret until it is used. Printing and logging show only its fingerprint; JSON and Reveal return the text.
// It may hold any text: Verify checks it.
type Token struct{ text string }

// Reveal returns the text, for the guest's link. It needs no escaping in a query.
func (t Token) Reveal() string { return t.text }

// IsZero reports whether there is no token.
func (t Token) IsZero() bool { return t.text == "" }

// MarshalText returns the text.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// UnmarshalText accepts any text. Verify rejects malformed tokens with the same error as forged ones.
func (t *Token) UnmarshalText(text []byte) error {
	t.text = string(text)
	return nil
}

// Fingerprint identifies the token in logs and events: "sha256:" and the hash of its signature. It is "" for a malformed token.
func (t Token) Fingerprint() string {
	_, signature, ok := t.split()
	if !ok {
		return ""
	}
	sum := sha256.Sum256(signature)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// String returns the fingerprint.
func (t Token) String() string { return "handoff(" + t.Fingerprint() + ")" }

// GoString returns String, so that no verb of fmt prints a token by reflection.
func (t Token) GoString() string { return t.String() }

// LogValue returns String, because a JSON logger would call MarshalText.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

func assemble(canonical, signature []byte) Token {
	b := append(make([]byte, 0, maxTokenLength), version+"."...)
	b = append(base64url.AppendEncode(b, canonical), '.')
	return Token{string(base64url.AppendEncode(b, signature))}
}

// split splits a well-formed token into its decoded parts.
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

var base64url = base64.RawURLEncoding.Strict() // Strict rejects trailing bits, with which a changed token would pass

// decode decodes s into room, a buffer that is large enough.
func decode(room []byte, s string) ([]byte, bool) {
	n, err := base64url.Decode(room, []byte(s))
	return room[:n], err == nil && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, '\n') < 0 // the decoder ignores line ends
}
