package session

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	e = document.StoreKey.With(db.Env(), documents.Open(db.Env()))
	s, here = openSessions(t, e, key("a", 1)), hotel.Tenant{ID: id.New[id.Tenant]()}
	arrival := id.New[id.HandoffArrival]()
	born := Begin(Session{Tenant: here.ID, Locale: "ps-AF", Campaign: attribution.Campaign{Source: "google"}, Arrival: &arrival, Fingerprint: "f", IP: "i"})
	check.Must(t, s.Save(t.Context(), born, Session{}))
	return s, e, here, s.Get(t.Context(), here, born.ID, Session{})
}

func TestSave_concurrentChanges(t *testing.T) {
	t.Parallel()
	s, _, here, was := keeping(t)
	left, right := was, was // two tabs with the same stored session
	left.Locale = "en"
	right.Currency, right.Campaign = "USD", attribution.Campaign{Source: "letter"}
	for _, tab := range []Session{left, right} {
		check.Must(t, s.Save(t.Context(), tab, was))
	}
	want := was
	want.Locale, want.Currency, want.Campaign, want.Version = "en", "USD", attribution.Campaign{Source: "letter"}, was.Version+2
	got := s.Get(t.Context(), here, was.ID, Session{})
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Session{}), cmpopts.EquateApproxTime(time.Minute)); diff != "" {
		t.Errorf("unexpected stored session (-want +got):\n%s", diff)
	}
	last := was
	last.Locale = "fa-AF" // both tabs have chosen a language: the later choice wins
	check.Must(t, s.Save(t.Context(), last, was))
	got = s.Get(t.Context(), here, was.ID, Session{})
	check.Equal(t, got.Locale, "fa-AF", "stored the language")
	check.Equal(t, got.Currency, "USD", "stored the currency")
}

func TestSave_maxAttempts(t *testing.T) {
	t.Parallel()
	s, e, here, was := keeping(t)
	store := &crowded{Store: documents.Open(e)}
	late := openSessions(t, document.StoreKey.With(e, store), key("a", 1))
	for _, rivalry := range []struct {
		name   string
		chosen money.Currency
		wins   int
		want   error
	}{
		{name: "fewer conflicts than attempts", chosen: "USD", wins: maxAttempts - 1, want: nil},
		{name: "a conflict per attempt", chosen: "EUR", wins: maxAttempts, want: fault.ErrUnavailable},
	} {
		t.Run(rivalry.name, func(t *testing.T) {
			store.puts = 0
			store.rival = func() {
				if store.puts > rivalry.wins {
					return
				}
				rival := s.Get(t.Context(), here, was.ID, Session{})
				check.NoError(t, s.Save(t.Context(), rival, rival))
			}
			mine := s.Get(t.Context(), here, was.ID, Session{})
			began := mine
			mine.Currency = rivalry.chosen
			check.Error(t, late.Save(t.Context(), mine, began), rivalry.want)
			check.Equal(t, store.puts, maxAttempts)
			check.Equal(t, (s.Get(t.Context(), here, was.ID, Session{}).Currency == mine.Currency), rivalry.want == nil, "stored currency")
		})
	}
}

