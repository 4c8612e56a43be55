package handoff_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func read(t testing.TB, text string) (token handoff.Token) {
	t.Helper()
	check.Must(t, token.UnmarshalText([]byte(text)))
	return token
}

func TestVerify_everyBit(t *testing.T) {
	t.Parallel()
	v := published(t)
	// Both keys, so that a bit of the key id cannot hide behind a key that is not there.
	keys := v.keys(t, "hmac-2026-05", "hmac-2026-04")
	for _, a := range v.Accepted {
		text := []byte(a.Token.Reveal())
		for i := range text {
			for bit := range 8 {
				changed := bytes.Clone(text)
				changed[i] ^= 1 << bit
				got, err := keys.Verify(read(t, string(changed)), a.Handoff.Tenant, a.Handoff.MintedAt)
				if !errors.Is(err, handoff.ErrSignatureInvalid) {
					t.Errorf("%s: bit %d of byte %d (%q for %q): got %+v, %v", a.Name, bit, i, changed[i], text[i], got, err)
				}
			}
			for _, cut := range [][]byte{text[:i], append(bytes.Clone(text[:i]), text[i+1:]...)} {
				if got, err := keys.Verify(read(t, string(cut)), a.Handoff.Tenant, a.Handoff.MintedAt); !errors.Is(err, handoff.ErrSignatureInvalid) {
					t.Errorf("%s: cut at byte %d: got %+v, %v", a.Name, i, got, err)
				}
			}
		}
	}
}

func TestVerify_expiry(t *testing.T) {
	t.Parallel()
	v := published(t)
	keys, a := v.keys(t, "hmac-2026-05"), v.Accepted[0]
	for _, test := range []struct {
		name string
		at   time.Duration // from the expiry on
		want error
	}{
		{"a moment before", -time.Microsecond, nil},
		{"to the instant", 0, nil},
		{"a moment after", time.Microsecond, handoff.ErrExpired},
		{"a year after", 365 * 24 * time.Hour, handoff.ErrExpired},
		{"when it was minted", -handoff.Lifetime, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now := a.Handoff.ExpiresAt.Add(test.at)
			got, err := keys.Verify(a.Token, a.Handoff.Tenant, now)
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if got != a.Handoff {
				t.Errorf("got %+v, want the handoff, which is genuine either way", got)
			}
			check.Equal(t, a.Handoff.Expired(now), test.want != nil, "Expired")
		})
	}
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	v := published(t)
	fresh, old := v.Accepted[0], v.Accepted[1] // signed by hmac-2026-05 and by hmac-2026-04
	for _, test := range []struct {
		name string
		ring []string
		a    accepted
		ok   bool
	}{
		{"before: the active key's token", []string{"hmac-2026-04"}, old, true},
		{"before: the next key's token", []string{"hmac-2026-04"}, fresh, false},
		{"announced: the next key's token", []string{"hmac-2026-04", "hmac-2026-05"}, fresh, true},
		{"rotated: the active key's token", []string{"hmac-2026-05", "hmac-2026-04"}, fresh, true},
		{"rotated: a token in the grace period", []string{"hmac-2026-05", "hmac-2026-04"}, old, true},
		{"retired: the old key's token", []string{"hmac-2026-05"}, old, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := v.keys(t, test.ring...).Verify(test.a.Token, test.a.Handoff.Tenant, test.a.Handoff.MintedAt)
			if test.ok && (err != nil || got != test.a.Handoff) {
				t.Errorf("got %+v, %v, want the handoff", got, err)
			}
			if !test.ok && !errors.Is(err, handoff.ErrSignatureInvalid) {
				t.Errorf("got %+v, %v, want ErrSignatureInvalid", got, err)
			}
		})
	}
	h, _, err := v.keys(t, "hmac-2026-05", "hmac-2026-04").Mint(fresh.Handoff, fresh.Handoff.MintedAt)
	check.Must(t, err)
	check.Equal(t, h.KeyID, "hmac-2026-05")
}

func TestMint_onlyValid(t *testing.T) {
	t.Parallel()
	v := published(t)
	keys := v.keys(t, "hmac-2026-05")
	day := v.Accepted[0].Handoff.Dates.CheckIn
	for _, test := range []struct {
		name  string
		spoil func(*handoff.Handoff)
	}{
		{"a line feed in the language", func(h *handoff.Handoff) { h.Locale = "en\n" }},
		{"a forged line in the language", func(h *handoff.Handoff) { h.Locale = "en\nAFN" }},
		{"a control character in the currency", func(h *handoff.Handoff) { h.Currency = "AF\x00" }},
		{"a language in another spelling", func(h *handoff.Handoff) { h.Locale = "prs" }},
		{"no language", func(h *handoff.Handoff) { h.Locale = "" }},
		{"no currency", func(h *handoff.Handoff) { h.Currency = "" }},
		{"no session", func(h *handoff.Handoff) { h.GuestSession = id.GuestSession{} }},
		{"no tenant", func(h *handoff.Handoff) { h.Tenant = id.Tenant{} }},
		{"no property", func(h *handoff.Handoff) { h.Property = id.Property{} }},
		{"no arrival", func(h *handoff.Handoff) { h.Dates.CheckIn = stay.Date{} }},
		{"no night", func(h *handoff.Handoff) { h.Dates.CheckOut = day }},
		{"more than a year", func(h *handoff.Handoff) { h.Dates.CheckOut = day.AddDays(367) }},
		{"no adult", func(h *handoff.Handoff) { h.Occupancy.Adults = 0 }},
		{"children less than none", func(h *handoff.Handoff) { h.Occupancy.Children = -1 }},
		{"no room", func(h *handoff.Handoff) { h.Occupancy.Rooms = 0 }},
		{"more rooms than a hotel", func(h *handoff.Handoff) { h.Occupancy.Rooms = 101 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := v.Accepted[0].Handoff
			test.spoil(&h)
			if got, token, err := keys.Mint(h, h.MintedAt); err == nil || !token.IsZero() {
				t.Errorf("minted %+v", got)
			}
		})
	}
}

