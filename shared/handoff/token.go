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

func assemble(canonical string, signature []byte) Token {
	return Token{version + "." + base64url.EncodeToString([]byte(canonical)) + "." + base64url.EncodeToString(signature)}
}

// split splits a well-formed token into its decoded parts.
func (t Token) split() (canonical string, signature []byte, ok bool) {
	parts := strings.SplitN(t.text, ".", 4)
	if len(t.text) > maxTokenLength || len(parts) != 3 || parts[0] != version || strings.ContainsAny(t.text, "\r\n") { // which the decoder ignores
		return "", nil, false
	}
	text, err := base64url.DecodeString(parts[1])
	if err != nil {
		return "", nil, false
	}
	signature, err = base64url.DecodeString(parts[2])
	return string(text), signature, err == nil && len(signature) == sha256.Size
}

var base64url = base64.RawURLEncoding.Strict() // Strict rejects trailing bits, with which a changed token would pass
