package handoffs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

const someHash pseudonym.Hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// ring returns a keyring of keys with these ids. The first is active.
func ring(names ...string) (text string) {
	for _, name := range names {
		key := make([]byte, 32)
		copy(key, name)
		if text != "" {
			text += ","
		}
		text += name + ":" + base64.StdEncoding.EncodeToString(key)
	}
	return text
}

// sending returns a visitor and their choice for a handoff.
func sending(e env.Env) (session.Visitor, search.Tenant, Choice) {
	day := stay.DateOf(e.Now())
	v := session.Visitor{
		Session: session.Session{ID: id.New[id.GuestSession](), Consent: session.Consent{Telemetry: true}}, Locale: locale.Pashto, Currency: money.AFN,
		Campaign: attribution.Campaign{Source: "google"}, Fingerprint: someHash, Referer: "https://www.melmastoon.example/search",
	}
	return v, search.Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand"}, Choice{
		Property: id.New[id.Property](), Dates: search.DateRange{CheckIn: day, CheckOut: day.AddDays(2)},
		Occupancy: search.Occupancy{Adults: 2, Children: 1, Rooms: 1, ChildrenAges: []int{7}}, Currency: money.AFN, Locale: locale.Pashto,
	}
}

func minter(t *testing.T, e env.Env) *Minter {
	t.Helper()
	m, err := OpenMinter(e)
	check.Must(t, err)
	return m
}

