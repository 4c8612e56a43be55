package consumer_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// cookies returns the cookies that an answer sets.
func cookies(a fntest.Answer) []*http.Cookie { return (&http.Response{Header: a.Header}).Cookies() }

func TestSession_maxViewedAndSearches(t *testing.T) {
	t.Parallel()
	var s session.Session
	var seen []id.Property
	for i := range 60 {
		seen = append(seen, id.New[id.Property]())
		s.Viewed(session.RecentlyViewed{Property: seen[i]})
		s.Searched(session.SearchHistory{QueryHash: fmt.Sprint(i)})
		check.MustEqual(t, len(s.RecentlyViewed), min(i+1, 50), "after %d hotels", i+1)
		check.MustEqual(t, len(s.SearchHistory), min(i+1, 25), "after %d searches", i+1)
	}
	check.Equal(t, s.RecentlyViewed[0].Property, seen[59])
	check.Equal(t, s.RecentlyViewed[49].Property, seen[10])
	check.Equal(t, s.SearchHistory[0].QueryHash, "59")
	check.Equal(t, s.SearchHistory[24].QueryHash, "35")
	s.Viewed(session.RecentlyViewed{Property: seen[10], Source: session.FromWishlist})
	check.MustEqual(t, len(s.RecentlyViewed), 50)
	check.Equal(t, s.RecentlyViewed[0].Source, session.FromWishlist)
	check.Equal(t, s.RecentlyViewed[49].Property, seen[11])
	if slices.ContainsFunc(s.RecentlyViewed[1:], func(v session.RecentlyViewed) bool { return v.Property == seen[10] }) {
		t.Error("a hotel that is viewed again is listed twice")
	}
}

func TestSession_firstAnswer(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller("X-Campaign-Source", "google", "X-Campaign-Medium", "cpc", "X-Campaign-Name", "spring-2026")
	var shown readsession.Response
	a := v.Must(200, "GET", "/session", nil)
	a.Into(t, &shown)
	check.MustEqual(t, len(cookies(a)), 1)
	check.MustEqual(t, a.Header.Get("Cache-Control"), "no-store")
	c := cookies(a)[0]
	check.Equal(t, c.HttpOnly, true)
	check.Equal(t, c.Secure, true)
	check.Equal(t, c.SameSite, http.SameSiteLaxMode)
	check.Equal(t, c.Path, consumer.Base)
	check.Equal(t, c.Domain, "")
	check.Equal(t, c.MaxAge, 30*24*60*60)
	check.Equal(t, shown.Session, v.Session)
	check.Equal(t, shown.Locale, "ps-AF")
	check.Equal(t, shown.Currency, "AFN")
	check.Equal(t, shown.Consent.Telemetry, true)
	check.Equal(t, shown.Consent.Marketing, false)
	check.MustNotEqual(t, shown.Campaign, nil)
	check.Equal(t, shown.Campaign.Campaign, "spring-2026")
	check.NotEqual(t, shown.RecentlyViewed, nil)
	check.NotEqual(t, shown.Wishlist, nil)
	var published struct {
		Session     string `json:"guestSessionId"`
		Fingerprint string `json:"fingerprintHash"`
		IP          string `json:"ipHash"`
		Class       string `json:"userAgentClass"`
		Campaign    struct {
			Source string `json:"source"`
		} `json:"campaignAttribution"`
	}
	envelope, key := site.Payload("session.started", &published)
	check.Equal(t, published.Session, v.Session.String())
	check.Equal(t, published.Class, "browser-desktop")
	check.Equal(t, published.Campaign.Source, "google")
	check.Equal(t, strings.HasPrefix(published.Fingerprint, "sha256:"), true, "%s", published.Fingerprint)
	check.Equal(t, strings.HasPrefix(published.IP, "sha256:"), true, "%s", published.IP)
	tenant, named := envelope["tenantId"]
	check.Equal(t, named, true, "the envelope has no tenantId")
	check.Equal(t, tenant, nil)
	check.Equal[any](t, envelope["sessionId"], v.Session.String())
	check.Equal(t, key, v.Session.String())
	check.Equal(t, len(cookies(v.Must(200, "GET", "/session", nil))), 0, "cookies of the second answer")
	check.Equal(t, site.Published(), []string{"session.started"}, "events")
}

