package session

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func key(name string, fill byte) string {
	secret := make([]byte, 32)
	secret[0] = fill
	return name + ":" + base64.StdEncoding.EncodeToString(secret)
}

func openSessions(t *testing.T, e env.Env, keys string) *Sessions {
	t.Helper()
	s, err := OpenSessions(e.With("TENANT_SESSION_KEYS", keys))
	check.Must(t, err)
	return s
}

// A handoff's language is that of the visit, or the nearest one that the hotel offers.
func TestApplyHandoff_locale(t *testing.T) {
	t.Parallel()
	for sent, want := range map[locale.Tag]locale.Tag{locale.Pashto: locale.Pashto, locale.Persian: locale.Dari, locale.Urdu: locale.English} {
		t.Run(string(sent), func(t *testing.T) {
			v := Visitor{Tenant: hotel.Tenant{Locales: []locale.Tag{locale.Pashto, locale.Dari, locale.English}}, Locale: locale.English}
			v.ApplyHandoff(VerifiedHandoff{Handoff: handoff.Handoff{ID: id.New[id.Handoff](), Locale: sent}})
			check.Equal(t, v.Locale, want, "language of a visit in English with a handoff in %s", sent)
		})
	}
}

func TestFromCookie(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	s := openSessions(t, e, key("a", 1))
	here, there := hotel.Tenant{ID: id.New[id.Tenant](), Slug: "kabul"}, hotel.Tenant{ID: id.New[id.Tenant](), Slug: "herat"}
	session := Begin(Session{Tenant: here.ID})
	visitor := Visitor{Tenant: here, Called: here.Slug, Session: session}
	shared, err := s.Cookie(visitor, fn.Site{})
	check.Must(t, err)
	knows := func(s *Sessions, t hotel.Tenant, value string) bool {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: sharedCookie, Value: value})
		got, ok := s.FromCookie(r, t.ID, fn.Site{})
		return ok && got.Session == session.ID
	}
	tag := strings.LastIndexByte(shared.Value, '.') + 1
	for _, test := range []struct {
		name  string
		keys  *Sessions
		at    hotel.Tenant
		value string
		want  bool
	}{
		{"where it was given", s, here, shared.Value, true},
		{"at another hotel", s, there, shared.Value, false},
		{"an id seen in telemetry", s, here, session.ID.String(), false},
		{"an id with a tag of its own making", s, here, shared.Value[:tag] + "AAAAAAAAAAAAAAAAAAAAAA", false},
		{"a tag that is cut short", s, here, shared.Value[:len(shared.Value)-2], false},
		{"another session's tag", s, here, id.New[id.TenantSession]().String() + shared.Value[len(session.ID.String()):], false},
		{"nothing", s, here, "", false},
		{"another date", s, here, session.ID.String() + "." + strconv.FormatInt(e.Now().Add(time.Hour).Unix(), 36) + shared.Value[tag-3:], false},
		{"without a date", s, here, session.ID.String() + "." + shared.Value[tag-2:], false},
		{"while its key is in its grace period", openSessions(t, env.Of(nil), key("b", 2)+","+key("a", 1)), here, shared.Value, true},
		{"after its key is gone", openSessions(t, env.Of(nil), key("b", 2)), here, shared.Value, false},
		{"another key under the same name", openSessions(t, env.Of(nil), key("a", 3)), here, shared.Value, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, knows(test.keys, test.at, test.value), test.want, "known")
		})
	}
	e.Advance(sessionTTL - time.Second)
	renewed, err := s.Cookie(visitor, fn.Site{})
	check.Must(t, err)
	check.Equal(t, knows(s, here, shared.Value), true, "a cookie is invalid a second before its expiry")
	e.Advance(time.Second)
	check.Equal(t, knows(s, here, shared.Value), false, "a cookie is valid 30 days after its issue")
	check.Equal(t, knows(s, here, renewed.Value), true, "a renewed cookie is invalid")
	own, _ := s.Cookie(visitor, fn.Site{Own: true})
	check.Equal(t, shared.Path, "/bff/tenant-booking/v1/kabul", "the cookie of a shared host has the path")
	check.Equal(t, shared.SameSite, http.SameSiteLaxMode, "the cookie of a shared host has SameSite")
	want := &http.Cookie{Name: "__Host-tnt_id", Value: own.Value, Path: "/", MaxAge: 2_592_000, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode}
	check.Equal(t, own, want, "unexpected cookie of the hotel's own host")
	visitor.Called = here.ID.String()
	if byID, _ := s.Cookie(visitor, fn.Site{}); byID.Path != "/bff/tenant-booking/v1/"+here.ID.String() {
		t.Errorf("a browser that calls the hotel by its id is not to send its cookie: %v", byID)
	}
	tossed := httptest.NewRequest(http.MethodGet, "/", nil)
	tossed.AddCookie(shared)
	if _, ok := s.FromCookie(tossed, here.ID, fn.Site{Own: true}); ok {
		t.Error("a cookie that another host can set is accepted on the hotel's own host")
	}
}

func TestGet_lostSession(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := document.StoreKey.With(db.Env(), documents.Open(db.Env()))
	s := openSessions(t, e, key("a", 1))
	here := hotel.Tenant{ID: id.New[id.Tenant]()}
	chosen := Begin(Session{Tenant: here.ID, Device: attribution.Mobile, Campaign: attribution.Campaign{Source: "google"}}) // no preferences, which is stored too
	check.Must(t, s.Save(t.Context(), chosen, Session{}))
	got := s.Get(t.Context(), here, chosen.ID, Session{})
	check.Equal(t, got.Device, attribution.Mobile, "stored the device class")
	check.Equal(t, got.Campaign.Source, "google", "stored the campaign")
	chosen.Locale, chosen.Currency, chosen.Version = "fa-AF", "USD", chosen.Version+1
	check.Must(t, s.Save(t.Context(), chosen, Session{}))
	got = s.Get(t.Context(), here, chosen.ID, Session{})
	check.Equal(t, got.Locale, "fa-AF", "stored the language")
	check.Equal(t, got.Currency, "USD", "stored the currency")
	stranger := hotel.Tenant{ID: id.New[id.Tenant]()}
	got = s.Get(t.Context(), stranger, chosen.ID, Session{Tenant: stranger.ID})
	check.Equal(t, got.Locale, "", "another hotel reads the language")
	check.Equal(t, got.Tenant, stranger.ID, "another hotel gets a session of")
	db.Advance(sessionTTL + time.Second)
	fallback := Session{Tenant: here.ID, Device: attribution.Desktop}
	want := fallback
	want.ID, want.CreatedAt, want.LastSeenAt = chosen.ID, e.Now(), e.Now()
	got = s.Get(t.Context(), here, chosen.ID, fallback)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Session{}), cmpopts.EquateApproxTime(time.Minute)); diff != "" {
		t.Errorf("unexpected session after the document expired (-want +got):\n%s", diff)
	}
}