func TestMintNames(t *testing.T) {
	t.Parallel()
	v := published(t)
	keys, asked := v.keys(t, "hmac-2026-05"), v.Accepted[0].Handoff
	again, _, err := keys.Mint(asked, asked.MintedAt)
	check.Must(t, err)
	check.Equal(t, again.ID, asked.ID)
	asked.ID = id.Handoff{}
	first, _, err := keys.Mint(asked, asked.MintedAt)
	check.Must(t, err)
	second, _, err := keys.Mint(asked, asked.MintedAt)
	check.Must(t, err)
	check.Equal(t, first.ID.IsZero(), false)
	if first.ID == second.ID {
		t.Errorf("first.ID = %v, want a different value", first.ID)
	}
}

func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	a := published(t).Accepted[0]
	var keys handoff.Keys
	if _, _, err := keys.Mint(a.Handoff, a.Handoff.MintedAt); !errors.Is(err, keyring.ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
	if _, err := keys.Verify(a.Token, a.Handoff.Tenant, a.Handoff.MintedAt); !errors.Is(err, handoff.ErrSignatureInvalid) {
		t.Errorf("got %v, want ErrSignatureInvalid", err)
	}
}

func TestToken_format(t *testing.T) {
	t.Parallel()
	a := published(t).Accepted[0]
	parts := strings.Split(a.Token.Reveal(), ".")
	type request struct{ Token handoff.Token }
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("arrived", "token", a.Token)
	printed := []string{log.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		printed = append(printed, fmt.Sprintf(verb, request{a.Token}), fmt.Sprintf(verb, a.Token))
	}
	for _, got := range printed {
		check.Lacks(t, got, append(parts[1:], fmt.Sprintf("%x", parts[2]), a.Signature)...)
	}
	check.Equal(t, a.Token.String(), "handoff("+a.Fingerprint+")", "%s", a.Token)
	for _, text := range []string{"nonsense", "v1.YWE.YWFh", strings.Replace(a.Token.Reveal(), "v1.", "v1."+strings.Repeat("A", 1024), 1)} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got := read(t, text); got.Fingerprint() != "" || strings.Contains(got.String(), text) {
				t.Errorf("got %q and %s of a malformed token", got.Fingerprint(), got)
			}
		})
	}
	written, err := json.Marshal(request{a.Token})
	if want := `{"Token":"` + a.Token.Reveal() + `"}`; err != nil || string(written) != want {
		t.Errorf("got %s, %v, want %s", written, err, want)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for f, want := range map[*fault.Fault]struct {
		code   string
		status int
	}{
		handoff.ErrSignatureInvalid: {code: "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID", status: 401},
		handoff.ErrExpired:          {code: "BFF.CONSUMER.HANDOFF_EXPIRED", status: 410},
		handoff.ErrReplayed:         {code: "BFF.CONSUMER.HANDOFF_REPLAYED", status: 409},
	} {
		t.Run(want.code, func(t *testing.T) {
			check.Equal(t, f.Code, want.code)
			check.Equal(t, f.Kind.Status(), want.status)
		})
	}
}

func TestHandoff_json(t *testing.T) {
	t.Parallel()
	h := published(t).Accepted[0].Handoff
	h.Locale = locale.Dari
	const want = `{"handoffId":"bhd_01KQ0V9Z3TC8YB4N6M2P7R5S1D","guestSessionId":"gms_01KQ0V8F2GJH5K7M9NPQRSTVWX",` +
		`"tenantId":"tnt_01J0AFGHAN0KABX0GRAND0TE01","propertyId":"ppt_01J0AFGHAN0KABX0PR0PERTY01",` +
		`"dates":{"checkIn":"2026-05-12","checkOut":"2026-05-15"},"occupancy":{"adults":2,"children":0,"rooms":1},` +
		`"currency":"AFN","locale":"fa-AF","mintedAt":"2026-04-23T09:14:22.041Z","expiresAt":"2026-04-23T09:44:22.041Z",` +
		`"hmacKeyId":"hmac-2026-05"}`
	if got, err := json.Marshal(h); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
