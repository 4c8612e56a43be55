package consumertest

import (
	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// Sent inserts a handoff into the ledger and returns it.
func (s *Site) Sent() handoff.Handoff {
	s.t.Helper()
	minter, err := consumer.OpenMinter(s.Env)
	if err != nil {
		s.t.Fatal(err)
	}
	day := stay.DateOf(s.Env.Now())
	v := consumer.Visitor{
		Session:     consumer.Session{ID: id.New[id.GuestSession]()},
		Fingerprint: "sha256:3333333333333333333333333333333333333333333333333333333333333333",
	}
	h, _, err := minter.Mint(s.t.Context(), v, consumer.Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand"}, consumer.Choice{
		Property: id.New[id.Property](), Dates: consumer.DateRange{CheckIn: day, CheckOut: day.AddDays(1)},
		Occupancy: consumer.Occupancy{Adults: 1, Rooms: 1}, Currency: money.AFN, Locale: locale.Dari,
	}, id.New[id.Request](), s.Env.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}
