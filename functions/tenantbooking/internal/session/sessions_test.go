package session

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/pg"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A crowded store executes other writes before each write.
type crowded struct {
	document.Store
	rival func()
	puts  int
}

func (c *crowded) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	c.puts++
	c.rival()
	return c.Store.Put(ctx, now, name, r)
}

// keeping returns a session store with a stored session, and its Env.
func keeping(t *testing.T) (s *Sessions, e env.Env, here hotel.Tenant, kept Session) {
	t.Helper()
	db := pgtest.New(t)
	e = document.StoreKey.With(db.Env(), pg.Open(db.Env()))
	s, here = openSessions(t, e, key("a", 1)), hotel.Tenant{ID: id.New[id.Tenant]()}
	arrival := id.New[id.HandoffArrival]()
	born := Begin(Session{Tenant: here.ID, Locale: "ps-AF", Campaign: attribution.Campaign{Source: "google"}, Arrival: &arrival, Fingerprint: "f", IP: "i"})
	if err := s.Save(t.Context(), born, Session{}); err != nil {
		t.Fatal(err)
	}
	return s, e, here, s.Get(t.Context(), here, born.ID, Session{})
}

func TestSave_concurrentChanges(t *testing.T) {
	t.Parallel()
	s, _, here, was := keeping(t)
	left, right := was, was // two tabs with the same stored session
	left.Locale = "en"
	right.Currency, right.Campaign = "USD", attribution.Campaign{Source: "letter"}
	for _, tab := range []Session{left, right} {
		if err := s.Save(t.Context(), tab, was); err != nil {
			t.Fatal(err)
		}
	}
	want := was
	want.Locale, want.Currency, want.Campaign, want.Version = "en", "USD", attribution.Campaign{Source: "letter"}, was.Version+2
	got := s.Get(t.Context(), here, was.ID, Session{})
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Session{}), cmpopts.EquateApproxTime(time.Minute)); diff != "" {
		t.Errorf("unexpected stored session (-want +got):\n%s", diff)
	}
	last := was
	last.Locale = "fa-AF" // both tabs have chosen a language: the later choice wins
	if err := s.Save(t.Context(), last, was); err != nil {
		t.Fatal(err)
	}
	got = s.Get(t.Context(), here, was.ID, Session{})
	if got.Locale != "fa-AF" {
		t.Errorf("stored the language %q, want fa-AF", got.Locale)
	}
	if got.Currency != "USD" {
		t.Errorf("stored the currency %q, want USD", got.Currency)
	}
}

func TestSave_maxAttempts(t *testing.T) {
	t.Parallel()
	s, e, here, was := keeping(t)
	store := &crowded{Store: pg.Open(e)}
	late := openSessions(t, document.StoreKey.With(e, store), key("a", 1))
	for _, rivalry := range []struct {
		name   string
		chosen money.Currency
		wins   int
		want   error
	}{{"others are first four times", "USD", maxAttempts - 1, nil}, {"others are always first", "EUR", maxAttempts, fault.ErrUnavailable}} {
		store.puts = 0
		store.rival = func() {
			if store.puts > rivalry.wins {
				return
			}
			rival := s.Get(t.Context(), here, was.ID, Session{})
			if err := s.Save(t.Context(), rival, rival); err != nil {
				t.Error(err)
			}
		}
		mine := s.Get(t.Context(), here, was.ID, Session{})
		began := mine
		mine.Currency = rivalry.chosen
		if err := late.Save(t.Context(), mine, began); !errors.Is(err, rivalry.want) {
			t.Errorf("%s: got error %v, want %v", rivalry.name, err, rivalry.want)
		}
		if store.puts != maxAttempts {
			t.Errorf("%s: got %d attempts, want %d", rivalry.name, store.puts, maxAttempts)
		}
		if got := s.Get(t.Context(), here, was.ID, Session{}); (got.Currency == mine.Currency) != (rivalry.want == nil) {
			t.Errorf("%s: kept %+v", rivalry.name, got)
		}
	}
}

