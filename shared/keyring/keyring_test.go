package keyring_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// secret is a key of 32 times one letter.
func secret(letter string) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

func ring(t *testing.T, s string) keyring.Ring {
	t.Helper()
	return check.Got(keyring.Parse(s)).Must(t)
}

func TestParse(t *testing.T) {
	t.Parallel()
	short := base64.StdEncoding.EncodeToString(make([]byte, 31))
	for _, test := range []struct {
		name, in string
		ok       bool
	}{
		{"one key", "a:" + secret("a"), true},
		{"two keys", "a:" + secret("a") + ",b-2:" + secret("b"), true},
		{"spaces and line ends around", "a:" + secret("a") + ", b:" + secret("b") + "\n", true},
		{"nothing", "", false},
		{"no id", ":" + secret("a"), false},
		{"no key", "a", false},
		{"an id with a dot", "a.b:" + secret("a"), false},
		{"an id too long", strings.Repeat("a", 33) + ":" + secret("a"), false},
		{"one id twice", "a:" + secret("a") + ",a:" + secret("b"), false},
		{"31 bytes", "a:" + short, false},
		{"no base64", "a:!" + secret("a")[1:], false},
		{"a comma too many", "a:" + secret("a") + ",", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := keyring.Parse(test.in)
			if (err == nil) != test.ok {
				t.Errorf("got %v, want ok %v", err, test.ok)
			}
			if !test.ok && !errors.Is(err, keyring.ErrForm) {
				t.Errorf("got %v, want ErrForm, which repeats no key", err)
			}
		})
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	before := ring(t, "a:"+secret("a"))
	during := ring(t, "b:"+secret("b")+",a:"+secret("a"))
	after := ring(t, "b:"+secret("b"))
	old := sealed(t, before, "answer", "place")
	fresh := sealed(t, during, "answer", "place")
	for _, test := range []struct {
		name   string
		ring   keyring.Ring
		sealed []byte
		ok     bool
	}{
		{"an old value in the grace period", during, old, true},
		{"a new value in the grace period", during, fresh, true},
		{"a new value afterwards", after, fresh, true},
		{"an old value afterwards", after, old, false},
		{"a new value on an instance not yet rotated", before, fresh, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plain, err := test.ring.Open(test.sealed, []byte("place"))
			if test.ok && (err != nil || string(plain) != "answer") {
				t.Errorf("got %q, %v, want the answer", plain, err)
			}
			if !test.ok && !errors.Is(err, keyring.ErrSealed) {
				t.Errorf("got %q, %v, want ErrSealed", plain, err)
			}
		})
	}
	if id, _ := during.Active(); id != "b" {
		t.Errorf("the active key is %s, want b", id)
	}
}

func sealed(t *testing.T, r keyring.Ring, plain, bound string) []byte {
	t.Helper()
	return check.Got(r.Seal([]byte(plain), []byte(bound))).Must(t)
}

func TestOpen_tampered(t *testing.T) {
	t.Parallel()
	// Both ids hold one key, so that only the binding of the id can tell them apart.
	r := ring(t, "a:"+secret("a")+",b:"+secret("a"))
	value := sealed(t, r, "answer", "place")
	for i := range value {
		touched := bytes.Clone(value)
		touched[i] ^= 3 // turns id "a" into "b", too
		if got, err := r.Open(touched, []byte("place")); err == nil {
			t.Errorf("byte %d changed: opened as %q", i, got)
		}
		if got, err := r.Open(value[:i], []byte("place")); err == nil {
			t.Errorf("cut at byte %d: opened as %q", i, got)
		}
	}
	if got, err := r.Open(value, []byte("elsewhere")); err == nil {
		t.Errorf("opened elsewhere as %q", got)
	}
	if again := sealed(t, r, "answer", "place"); bytes.Equal(again, value) {
		t.Error("sealing twice gave the same bytes: the nonce repeats")
	}
}

func TestRing_empty(t *testing.T) {
	t.Parallel()
	var r keyring.Ring
	if _, err := r.Seal(nil, nil); !errors.Is(err, keyring.ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
	if _, err := r.Open([]byte{0}, nil); !errors.Is(err, keyring.ErrSealed) {
		t.Errorf("got %v, want ErrSealed", err)
	}
}

func TestRing_format(t *testing.T) {
	t.Parallel()
	type settings struct{ Keys keyring.Ring }
	s := settings{ring(t, "k1:"+secret("a")+",k2:"+secret("b"))}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		t.Run(verb, func(t *testing.T) {
			got := fmt.Sprintf(verb, s)
			if strings.Contains(got, "97 97") {
				t.Errorf(`%s prints a key: strings.Contains(got, "97 97") = true, want false`, verb)
			}
			if strings.Contains(got, "aaaa") {
				t.Errorf(`%s prints a key: strings.Contains(got, "aaaa") = true, want false`, verb)
			}
			if strings.Contains(got, "6161") {
				t.Errorf(`%s prints a key: strings.Contains(got, "6161") = true, want false`, verb)
			}
			if strings.Contains(got, "0x61, 0x61") {
				t.Errorf(`%s prints a key: strings.Contains(got, "0x61, 0x61") = true, want false`, verb)
			}
		})
	}
	check.Equal(t, fmt.Sprint(s.Keys), "keyring(k1,k2)")
}

func FuzzOpen(f *testing.F) {
	r := check.Got(keyring.Parse("a:" + secret("a"))).Must(f)
	f.Add([]byte{})
	f.Add([]byte{255, 'a'})
	f.Add(bytes.Repeat([]byte{255}, 256)) // the longest id a length byte can claim
	f.Add([]byte("\x01a nothing that was sealed"))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if got, err := r.Open(sealed, nil); err == nil {
			t.Errorf("opened %x as %q", sealed, got)
		}
	})
}
