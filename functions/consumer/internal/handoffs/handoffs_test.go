package handoffs

import (
	"encoding/base64"
	"errors"
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
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// count counts rows as the superuser.
func count(t *testing.T, db *pgtest.Database, what string) (n int) {
	t.Helper()
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM `+what).Scan(&n); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	if first.ExpiresAt.Sub(first.MintedAt) != 30*time.Minute {
		t.Errorf("first.ExpiresAt.Sub(first.MintedAt) = %v, want %v", first.ExpiresAt.Sub(first.MintedAt), 30*time.Minute)
	}
	if first.KeyID != "k1" {
		t.Errorf(`first.KeyID = %q, want "k1"`, first.KeyID)
	}
	if first.Occupancy.Children != 1 {
		t.Errorf("first.Occupancy.Children = %d, want 1", first.Occupancy.Children)
	}
	db.Advance(10 * time.Second)
	changed := choice
	changed.Currency, changed.Locale = money.USD, locale.English
	again, same, err := minter(t, e).Mint(t.Context(), v, hotel, changed, act, e.Now())
	if err != nil {
		t.Fatalf("again: %v", err)
	}
	if again != first {
		t.Errorf("again: again = %+v, want %+v", again, first)
	}
	if same != token {
		t.Errorf("again: same = %v, want %v", same, token)
	}
	rotated := db.Env().With("HANDOFF_KEYS", ring("k2", "k1"))
	later, other, err := minter(t, rotated).Mint(t.Context(), v, hotel, choice, act, e.Now())
	if err != nil {
		t.Fatalf("with another key: %v", err)
	}
	if later.ID != first.ID {
		t.Errorf("with another key: later.ID = %v, want %v", later.ID, first.ID)
	}
	if later.ExpiresAt != first.ExpiresAt {
		t.Errorf("with another key: later.ExpiresAt = %v, want %v", later.ExpiresAt, first.ExpiresAt)
	}
	if later.KeyID != "k2" {
		t.Errorf(`with another key: later.KeyID = %q, want "k2"`, later.KeyID)
	}
	if other == token {
		t.Errorf("with another key: other = %v, want another value", other)
	}
	another, _, err := minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	if err != nil {
		t.Fatalf("another act: %v", err)
	}
	if another.ID == first.ID {
		t.Errorf("another act: another.ID = %v, want another value", another.ID)
	}
	n, published := count(t, db, "bff_consumer.handoff_ledger"), count(t, db, "bff_consumer.outbox")
	if n != 2 {
		t.Errorf("ledger entries = %d, want 2", n)
	}
	if published != 2 {
		t.Errorf("published = %d, want 2", published)
	}
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
	if !token.IsZero() {
		t.Errorf("token = %v, want zero", token)
	}
	choice.Dates.CheckOut = choice.Dates.CheckIn.AddDays(1)
	if _, err := db.Owner(t).Exec(t.Context(), `ALTER TABLE bff_consumer.outbox RENAME TO gone`); err != nil {
		t.Fatal(err)
	}
	_, token, err = minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	if err == nil {
		t.Error("without an outbox: error = nil, want a value")
	}
	if !token.IsZero() {
		t.Errorf("without an outbox: token = %v, want zero", token)
	}
	if _, err := db.Owner(t).Exec(t.Context(), `ALTER TABLE bff_consumer.gone RENAME TO outbox`); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "bff_consumer.handoff_ledger"); n != 0 {
		t.Errorf("%d entries", n)
	}
}

// TestConsume_once reports one use twice, another use, and unknown handoffs.
func TestConsume_once(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env().With("HANDOFF_KEYS", ring("k1"))
	v, hotel, choice := sending(e)
	h, _, err := minter(t, e).Mint(t.Context(), v, hotel, choice, id.New[id.Request](), e.Now())
	if err != nil {
		t.Fatal(err)
	}
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
			if !errors.Is(err, test.want) {
				t.Errorf("error = %v, want %v", err, test.want)
			}
			if (err == nil) != (test.want == nil) {
				t.Errorf("error = %v, want nil: %t", err, (test.want == nil))
			}
		})
	}
	for name, tenant := range map[string]id.Tenant{"replay": h.Tenant, "repeated replay": h.Tenant, "replay at another tenant": id.New[id.Tenant]()} {
		t.Run(name, func(t *testing.T) {
			err := pool.InTx(t.Context(), func(tx postgres.Tx) error { return ledger.Replay(t.Context(), tx, h.ID, tenant) })
			if (err == nil) != (tenant == h.Tenant) {
				t.Errorf("error = %v, want nil: %t", err, tenant == h.Tenant)
			}
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
	if err != nil {
		t.Fatalf("ledger: %v", err)
	}
	if got != first {
		t.Errorf("ledger: got = %+v, want %+v", got, first)
	}
	if replays != 2 {
		t.Errorf("ledger: replays = %d, want 2", replays)
	}
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
			if !errors.Is(err, test.want) {
				t.Errorf("error = %v, want %v", err, test.want)
			}
			if err == nil && (got.Locale != test.as.Locale || got.Currency != test.as.Currency) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	now := time.Date(2026, 4, 23, 9, 0, 0, 0, time.UTC)
	day := stay.DateOf(now)
	err := Choice{Dates: search.DateRange{CheckIn: day, CheckOut: day}, Occupancy: search.Occupancy{Adults: 0, Rooms: 1}}.Check(now)
	f := fault.From(err)
	if !errors.Is(err, fault.ErrValidation) {
		t.Errorf("error = %v, want %v", err, fault.ErrValidation)
	}
	if len(f.Violations) != 2 {
		t.Fatalf("len(f.Violations) = %d, want 2", len(f.Violations))
	}
	if f.Violations[0].Pointer != "/dates/checkOut" {
		t.Errorf(`f.Violations[0].Pointer = %q, want "/dates/checkOut"`, f.Violations[0].Pointer)
	}
	if f.Violations[1].Pointer != "/occupancy/adults" {
		t.Errorf(`f.Violations[1].Pointer = %q, want "/occupancy/adults"`, f.Violations[1].Pointer)
	}
}
