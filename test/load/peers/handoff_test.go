package peers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/stay"
)

// BenchmarkHandoff mints and checks tokens. The peer does what none can do without: one HMAC over the same bytes and their
// encodings.
func BenchmarkHandoff(b *testing.B) {
	secret := make([]byte, 32)
	e := env.Of(map[string]string{"HANDOFF_KEYS": "test:" + base64.StdEncoding.EncodeToString(secret)})
	keys, err := secrets.Handoff(e)
	must(b, err)
	now, n := e.Now(), times(200_000)
	day := stay.DateOf(now)
	h := handoff.Handoff{ID: id.New[id.Handoff](), GuestSession: id.New[id.GuestSession](), Tenant: id.New[id.Tenant](), Property: id.New[id.Property](),
		Dates: handoff.Dates{CheckIn: day, CheckOut: day.AddDays(2)}, Occupancy: handoff.Occupancy{Adults: 2, Rooms: 1},
		Currency: money.USD, Locale: locale.Dari}
	_, token, err := keys.Mint(h, now)
	must(b, err)
	parts := strings.Split(token.Reveal(), ".")
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	must(b, err)
	sign := func(text []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(text)
		return mac.Sum(nil)
	}
	signature := base64.RawURLEncoding.EncodeToString(sign(text))
	samples := alternate(b, rounds(5),
		each(n, func() error { _, _, err := keys.Mint(h, now); return err }),
		each(n, func() error {
			minted := "v1." + base64.RawURLEncoding.EncodeToString(text) + "." + base64.RawURLEncoding.EncodeToString(sign(text))
			return only(nil, len(minted) > 0)
		}),
		each(n, func() error { _, err := keys.Verify(token, h.Tenant, now); return err }),
		each(n, func() error {
			signed, err := base64.RawURLEncoding.DecodeString(parts[1])
			sum, failed := base64.RawURLEncoding.DecodeString(signature)
			return only(errors.Join(err, failed), hmac.Equal(sign(signed), sum))
		}),
	)
	put(line{what: "handoff: mint, CPU time", ours: micros(samples[0]), peer: "HMAC and encoding: " + micros(samples[1]), ratio: over(samples[0], samples[1]), most: 2})
	put(line{what: "handoff: verify, CPU time", ours: micros(samples[2]), peer: "HMAC and decoding: " + micros(samples[3]), ratio: over(samples[2], samples[3]), most: 2})
}

// each is the processor time of one of n acts.
func each(n int, act func() error) side {
	return func(b *testing.B) float64 {
		return cpu(b, func() error {
			for range n {
				if err := act(); err != nil {
					return err
				}
			}
			return nil
		}) / float64(n)
	}
}
