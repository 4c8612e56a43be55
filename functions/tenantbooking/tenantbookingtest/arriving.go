package tenantbookingtest

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Wanted is what a guest has chosen on the consumer site: two nights in a house of the hotel, in Dari and dollars.
func Wanted(tenant id.Tenant, now time.Time) handoff.Handoff {
	day := stay.DateOf(now)
	return handoff.Handoff{
		GuestSession: id.New[id.GuestSession](), Tenant: tenant, Property: id.New[id.Property](),
		Dates: handoff.Dates{CheckIn: day, CheckOut: day.AddDays(2)}, Occupancy: handoff.Occupancy{Adults: 2, Rooms: 1},
		Currency: money.USD, Locale: locale.Dari,
	}
}

// Link is a handoff to the n-th hotel, minted now.
func (s *System) Link(n int) handoff.Token {
	s.t.Helper()
	keys, err := secrets.Handoff(s.Env)
	if err != nil {
		s.t.Fatal(err)
	}
	_, token, err := keys.Mint(Wanted(s.Town.Tenants[n].ID, s.Env.Now()), s.Env.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// Counted fails the test unless so many events of the subject, in short, were told, and none broke its contract.
func Counted(t testing.TB, db *pgtest.Database, subject string, want int) {
	t.Helper()
	var told, parked int
	var reason *string
	err := db.Owner(t).QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE parked_reason IS NULL), count(*) FILTER (WHERE parked_reason IS NOT NULL), max(parked_reason)
		FROM bff_tenant_booking.outbox WHERE subject = @subject`,
		pgx.StrictNamedArgs{"subject": "melmastoon.bff.tenant." + subject + ".v1"}).Scan(&told, &parked, &reason)
	if err != nil {
		t.Fatal(err)
	}
	if told != want || parked != 0 {
		t.Errorf("%s was told %d times, want %d; %d broke the contract", subject, told, want, parked)
	}
	if reason != nil {
		t.Error(*reason)
	}
}

// Said are all events as they were told, payloads and envelopes, in one text.
func Said(t testing.TB, db *pgtest.Database) string {
	t.Helper()
	rows, _ := db.Owner(t).Query(t.Context(), `SELECT payload::text || envelope::text FROM bff_tenant_booking.outbox`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}
