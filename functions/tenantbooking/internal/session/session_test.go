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
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A handoff's language is that of the visit, or the nearest one that the hotel offers.
func TestApplyHandoff_locale(t *testing.T) {
	t.Parallel()
	for sent, want := range map[locale.Tag]locale.Tag{locale.Pashto: locale.Pashto, locale.Persian: locale.Dari, locale.Urdu: locale.English} {
		t.Run(string(sent), func(t *testing.T) {
			v := Visitor{Tenant: hotel.Tenant{Locales: []locale.Tag{locale.Pashto, locale.Dari, locale.English}}, Locale: locale.English}
			v.ApplyHandoff(VerifiedHandoff{Handoff: handoff.Handoff{ID: id.New[id.Handoff](), Locale: sent}})
			if v.Locale != want {
				t.Errorf("a visit in English with a handoff in %s is in %s, want %s", sent, v.Locale, want)
			}
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
	if err != nil {
		t.Fatal(err)
	}
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
			if got := knows(test.keys, test.at, test.value); got != test.want {
				t.Errorf("got known %t, want %t", got, test.want)
			}
		})
	}
	e.Advance(sessionTTL - time.Second)
	renewed, err := s.Cookie(visitor, fn.Site{})
	if err != nil {
		t.Fatal(err)
	}
	if !knows(s, here, shared.Value) {
		t.Error("a cookie is invalid a second before its expiry")
	}
	e.Advance(time.Second)
	if knows(s, here, shared.Value) {
		t.Error("a cookie is valid 30 days after its issue")
	}
	if !knows(s, here, renewed.Value) {
		t.Error("a renewed cookie is invalid")
	}
	own, _ := s.Cookie(visitor, fn.Site{Own: true})
	if want := "/bff/tenant-booking/v1/kabul"; shared.Path != want {
		t.Errorf("the cookie of a shared host has the path %q, want %q", shared.Path, want)
	}
	if shared.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie of a shared host has SameSite %v, want Lax", shared.SameSite)
	}
	want := &http.Cookie{Name: "__Host-tnt_id", Value: own.Value, Path: "/", MaxAge: 2_592_000, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("unexpected cookie of the hotel's own host (-want +got):\n%s", diff)
	}
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
	if err := s.Save(t.Context(), chosen, Session{}); err != nil {
		t.Fatal(err)
	}
	got := s.Get(t.Context(), here, chosen.ID, Session{})
	if got.Device != attribution.Mobile {
		t.Errorf("stored the device class %q, want %q", got.Device, attribution.Mobile)
	}
	if got.Campaign.Source != "google" {
		t.Errorf("stored the campaign %+v, want the source google", got.Campaign)
	}
	chosen.Locale, chosen.Currency, chosen.Version = "fa-AF", "USD", chosen.Version+1
	if err := s.Save(t.Context(), chosen, Session{}); err != nil {
		t.Fatal(err)
	}
	got = s.Get(t.Context(), here, chosen.ID, Session{})
	if got.Locale != "fa-AF" {
		t.Errorf("stored the language %q, want fa-AF", got.Locale)
	}
	if got.Currency != "USD" {
		t.Errorf("stored the currency %q, want USD", got.Currency)
	}
	stranger := hotel.Tenant{ID: id.New[id.Tenant]()}
	got = s.Get(t.Context(), stranger, chosen.ID, Session{Tenant: stranger.ID})
	if got.Locale != "" {
		t.Errorf("another hotel reads the language %q, want none", got.Locale)
	}
	if got.Tenant != stranger.ID {
		t.Errorf("another hotel gets a session of %s, want %s", got.Tenant, stranger.ID)
	}
	db.Advance(sessionTTL + time.Second)
	fallback := Session{Tenant: here.ID, Device: attribution.Desktop}
	want := fallback
	want.ID, want.CreatedAt, want.LastSeenAt = chosen.ID, e.Now(), e.Now()
	got = s.Get(t.Context(), here, chosen.ID, fallback)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Session{}), cmpopts.EquateApproxTime(time.Minute)); diff != "" {
		t.Errorf("unexpected session after the document expired (-want +got):\n%s", diff)
	}
}