func TestSession_errorAnswer(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, changesession.Function)
	v := site.Traveller()
	a := v.Send("PATCH", "/session", `{"locale":"de"}`)
	check.MustEqual(t, a.Code(), "BFF.CONSUMER.LOCALE_NOT_SUPPORTED")
	check.MustNotEqual(t, v.Cookie, "")
	first := v.Session
	v.Must(200, "PATCH", "/session", `{"locale":"en"}`)
	check.Equal(t, v.Session, first, "the session begun with a refusal did not go on")
}

func TestSession_prefetch(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil, "Sec-Purpose", "prefetch")
	v.Must(200, "HEAD", "/session", nil)
	published := site.Published()
	check.Equal(t, v.Cookie, "")
	check.Equal(t, len(published), 0)
}

func TestSession_invalidCookie(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	victim := site.Traveller()
	victim.Must(200, "PATCH", "/session", `{"currency":"PKR"}`)
	name, tag, _ := strings.Cut(victim.Cookie, ".")
	other := site.Traveller()
	other.Must(200, "GET", "/session", nil)
	otherName, otherTag, _ := strings.Cut(other.Cookie, ".")
	for what, cookie := range map[string]string{
		"bare id":                  name,
		"another session's tag":    name + "." + otherTag,
		"tag on another id":        otherName + "." + tag,
		"unknown key":              name + "." + strings.Replace(tag, "test.", "tset.", 1),
		"truncated tag":            name + "." + tag[:len(tag)-4],
		"changed id":               strings.Replace(victim.Cookie, "gms_id=gms_0", "gms_id=gms_1", 1),
		"cookie of the hotel site": strings.Replace(victim.Cookie, "gms_id=", "tnt_id=", 1),
		"nothing":                  "gms_id=",
	} {
		t.Run(what, func(t *testing.T) {
			a := site.Traveller().Send("GET", "/session", nil, "Cookie", cookie)
			shown := fntest.Read[readsession.Response](t, a)
			a.Want(t, 200)
			check.NotEqual(t, shown.Session, victim.Session)
			check.NotEqual(t, shown.Session, other.Session)
			check.NotEqual(t, shown.Currency, "PKR")
			check.Equal(t, len(cookies(a)), 1, "no session was begun")
		})
	}
}

func TestSession_initialPreferences(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	for _, test := range []struct{ name, accept, country, locale, currency string }{
		{"Dari", "prs", "", "fa-AF", "AFN"},
		{"Dari before English", "prs-AF,prs;q=0.9,en;q=0.5", "", "fa-AF", "AFN"},
		{"accepted language", "ur", "", "ur-PK", "PKR"},
		{"accepted language abroad", "ar", "IR", "ar-AE", "IRR"},
		{"country without a language", "", "PK", "ur-PK", "PKR"},
		{"country with an unsupported language", "zu", "AE", "ar-AE", "AED"},
		{"unsupported language and country", "zu", "ZA", "en", "USD"},
		{"euro country", "en", "DE", "en", "EUR"},
		{"forged country", "en", "af'--", "en", "USD"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := site.Traveller("Accept-Language", test.accept)
			if test.country != "" {
				v.Headers = append(v.Headers, "X-Client-Geo-Country", test.country)
			}
			shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
			check.Equal(t, string(shown.Locale), test.locale)
			check.Equal(t, string(shown.Currency), test.currency)
		})
	}
}

func TestSession_doNotTrack(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	for _, header := range []string{"DNT", "Sec-GPC"} {
		t.Run(header, func(t *testing.T) {
			v := site.Traveller(header, "1")
			shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
			check.Equal(t, shown.Consent.Telemetry, false, "1 begins a session that is counted")
			v.Must(200, "PATCH", "/session", `{"locale":"en","currency":"USD"}`)
		})
	}
	check.Equal(t, len(site.Published()), 0, "events")
	v := site.Traveller("DNT", "0")
	v.Must(200, "GET", "/session", nil)
	site.CheckPublished("session.started", 1)
}

