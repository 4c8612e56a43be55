package handoff

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func ring(t testing.TB) Keys {
	t.Helper()
	return Keys{check.Got(keyring.Parse("k1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))))).Must(t)}
}

var mintedAt = time.Date(2026, 4, 23, 9, 14, 22, 41e6, time.UTC)

func sample() Handoff {
	arrival := stay.DateOf(mintedAt).AddDays(19)
	return Handoff{
		ID: id.New[id.Handoff](), GuestSession: id.New[id.GuestSession](), Tenant: id.New[id.Tenant](), Property: id.New[id.Property](),
		Dates: Dates{arrival, arrival.AddDays(3)}, Occupancy: Occupancy{2, 1, 1}, Currency: "AFN", Locale: "ps-AF",
	}
}

func TestParse_everyFieldSigned(t *testing.T) {
	t.Parallel()
	keys := ring(t)
	h, token, err := keys.Mint(sample(), mintedAt)
	check.Must(t, err)
	other, _, err := keys.Mint(sample(), mintedAt.Add(time.Hour))
	check.Must(t, err)
	other.Dates = Dates{h.Dates.CheckIn.AddDays(1), h.Dates.CheckOut.AddDays(1)}
	other.Occupancy, other.Currency, other.Locale, other.KeyID = Occupancy{3, 2, 2}, "USD", "en", "k2"
	text := h.canonical()
	_, signature, _ := token.split()
	fields, others := strings.Split(text, "\n"), strings.Split(other.canonical(), "\n")
	for i := 1; i < len(fields); i++ {
		changed, foreign := slices.Clone(fields), others[i]
		if foreign == fields[i] {
			t.Fatalf("line %d is %q in both", i+1, foreign)
		}
		changed[i] = foreign
		forged := assemble(strings.Join(changed, "\n"), signature)
		for name, tenant := range map[string]id.Tenant{"own tenant": h.Tenant, "other tenant": other.Tenant} {
			t.Run(fmt.Sprintf("line %d, %s", i+1, name), func(t *testing.T) {
				check.Got(keys.Verify(forged, tenant, mintedAt)).Error(t, ErrSignatureInvalid, "changed to %s", foreign)
			})
		}
	}
}

func FuzzVerify(f *testing.F) {
	keys := ring(f)
	h, token, err := keys.Mint(sample(), mintedAt)
	check.Must(f, err)
	f.Add(token.text)
	f.Add("v1..")
	f.Add("v1.\n." + strings.Repeat("A", 43))
	f.Add(strings.Repeat("v1.", 400))
	f.Fuzz(func(t *testing.T, text string) {
		got, err := keys.Verify(Token{text}, h.Tenant, mintedAt)
		if err == nil && text != token.text {
			t.Errorf("accepted %q as %+v", text, got)
		}
		if err != nil && !errors.Is(err, ErrSignatureInvalid) {
			t.Errorf("%q: got %v", text, err)
		}
		if err != nil && len(text) > 8 && strings.Contains(err.Error(), text) {
			t.Errorf("the error repeats the token: %v", err)
		}
	})
}

// FuzzParse signs whatever it is given: behind a signature of ours there is still only one way to write a handoff.
func FuzzParse(f *testing.F) {
	keys := ring(f)
	h, _, err := keys.Mint(sample(), mintedAt)
	check.Must(f, err)
	text := h.canonical()
	f.Add(text)
	f.Add(strings.Replace(text, "\n2\n", "\n+2\n", 1))
	f.Add(strings.ReplaceAll(text, "\n", "\r\n"))
	f.Add(text + "\n")
	f.Add("v1" + strings.Repeat("\n", 14))
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parse(text)
		if err != nil {
			return
		}
		if again := h.canonical(); again != text {
			t.Errorf("%q reads as %+v, which is written %q", text, h, again)
		}
		if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), unicode.IsControl) {
			t.Errorf("%q has a control character in a field", text)
		}
		check.Equal(t, h.ExpiresAt.Sub(h.MintedAt), Lifetime, "lifetime of %q", text)
	})
}

// BenchmarkBareMint measures the minimum of minting and verifying: one HMAC over the same bytes and two encodings.
func BenchmarkBareMint(b *testing.B) {
	text, secret := benchmarked(b)
	for b.Loop() {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		_ = version + "." + base64url.EncodeToString([]byte(text)) + "." + base64url.EncodeToString(mac.Sum(nil))
	}
}

func BenchmarkMint(b *testing.B) {
	keys, h := ring(b), sample()
	h.ID = id.New[id.Handoff]()
	for b.Loop() {
		if _, _, err := keys.Mint(h, mintedAt); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareVerify(b *testing.B) {
	text, secret := benchmarked(b)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	token := assemble(text, mac.Sum(nil))
	parts := strings.Split(token.text, ".")
	for b.Loop() {
		signed, _ := base64url.DecodeString(parts[1])
		signature, _ := base64url.DecodeString(parts[2])
		mac := hmac.New(sha256.New, secret)
		mac.Write(signed)
		if !hmac.Equal(mac.Sum(nil), signature) {
			b.Fatal("does not verify")
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	keys := ring(b)
	h, token, err := keys.Mint(sample(), mintedAt)
	check.Must(b, err)
	for b.Loop() {
		check.Got(keys.Verify(token, h.Tenant, mintedAt)).Must(b)
	}
}

func benchmarked(b *testing.B) (text string, secret []byte) {
	b.Helper()
	keys := ring(b)
	h, _, err := keys.Mint(sample(), mintedAt)
	check.Must(b, err)
	_, secret = keys.ring.Active()
	return h.canonical(), secret
}