// The members that a request may change are carried over to a newer session; the others are not. Each new member must be
// listed as one or the other.
func TestMergeInto_everyMember(t *testing.T) {
	t.Parallel()
	own := []string{"ID", "Tenant", "Version", "CreatedAt", "LastSeenAt", "Fingerprint", "IP", "Device", "RevokedAt", "Successor", "Loyalty", "program", "optedOut"}
	draft, arrival, successor := id.New[id.Draft](), id.New[id.HandoffArrival](), id.New[id.TenantSession]()
	loyalty := jsontext.Value(`{"tier":"gold"}`)
	mine := Session{
		ID: id.New[id.TenantSession](), Tenant: id.New[id.Tenant](), Version: 1, CreatedAt: time.Now(), LastSeenAt: time.Now(),
		Locale: "en", Currency: "USD", Campaign: attribution.Campaign{Source: "a", Medium: "b", Campaign: "c"},
		Loyalty: &loyalty, Draft: &draft, Arrival: &arrival, Consent: Consent{Telemetry: true, Functional: true},
		Fingerprint: "f", IP: "i", Device: attribution.Mobile, RevokedAt: time.Now(), Successor: &successor, program: true, optedOut: true,
	}
	for i, value := 0, reflect.ValueOf(mine); i < value.NumField(); i++ {
		check.Equal(t, value.Field(i).IsZero(), false, "%s: not set by this test", value.Type().Field(i).Name)
	}
	all := reflect.ValueOf(mine.mergeInto(Session{}, Session{}))
	for i := range all.NumField() {
		name := all.Type().Field(i).Name
		check.NotEqual(t, !all.Field(i).IsZero(), slices.Contains(own, name), "%s: carried over", name)
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
	check.Must(t, s.Save(t.Context(), chosen, reborn))
	got := s.Get(t.Context(), here, was.ID, Session{})
	check.Equal(t, got.Locale, "en", "stored the language")
	check.Equal(t, got.Device, attribution.Desktop, "stored the device class")
}

// Revoking removes what could identify a person. Campaign, arrival and draft stay, also after a request that was under way.
func TestRevoke_anonymous(t *testing.T) {
	t.Parallel()
	s, e, here, was := keeping(t)
	loyalty, draft := jsontext.Value(`{"tier":"gold"}`), id.New[id.Draft]()
	seed := s.Get(t.Context(), here, was.ID, Session{})
	seed.Loyalty, seed.Draft = &loyalty, &draft
	if kept, err := s.put(t.Context(), seed); err != nil || !kept {
		t.Fatal(kept, err)
	}
	was = s.Get(t.Context(), here, was.ID, Session{})
	verify := func(want bool, when string) {
		t.Helper()
		got := s.Get(t.Context(), here, was.ID, Session{})
		for _, personal := range []struct {
			member string
			gone   bool
		}{{"loyaltyContext", got.Loyalty == nil}, {"fingerprintHash", got.Fingerprint == ""}, {"ipHash", got.IP == ""}} {
			t.Run(personal.member, func(t *testing.T) {
				check.Equal(t, personal.gone, want, "%s: removed", when)
			})
		}
		check.NotEqual(t, got.Locale, "", "%s: the preferred language is lost", when)
		check.Equal(t, got.Campaign, was.Campaign, "%s: campaign", when)
		if got.Arrival == nil || *got.Arrival != *was.Arrival {
			t.Errorf("%s: arrival %v, want %v", when, got.Arrival, was.Arrival)
		}
		if got.Draft == nil || *got.Draft != draft {
			t.Errorf("%s: draft %v, want %v", when, got.Draft, draft)
		}
	}
	revoke := func(tenant id.Tenant, session id.TenantSession, since time.Time) {
		t.Helper()
		check.NoError(t, s.Revoke(t.Context(), tenant, session, since))
	}
	since := e.Now()
	revoke(id.New[id.Tenant](), was.ID, since)
	verify(false, "another hotel's session is revoked")
	revoke(here.ID, id.New[id.TenantSession](), since)
	revoke(here.ID, was.ID, since)
	verify(true, "revoked")
	tab := was // a request that began before
	tab.Locale = "en"
	check.Must(t, s.Save(t.Context(), tab, was))
	verify(true, "after a request that was under way")
	revoke(here.ID, was.ID, since) // delivered again
	verify(true, "revoked twice")
	revoke(here.ID, was.ID, since.Add(-time.Hour)) // delivered late
	check.Equal(t, s.Get(t.Context(), here, was.ID, Session{}).RevokedAt, since, "revoked at, after a late delivery")
}

// Each order of two requests that change the active draft of one session.
func TestMergeInto_activeDraft(t *testing.T) {
	t.Parallel()
	old, mine, other := id.New[id.Draft](), id.New[id.Draft](), id.New[id.Draft]()
	for _, test := range []struct {
		name             string
		was, want, newer *id.Draft
		change           func(*Session)
	}{
		{"an unrelated change keeps the other's draft", &old, &other, &other, func(*Session) {}},
		{"an unrelated change keeps that the draft has ended", &old, nil, nil, func(*Session) {}},
		{"the ended draft is cleared", &old, nil, &old, func(s *Session) { s.Draft = nil }},
		{"a draft that began meanwhile is not cleared", &old, &other, &other, func(s *Session) { s.Draft = nil }},
		{"a draft is cleared twice", &old, nil, nil, func(s *Session) { s.Draft = nil }},
		{"a new draft replaces the old one", &old, &mine, &old, func(s *Session) { s.Draft = &mine }},
		{"a new draft is stored after the old one was cleared", &old, &mine, nil, func(s *Session) { s.Draft = &mine }},
		{"the first draft", nil, &mine, nil, func(s *Session) { s.Draft = &mine }},
		{"nothing to clear", nil, &other, &other, func(s *Session) { s.Draft = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			was := Session{Draft: test.was}
			is, newer := was, Session{}
			test.change(&is)
			if test.newer != nil {
				copied := *test.newer // the document was decoded again
				newer.Draft = &copied
			}
			check.Equal(t, is.mergeInto(newer, was).Draft, test.want, "the active draft")
		})
	}
}

func TestRenew_hourly(t *testing.T) {
	t.Parallel()
	s, e, here, was := keeping(t)
	begun := s.Get(t.Context(), here, was.ID, Session{})
	for _, test := range []struct {
		wait    time.Duration
		written bool
	}{{0, false}, {59 * time.Minute, false}, {2 * time.Minute, true}, {59 * time.Minute, false}, {2 * time.Minute, true}} {
		e.Advance(test.wait)
		before := s.Get(t.Context(), here, was.ID, Session{})
		after := s.Renew(t.Context(), before)
		check.Equal(t, after.Version > before.Version, test.written, "after %v more: written", test.wait)
		if again := s.Renew(t.Context(), before); test.written && again.Version != before.Version {
			t.Errorf("after %v more: a second call with the old session wrote version %d", test.wait, again.Version)
		}
	}
	stored := s.Get(t.Context(), here, was.ID, Session{})
	check.Equal(t, stored.Version, begun.Version+2, "stored version")
	e.Advance(sessionTTL - time.Minute)
	check.Equal(t, s.Get(t.Context(), here, was.ID, Session{}).Version, stored.Version, "version a minute less than 30 days after the last call")
	check.Equal(t, s.Renew(t.Context(), Session{ID: id.New[id.TenantSession](), Tenant: here.ID}).Version, 0, "version of a session that is not stored")
}