// count counts rows as the superuser.
func count(t *testing.T, db *pgtest.Database, what string) (n int) {
	t.Helper()
	check.Must(t, db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM `+what).Scan(&n))
	return n
}

// TestMint_repeatedAct repeats an act after its answer was lost: later, with a changed session, and after a
// rotation of the keys. There must be one handoff and one event.
func TestMint_repeatedAct(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env().With("HANDOFF_KEYS", ring("k1", "k0"))
	v, hotel, choice := sending(e)
	act := id.New[id.Request]()
	first, token, err := minter(t, e).Mint(t.Context(), v, hotel, choice, act, e.Now())
	check.Must(t, err)
	check.Equal(t, first.ExpiresAt.Sub(first.MintedAt), 30*time.Minute)
	check.Equal(t, first.KeyID, "k1")
	check.Equal(t, first.Occupancy.Children, 1)
	db.Advance(10 * time.Second)
	changed := choice
	changed.Currency, changed.Locale = money.USD, locale.English
	again, same, err := minter(t, e).Mint(t.Context(), v, hotel, changed, act, e.Now())
	check.Must(t, err, "again")
	check.Equal(t, again, first)
	check.Equal(t, same, token, "again")
	rotated := db.Env().With("HANDOFF_KEYS", ring("k2", "k1"))
	later, other, err := minter(t, rotated).Mint(t.Context(), v, hotel, choice, act, e.Now())
	check.Must(t, err, "with another key")
	check.Equal(t, later.ID, first.ID, "with another key")
	check.Equal(t, later.ExpiresAt, first.ExpiresAt, "with another key")
	check.Equal(t, later.KeyID, "k2", "with another key")
	check.NotEqual(t, other, token, "with another key")
	another, _, err := minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	check.Must(t, err, "another act")
	check.NotEqual(t, another.ID, first.ID, "another act")
	n, published := count(t, db, "bff_consumer.handoff_ledger"), count(t, db, "bff_consumer.outbox")
	check.Equal(t, n, 2, "ledger entries")
	check.Equal(t, published, 2)
}

// TestMint_ledgerFails removes the outbox: there must be no ledger entry without its event.
func TestMint_ledgerFails(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env().With("HANDOFF_KEYS", ring("k1"))
	v, hotel, choice := sending(e)
	choice.Dates.CheckOut = choice.Dates.CheckIn
	_, token, err := minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	if err == nil {
		t.Error("error = nil, want a value")
	}
	check.Equal(t, token.IsZero(), true)
	choice.Dates.CheckOut = choice.Dates.CheckIn.AddDays(1)
	check.Got(db.Owner(t).Exec(t.Context(), `ALTER TABLE bff_consumer.outbox RENAME TO gone`)).Must(t)
	_, token, err = minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	if err == nil {
		t.Error("without an outbox: error = nil, want a value")
	}
	check.Equal(t, token.IsZero(), true, "without an outbox: token")
	check.Got(db.Owner(t).Exec(t.Context(), `ALTER TABLE bff_consumer.gone RENAME TO outbox`)).Must(t)
	check.Equal(t, count(t, db, "bff_consumer.handoff_ledger"), 0, "entries")
}

// TestConsume_once reports one use twice, another use, and unknown handoffs.
func TestConsume_once(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env().With("HANDOFF_KEYS", ring("k1"))
	v, hotel, choice := sending(e)
	h, _, err := minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	check.Must(t, err)
	ledger, pool := OpenLedger(e), postgres.Open(e, session.Schema)
	at := e.Now().UTC().Truncate(time.Millisecond)
	first := Consumption{h.ID, h.Tenant, at, "instance-1", id.New[id.Event]()}
	for _, test := range []struct {
		name      string
		published Consumption
		want      error
	}{
		{"another tenant", Consumption{h.ID, id.New[id.Tenant](), at, "x", id.New[id.Event]()}, fault.ErrNotFound},
		{"unknown handoff", Consumption{id.New[id.Handoff](), h.Tenant, at, "x", id.New[id.Event]()}, fault.ErrNotFound},
		{"first", first, nil},
		{"repeated", first, nil},
		{"another event", Consumption{h.ID, h.Tenant, at.Add(-time.Minute), "instance-2", id.New[id.Event]()}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := pool.InTx(t.Context(), func(tx postgres.Tx) error { return ledger.Consume(t.Context(), tx, test.published) })
			check.Error(t, err, test.want)
			check.Equal(t, err == nil, test.want == nil, "%s", fmt.Sprint(err))
		})
	}
	for name, tenant := range map[string]id.Tenant{"replay": h.Tenant, "repeated replay": h.Tenant, "replay at another tenant": id.New[id.Tenant]()} {
		t.Run(name, func(t *testing.T) {
			err := pool.InTx(t.Context(), func(tx postgres.Tx) error { return ledger.Replay(t.Context(), tx, h.ID, tenant) })
			check.Equal(t, err == nil, tenant == h.Tenant, "%s", fmt.Sprint(err))
			if err != nil && !errors.Is(err, fault.ErrNotFound) {
				t.Errorf("error = %v, want %v", err, fault.ErrNotFound)
			}
		})
	}
	var got Consumption
	var replays int
	err = db.Owner(t).QueryRow(t.Context(), `
		SELECT handoff_id, tenant_id, consumed_at, consumed_by, consumed_event_id, replays
		FROM bff_consumer.handoff_ledger WHERE handoff_id = @handoff`, pgx.StrictNamedArgs{"handoff": h.ID}).
		Scan(&got.Handoff, &got.Tenant, &got.At, &got.By, &got.Event, &replays)
	got.At = got.At.UTC()
	check.Must(t, err, "ledger")
	check.Equal(t, got, first, "ledger")
	check.Equal(t, replays, 2, "ledger")
}

func TestChoice_unsupported(t *testing.T) {
	t.Parallel()
	v := session.Visitor{Locale: locale.Dari, Currency: money.IRR}
	for _, test := range []struct {
		name     string
		locale   fn.Maybe[locale.Tag]
		currency fn.Maybe[money.Code]
		want     error
		as       Choice
	}{
		{"no choice", fn.Maybe[locale.Tag]{}, fn.Maybe[money.Code]{}, nil, Choice{Locale: locale.Dari, Currency: money.IRR}},
		{"both", fntest.Some(locale.Arabic), fntest.Some[money.Code]("AED"), nil, Choice{Locale: locale.Arabic, Currency: money.AED}},
		{"unsupported locale", fntest.Some[locale.Tag]("de"), fn.Maybe[money.Code]{}, session.ErrLocaleNotSupported, Choice{}},
		{"unsupported currency", fn.Maybe[locale.Tag]{}, fntest.Some[money.Code]("CHF"), session.ErrCurrencyNotSupported, Choice{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Choice{}.WithPreferences(v, test.locale, test.currency)
			check.Error(t, err, test.want)
			if err == nil && (got.Locale != test.as.Locale || got.Currency != test.as.Currency) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	now := time.Date(2026, 4, 23, 9, 0, 0, 0, time.UTC)
	day := stay.DateOf(now)
	err := Choice{Dates: search.DateRange{CheckIn: day, CheckOut: day}, Occupancy: search.Occupancy{Adults: 0, Rooms: 1}}.Check(now)
	f := fault.From(err)
	check.Error(t, err, fault.ErrValidation)
	check.MustEqual(t, len(f.Violations), 2)
	check.Equal(t, f.Violations[0].Pointer, "/dates/checkOut")
	check.Equal(t, f.Violations[1].Pointer, "/occupancy/adults")
}