// The members that a request may change are carried over to a newer session; the others are not. Each new member must be
// listed as one or the other.
func TestMergeInto_everyMember(t *testing.T) {
	t.Parallel()
	own := []string{"ID", "Tenant", "Version", "CreatedAt", "LastSeenAt", "Fingerprint", "IP", "Device", "RevokedAt", "Successor", "program"}
	draft, arrival, successor := id.New[id.Draft](), id.New[id.HandoffArrival](), id.New[id.TenantSession]()
	mine := Session{id.New[id.TenantSession](), id.New[id.Tenant](), 1, time.Now(), time.Now(), "en", "USD", attribution.Campaign{Source: "a", Medium: "b", Campaign: "c"},
		&draft, &arrival, Consent{true, true}, "f", "i", attribution.Mobile, time.Now(), &successor, true}
	all := reflect.ValueOf(mine.mergeInto(Session{}, Session{}))
	for i := range all.NumField() {
		name := all.Type().Field(i).Name
		if carried := !all.Field(i).IsZero(); carried == slices.Contains(own, name) {
			t.Errorf("%s: carried over %v", name, carried)
		}
	}
}

func TestSave_invalidDocument(t *testing.T) {
	t.Parallel()
	s, e, here, was := keeping(t)
	foreign := document.Open[[]string](e, "tnt-session")
	if done, err := foreign.Put(t.Context(), document.KeyOf(was.ID.String()), []string{"?"}, 1000, e.Now().Add(time.Hour)); !done || err != nil {
		t.Fatal(done, err)
	}
	reborn := s.Get(t.Context(), here, was.ID, Session{Tenant: here.ID, Device: attribution.Desktop})
	chosen := reborn
	chosen.Locale = "en"
	if err := s.Save(t.Context(), chosen, reborn); err != nil {
		t.Fatal(err)
	}
	got := s.Get(t.Context(), here, was.ID, Session{})
	if got.Locale != "en" {
		t.Errorf("stored the language %q, want en", got.Locale)
	}
	if got.Device != attribution.Desktop {
		t.Errorf("stored the device class %q, want %q", got.Device, attribution.Desktop)
	}
}

func TestRevoke_staysAnonymous(t *testing.T) {
	t.Parallel()
	s, e, here, was := keeping(t)
	anonymous := func(want bool, when string) {
		t.Helper()
		got := s.Get(t.Context(), here, was.ID, Session{})
		if none := got.Campaign == (attribution.Campaign{}) && got.Arrival == nil && got.Fingerprint == "" && got.IP == ""; none != want {
			t.Errorf("%s: got %+v, want it anonymous: %t", when, got, want)
		}
		if got.Locale == "" {
			t.Errorf("%s: the preferred language is lost: %+v", when, got)
		}
	}
	revoke := func(t2 id.Tenant, session id.TenantSession, since time.Time) {
		t.Helper()
		if err := s.Revoke(t.Context(), t2, session, since); err != nil {
			t.Error(err)
		}
	}
	since := e.Now()
	revoke(id.New[id.Tenant](), was.ID, since)
	anonymous(false, "another hotel's session is revoked")
	revoke(here.ID, id.New[id.TenantSession](), since)
	revoke(here.ID, was.ID, since)
	anonymous(true, "revoked")
	tab := was // a request that began before
	tab.Locale = "en"
	if err := s.Save(t.Context(), tab, was); err != nil {
		t.Fatal(err)
	}
	anonymous(true, "after a visit that was under way")
	now := s.Get(t.Context(), here, was.ID, Session{})
	came := now
	came.Campaign.Source = "letter"
	if err := s.Save(t.Context(), came, now); err != nil {
		t.Fatal(err)
	}
	revoke(here.ID, was.ID, since) // delivered again
	anonymous(false, "what has come since")
	revoke(here.ID, was.ID, since.Add(time.Second))
	anonymous(true, "revoked again")
}
