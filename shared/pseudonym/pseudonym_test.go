package pseudonym_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// pepper returns a key of 32 equal letters, in its configured form.
func pepper(letter string) string {
	return letter + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

func peppers(t *testing.T, config string) pseudonym.Peppers {
	t.Helper()
	var p pseudonym.Peppers
	check.Must(t, p.UnmarshalText([]byte(config)))
	return p
}

func email(t *testing.T, s string) pseudonym.Value {
	t.Helper()
	return check.Got(pseudonym.Email(s)).Must(t)
}

// TestHash compares with hashes computed elsewhere: other systems join their data on these hashes.
func TestHash(t *testing.T) {
	t.Parallel()
	p := peppers(t, pepper("a")+","+pepper("b"))
	address := check.Got(pseudonym.Address(netip.MustParseAddr("2001:db8:1:2:3::4"))).Must(t)
	phone := check.Got(pseudonym.Phone("0093 70 123 4567")).Must(t)
	for _, test := range []struct {
		name  string
		value pseudonym.Value
		want  pseudonym.Hash
	}{
		{"an e-mail address", email(t, " Zahra@Example.AF"), "sha256:792f8a3f96dd475366cae0c90d733990d8dc297f98b8919c9ed1116abb2cf811"},
		{"a telephone number", phone, "sha256:ba43fa781acae26c6a53a60a5af1325b05e0135034dc547102125fd1ca42522c"},
		{"an address", address, "sha256:7a31d142bcd6ee1018e81a62d9c89238b570688398e1b69f7c35bf8940e3281d"},
		{"a fingerprint", pseudonym.Fingerprint("browser-mobile", "ps-AF"), "sha256:82e78a4ffc38d74984bf25d816c9fd05ebe7fda184deb3311d0dfe3c30a7cd75"},
		{"no user agent", pseudonym.UserAgent(""), "sha256:a5c44c366680c9ae1d4986d2499755aac34c67ab95dd1214e4f3c2de516db03f"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, p.Hash(test.value), test.want)
		})
	}
}

func TestPeppersRotate(t *testing.T) {
	t.Parallel()
	before := peppers(t, pepper("a"))
	during := peppers(t, pepper("b")+", "+pepper("a")+"\n")
	after := peppers(t, pepper("b"))
	guest, other := email(t, "zahra@example.af"), email(t, "omid@example.af")
	old, fresh := before.Hash(guest), during.Hash(guest)
	if old == fresh || fresh != after.Hash(guest) {
		t.Fatalf("the first pepper does not make the hash: %s, %s, %s", old, fresh, after.Hash(guest))
	}
	for _, test := range []struct {
		name    string
		peppers pseudonym.Peppers
		hash    pseudonym.Hash
		want    bool
	}{
		{"an old hash in the grace period", during, old, true},
		{"a new hash in the grace period", during, fresh, true},
		{"an old hash afterwards", after, old, false},
		{"a new hash on an instance not yet rotated", before, fresh, false},
		{"hash of another value", during, during.Hash(other), false},
		{"no hash", during, "", false},
		{"a hash without its name", during, old[len("sha256:"):], false},
		{"no peppers", pseudonym.Peppers{}, old, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, test.peppers.Matches(guest, test.hash), test.want)
		})
	}
}

func TestPeppers_malformed(t *testing.T) {
	t.Parallel()
	for _, config := range []string{"salt", pepper("a") + "," + pepper("a"), "a:" + base64.StdEncoding.EncodeToString([]byte("short"))} {
		t.Run(config, func(t *testing.T) {
			var p pseudonym.Peppers
			err := p.UnmarshalText([]byte(config))
			if !errors.Is(err, keyring.ErrForm) || strings.Contains(err.Error(), config) {
				t.Errorf("%s: got %v, want ErrForm, which repeats no pepper", config, err)
			}
		})
	}
}

func TestPeppers_format(t *testing.T) {
	t.Parallel()
	type settings struct{ Peppers pseudonym.Peppers }
	s := settings{peppers(t, pepper("a")+","+pepper("b"))}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		t.Run(verb, func(t *testing.T) {
			got := fmt.Sprintf(verb, s)
			check.Lacks(t, got, "97 97", "aaaa", "6161", "0x61, 0x61")
		})
	}
}

func TestContact(t *testing.T) {
	t.Parallel()
	guest := email(t, "Zahra@example.af")
	got, err := pseudonym.Contact([]byte("kabul-grand-salt"), guest)
	if want := "ac363f25583eedd8cd5203ccbe8acc456292379ae85c10a8dca1874fe370d5a5"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	other, err := pseudonym.Contact([]byte("herat-grand-salt"), guest)
	if err != nil || other == got {
		t.Errorf("two tenants know the guest by one hash: %s, %v", other, err)
	}
	for _, salt := range []string{"", "fifteen letters"} {
		t.Run(fmt.Sprintf("%q", salt), func(t *testing.T) {
			if got, err := pseudonym.Contact([]byte(salt), guest); got != "" || !errors.Is(err, pseudonym.ErrSalt) {
				t.Errorf("salt of %d bytes: got %q, %v, want ErrSalt", len(salt), got, err)
			}
		})
	}
}