func TestRotate_otherBrowser(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	v := site.Traveller("X-Campaign-Source", "google")
	v.Must(200, "PATCH", "/session", `{"currency":"USD","consentMarketing":true}`)
	old, cookie := v.Session, v.Cookie
	v.Headers = append(v.Headers, "User-Agent", "Mozilla/5.0 Mobile", "Accept-Language", "fa-IR")
	shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
	check.MustNotEqual(t, v.Session, old)
	check.MustEqual(t, shown.Session, v.Session)
	check.Equal(t, shown.Currency, "USD")
	check.Equal(t, shown.Locale, "fa-IR")
	check.Equal(t, shown.Consent.Marketing, true)
	check.NotEqual(t, shown.Campaign, nil)
	var published struct {
		Reason string     `json:"reason"`
		Locale locale.Tag `json:"localePreference"`
	}
	site.Payload("session.ended", &published)
	check.Equal(t, published.Reason, "rotated")
	site.Payload("session.started", &published)
	check.Equal(t, published.Locale, "fa-IR", "the new session begins in")
	site.CheckPublished("locale.changed", 0) // the new session has had no other language
	site.CheckPublished("session.started", 2)
	site.CheckPublished("currency.changed", 1)

	// If the answer was lost, the same browser sends the old cookie again and gets the same session. Another browser with that
	// cookie gets no session of this visitor.
	again := site.Traveller("User-Agent", "Mozilla/5.0 Mobile")
	again.Must(200, "GET", "/session", nil, "Cookie", cookie)
	check.Equal(t, again.Session, v.Session, "session of the same browser")
	thief := site.Traveller("Sec-Ch-Ua-Platform", "Windows")
	got := fntest.Read[readsession.Response](t, thief.Must(200, "GET", "/session", nil, "Cookie", cookie))
	check.NotEqual(t, thief.Session, v.Session)
	if got.Currency == "USD" && got.Consent.Marketing {
		t.Errorf("an old cookie in another browser opened %+v", got)
	}
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	check.Equal(t, shown.Session, again.Session, "the session was taken from its guest")
}

func TestSession_lifetime(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	first := v.Session
	for range 3 {
		site.DB.Advance(29 * 24 * time.Hour)
		check.Equal(t, len(cookies(v.Must(200, "GET", "/session", nil))), 1, "the cookie is not given a new life")
	}
	check.Equal(t, v.Session, first, "a session that was used has ended")
	site.DB.Advance(30*24*time.Hour + time.Minute)
	v.Must(200, "GET", "/session", nil)
	check.NotEqual(t, v.Session, first, "a session that was not seen for a month goes on")
}

func TestSession_lostDocument(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	v := site.Traveller("DNT", "1")
	v.Must(200, "PATCH", "/session", `{"locale":"fa-IR"}`)
	check.Got(site.DB.Owner(t).Exec(t.Context(), `DELETE FROM document.documents`)).Must(t)
	first := v.Session
	shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
	check.Equal(t, v.Session, first)
	check.Equal(t, shown.Locale, "fa-IR")
	check.Equal(t, shown.Consent.Telemetry, false)
}

func TestChange_concurrently(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	sessions := site.Sessions()
	const racers = 12
	failed := make(chan error, racers)
	for range racers {
		go func() {
			_, err := sessions.Change(t.Context(), v.Session, func(s *session.Session) {
				s.Viewed(session.RecentlyViewed{Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), Source: session.FromList})
			})
			failed <- err
		}()
	}
	for range racers {
		check.NoError(t, <-failed)
	}
	kept, err := sessions.Get(t.Context(), v.Session)
	check.Must(t, err)
	check.Equal(t, len(kept.RecentlyViewed), racers)
}
