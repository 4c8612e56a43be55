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
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// NewHandoff returns a handoff: two nights in a property of the tenant, in Dari and US dollars.
func NewHandoff(tenant id.Tenant, now time.Time) handoff.Handoff {
	day := stay.DateOf(now)
	return handoff.Handoff{
		GuestSession: id.New[id.GuestSession](), Tenant: tenant, Property: id.New[id.Property](),
		Dates: handoff.Dates{CheckIn: day, CheckOut: day.AddDays(2)}, Occupancy: handoff.Occupancy{Adults: 2, Rooms: 1},
		Currency: money.USD, Locale: locale.Dari,
	}
}

// Link returns the token of a new handoff to the n-th tenant.
func (s *System) Link(n int) handoff.Token {
	s.t.Helper()
	keys, err := secrets.Handoff(s.Env)
	check.Must(s.t, err)
	_, token, err := keys.Mint(NewHandoff(s.Platform.Tenants[n].ID, s.Env.Now()), s.Env.Now())
	check.Must(s.t, err)
	return token
}

// WantEvents fails the test unless that number of events of the subject was published and all are valid. subject is its
// short name.
func WantEvents(t testing.TB, db *pgtest.Database, subject string, want int) {
	t.Helper()
	var published, parked int
	var reason *string
	err := db.Owner(t).QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE parked_reason IS NULL), count(*) FILTER (WHERE parked_reason IS NOT NULL), max(parked_reason)
		FROM bff_tenant_booking.outbox WHERE subject = @subject`,
		pgx.StrictNamedArgs{"subject": "melmastoon.bff.tenant." + subject + ".v1"}).Scan(&published, &parked, &reason)
	check.Must(t, err)
	if published != want || parked != 0 {
		t.Errorf("got %[2]d events %[1]s, want %[3]d; %[4]d are invalid", subject, published, want, parked)
	}
	if reason != nil {
		t.Error(*reason)
	}
}

// PublishedText returns the payloads and envelopes of all published events as one text.
func PublishedText(t testing.TB, db *pgtest.Database) string {
	t.Helper()
	rows, _ := db.Owner(t).Query(t.Context(), `SELECT payload::text || envelope::text FROM bff_tenant_booking.outbox`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.Must(t, err)
	return strings.Join(all, "\n")
}
