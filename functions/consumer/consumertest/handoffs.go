package consumertest

import (
	"melmastoon.ghasi.io/functions/consumer/internal/handoffs"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// MintHandoff inserts a handoff into the ledger and returns it.
func (s *Site) MintHandoff() handoff.Handoff {
	s.t.Helper()
	minter, err := handoffs.OpenMinter(s.Env)
	check.Must(s.t, err)
	day := stay.DateOf(s.Env.Now())
	v := session.Visitor{
		Session:     session.Session{ID: id.New[id.GuestSession]()},
		Fingerprint: "sha256:3333333333333333333333333333333333333333333333333333333333333333",
	}
	h, _, err := minter.Mint(s.t.Context(), v, search.Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand"}, handoffs.Choice{
		Property: id.New[id.Property](), Dates: search.DateRange{CheckIn: day, CheckOut: day.AddDays(1)},
		Occupancy: search.Occupancy{Adults: 1, Rooms: 1}, Currency: money.AFN, Locale: locale.Dari,
	}, id.New[id.Request](), s.Env.Now())
	check.Must(s.t, err)
	return h
}
