package storefront_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"strings"
	"testing"
)

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	inner, _, ends := strings.Cut(rest, to)
	if !ok || !ends {
		t.Fatalf("no %s…%s in %s", from, to, text)
	}
	return inner
}

func policyOf(t *testing.T, text string) string {
	t.Helper()
	return html.UnescapeString(between(t, text, `<meta http-equiv="Content-Security-Policy" content="`, `"`))
}

func styleHash(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
