package document_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/document"
)

// takenEverywhere matches ids that Firestore, Redis and Postgres accept: no "/", not "." or "..", not "__x__", not too long.
var takenEverywhere = regexp.MustCompile(`^[0-9a-z][0-9A-Za-z:_.%-]{1,399}$`)

func TestKey_parts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500)
	keys := map[document.Key][]string{}
	for _, parts := range [][]string{
		{""}, {"", ""}, {"", "", ""}, {"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}, {"b", "a"}, {"1:a"}, {"1", "a"}, {"1:", "a"}, {"1:a1:b"},
		{"a/b"}, {"a", "/b"}, {"a%2Fb"}, {"."}, {".."}, {"__x__"}, {"\x00"}, {"%00"}, {"\xff"}, {"\ufffd"}, {"کابل"}, {"كابل"}, {"Kabul"}, {"kabul"}, {"kabul "},
		{long}, {long + "x"}, {long, "x"}, {"x", long}, {"sha256"},
	} {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			key := document.KeyOf(parts[0], parts[1:]...)
			if other, taken := keys[key]; taken {
				t.Errorf("%q and %q have the same key %s", parts, other, key)
			}
			keys[key] = parts
			if !takenEverywhere.MatchString(key.String()) {
				t.Errorf("%q has the key %q, which not every store takes", parts, key)
			}
			if again := document.KeyOf(parts[0], parts[1:]...); again != key {
				t.Errorf("%q has the keys %s and %s", parts, key, again)
			}
		})
	}
	if got, want := document.KeyOf("tnt_1", "fa-AF", "%/").String(), "5:tnt_15:fa-AF2:%25%2F"; got != want {
		t.Errorf("got %q, want %q: deployed programs would miss what older ones have stored", got, want)
	}
}

func TestKey_randomParts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	keys := map[document.Key]string{}
	for range 50_000 {
		parts := make([]string, 1+random.IntN(4))
		for i := range parts {
			text := make([]byte, random.IntN(4))
			for j := range text {
				text[j] = "a1:/%"[random.IntN(5)]
			}
			parts[i] = string(text)
		}
		key, joined := document.KeyOf(parts[0], parts[1:]...), strings.Join(parts, "\x00")
		if other, taken := keys[key]; taken && other != joined {
			t.Fatalf("%q and %q have the same key %s", joined, other, key)
		}
		keys[key] = joined
	}
	if len(keys) < 1000 {
		t.Errorf("only %d different keys were tried", len(keys))
	}
}
