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
		if n := len(s.RecentlyViewed); n != min(i+1, 50) {
			t.Fatalf("after %d hotels: got %d", i+1, n)
		}
		if n := len(s.SearchHistory); n != min(i+1, 25) {
			t.Fatalf("after %d searches: got %d", i+1, n)
		}
	}
	if s.RecentlyViewed[0].Property != seen[59] {
		t.Errorf("s.RecentlyViewed[0].Property = %v, want %v", s.RecentlyViewed[0].Property, seen[59])
	}
	if s.RecentlyViewed[49].Property != seen[10] {
		t.Errorf("s.RecentlyViewed[49].Property = %v, want %v", s.RecentlyViewed[49].Property, seen[10])
	}
	if s.SearchHistory[0].QueryHash != "59" {
		t.Errorf(`s.SearchHistory[0].QueryHash = %q, want "59"`, s.SearchHistory[0].QueryHash)
	}
	if s.SearchHistory[24].QueryHash != "35" {
		t.Errorf(`s.SearchHistory[24].QueryHash = %q, want "35"`, s.SearchHistory[24].QueryHash)
	}
	s.Viewed(session.RecentlyViewed{Property: seen[10], Source: session.FromWishlist})
	if len(s.RecentlyViewed) != 50 {
		t.Fatalf("len(s.RecentlyViewed) = %d, want 50", len(s.RecentlyViewed))
	}
	if s.RecentlyViewed[0].Source != session.FromWishlist {
		t.Errorf("s.RecentlyViewed[0].Source = %q, want %q", s.RecentlyViewed[0].Source, session.FromWishlist)
	}
	if s.RecentlyViewed[49].Property != seen[11] {
		t.Errorf("s.RecentlyViewed[49].Property = %v, want %v", s.RecentlyViewed[49].Property, seen[11])
	}
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
	if len(cookies(a)) != 1 {
		t.Fatalf("len(cookies(a)) = %d, want 1", len(cookies(a)))
	}
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf(`a.Header.Get("Cache-Control") = %q, want "no-store"`, a.Header.Get("Cache-Control"))
	}
	c := cookies(a)[0]
	if !c.HttpOnly {
		t.Error("c.HttpOnly = false, want true")
	}
	if !c.Secure {
		t.Error("c.Secure = false, want true")
	}
	if c.SameSite != http.SameSiteLaxMode {
		t.Errorf("c.SameSite = %d, want %d", c.SameSite, http.SameSiteLaxMode)
	}
	if c.Path != consumer.Base {
		t.Errorf("c.Path = %q, want %q", c.Path, consumer.Base)
	}
	if c.Domain != "" {
		t.Errorf(`c.Domain = %q, want ""`, c.Domain)
	}
	if c.MaxAge != 30*24*60*60 {
		t.Errorf("c.MaxAge = %d, want %d", c.MaxAge, 30*24*60*60)
	}
	if shown.Session != v.Session {
		t.Errorf("shown.Session = %v, want %v", shown.Session, v.Session)
	}
	if shown.Locale != "ps-AF" {
		t.Errorf(`shown.Locale = %q, want "ps-AF"`, shown.Locale)
	}
	if shown.Currency != "AFN" {
		t.Errorf(`shown.Currency = %q, want "AFN"`, shown.Currency)
	}
	if !shown.Consent.Telemetry {
		t.Error("shown.Consent.Telemetry = false, want true")
	}
	if shown.Consent.Marketing {
		t.Error("shown.Consent.Marketing = true, want false")
	}
	if shown.Campaign == nil {
		t.Fatal("shown.Campaign = nil, want a value")
	}
	if shown.Campaign.Campaign != "spring-2026" {
		t.Errorf(`shown.Campaign.Campaign = %q, want "spring-2026"`, shown.Campaign.Campaign)
	}
	if shown.RecentlyViewed == nil {
		t.Error("shown.RecentlyViewed = nil, want a value")
	}
	if shown.Wishlist == nil {
		t.Error("shown.Wishlist = nil, want a value")
	}
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
	if published.Session != v.Session.String() {
		t.Errorf("published.Session = %q, want %q", published.Session, v.Session.String())
	}
	if published.Class != "browser-desktop" {
		t.Errorf(`published.Class = %q, want "browser-desktop"`, published.Class)
	}
	if published.Campaign.Source != "google" {
		t.Errorf(`published.Campaign.Source = %q, want "google"`, published.Campaign.Source)
	}
	if !strings.HasPrefix(published.Fingerprint, "sha256:") {
		t.Errorf("published.Fingerprint = %q, want prefix %q", published.Fingerprint, "sha256:")
	}
	if !strings.HasPrefix(published.IP, "sha256:") {
		t.Errorf("published.IP = %q, want prefix %q", published.IP, "sha256:")
	}
	tenant, named := envelope["tenantId"]
	if !named {
		t.Error("the envelope has no tenantId, want null")
	}
	if tenant != nil {
		t.Errorf("tenant = %v, want nil", tenant)
	}
	if envelope["sessionId"] != v.Session.String() {
		t.Errorf(`envelope["sessionId"] = %v, want %q`, envelope["sessionId"], v.Session.String())
	}
	if key != v.Session.String() {
		t.Errorf("key = %q, want %q", key, v.Session.String())
	}
	if a := v.Must(200, "GET", "/session", nil); len(cookies(a)) != 0 {
		t.Errorf("the second answer sets %v", cookies(a))
	}
	if published := site.Published(); !slices.Equal(published, []string{"session.started"}) {
		t.Errorf("events: got %v", published)
	}
}

func TestSession_errorAnswer(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, changesession.Function)
	v := site.Traveller()
	a := v.Send("PATCH", "/session", `{"locale":"de"}`)
	if a.Code() != "BFF.CONSUMER.LOCALE_NOT_SUPPORTED" {
		t.Fatalf(`code = %q, want "BFF.CONSUMER.LOCALE_NOT_SUPPORTED"`, a.Code())
	}
	if v.Cookie == "" {
		t.Fatal("v.Cookie is empty")
	}
	first := v.Session
	v.Must(200, "PATCH", "/session", `{"locale":"en"}`)
	if v.Session != first {
		t.Error("the session begun with a refusal did not go on")
	}
}

func TestSession_prefetch(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil, "Sec-Purpose", "prefetch")
	v.Must(200, "HEAD", "/session", nil)
	published := site.Published()
	if v.Cookie != "" {
		t.Errorf(`v.Cookie = %q, want ""`, v.Cookie)
	}
	if len(published) != 0 {
		t.Errorf("len(published) = %d, want 0", len(published))
	}
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
			var shown readsession.Response
			a.Into(t, &shown)
			if a.Status != 200 {
				t.Errorf("status = %d, want 200: %s", a.Status, a.Body)
			}
			if shown.Session == victim.Session {
				t.Errorf("shown.Session = %v, want another value", shown.Session)
			}
			if shown.Session == other.Session {
				t.Errorf("shown.Session = %v, want another value", shown.Session)
			}
			if shown.Currency == "PKR" {
				t.Errorf("shown.Currency = %q, want another value", shown.Currency)
			}
			if len(cookies(a)) != 1 {
				t.Error("no session was begun")
			}
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
			var shown readsession.Response
			v.Must(200, "GET", "/session", nil).Into(t, &shown)
			if string(shown.Locale) != test.locale {
				t.Errorf("string(shown.Locale) = %q, want %q", string(shown.Locale), test.locale)
			}
			if string(shown.Currency) != test.currency {
				t.Errorf("string(shown.Currency) = %q, want %q", string(shown.Currency), test.currency)
			}
		})
	}
}

func TestSession_doNotTrack(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	for _, header := range []string{"DNT", "Sec-GPC"} {
		t.Run(header, func(t *testing.T) {
			v := site.Traveller(header, "1")
			var shown readsession.Response
			v.Must(200, "GET", "/session", nil).Into(t, &shown)
			if shown.Consent.Telemetry {
				t.Errorf("1 begins a session that is counted")
			}
			v.Must(200, "PATCH", "/session", `{"locale":"en","currency":"USD"}`)
		})
	}
	if published := site.Published(); len(published) != 0 {
		t.Errorf("events: got %v", published)
	}
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
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if v.Session == old {
		t.Fatalf("v.Session = %v, want another value", v.Session)
	}
	if shown.Session != v.Session {
		t.Fatalf("shown.Session = %v, want %v", shown.Session, v.Session)
	}
	if shown.Currency != "USD" {
		t.Errorf(`shown.Currency = %q, want "USD"`, shown.Currency)
	}
	if shown.Locale != "fa-IR" {
		t.Errorf(`shown.Locale = %q, want "fa-IR"`, shown.Locale)
	}
	if !shown.Consent.Marketing {
		t.Error("shown.Consent.Marketing = false, want true")
	}
	if shown.Campaign == nil {
		t.Error("shown.Campaign = nil, want a value")
	}
	var published struct {
		Reason string     `json:"reason"`
		Locale locale.Tag `json:"localePreference"`
	}
	site.Payload("session.ended", &published)
	if published.Reason != "rotated" {
		t.Errorf(`published.Reason = %q, want "rotated"`, published.Reason)
	}
	if site.Payload("session.started", &published); published.Locale != "fa-IR" {
		t.Errorf("the new session begins in %q, want %q", published.Locale, "fa-IR")
	}
	site.CheckPublished("locale.changed", 0) // the new session has had no other language
	site.CheckPublished("session.started", 2)
	site.CheckPublished("currency.changed", 1)

	// If the answer was lost, the same browser sends the old cookie again and gets the same session. Another browser with that
	// cookie gets no session of this visitor.
	again := site.Traveller("User-Agent", "Mozilla/5.0 Mobile")
	again.Must(200, "GET", "/session", nil, "Cookie", cookie)
	if again.Session != v.Session {
		t.Errorf("the same browser became %s, want %s", again.Session, v.Session)
	}
	thief := site.Traveller("Sec-Ch-Ua-Platform", "Windows")
	var got readsession.Response
	thief.Must(200, "GET", "/session", nil, "Cookie", cookie).Into(t, &got)
	if thief.Session == v.Session {
		t.Errorf("thief.Session = %v, want another value", thief.Session)
	}
	if got.Currency == "USD" && got.Consent.Marketing {
		t.Errorf("an old cookie in another browser opened %+v", got)
	}
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if shown.Session != again.Session {
		t.Error("the session was taken from its guest")
	}
}

func TestSession_lifetime(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	first := v.Session
	for range 3 {
		site.DB.Advance(29 * 24 * time.Hour)
		if a := v.Must(200, "GET", "/session", nil); len(cookies(a)) != 1 {
			t.Error("the cookie is not given a new life")
		}
	}
	if v.Session != first {
		t.Error("a session that was used has ended")
	}
	site.DB.Advance(30*24*time.Hour + time.Minute)
	v.Must(200, "GET", "/session", nil)
	if v.Session == first {
		t.Error("a session that was not seen for a month goes on")
	}
}

func TestSession_lostDocument(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	v := site.Traveller("DNT", "1")
	v.Must(200, "PATCH", "/session", `{"locale":"fa-IR"}`)
	if _, err := site.DB.Owner(t).Exec(t.Context(), `DELETE FROM document.documents`); err != nil {
		t.Fatal(err)
	}
	first := v.Session
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if v.Session != first {
		t.Errorf("v.Session = %v, want %v", v.Session, first)
	}
	if shown.Locale != "fa-IR" {
		t.Errorf(`shown.Locale = %q, want "fa-IR"`, shown.Locale)
	}
	if shown.Consent.Telemetry {
		t.Error("shown.Consent.Telemetry = true, want false")
	}
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
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	kept, err := sessions.Get(t.Context(), v.Session)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.RecentlyViewed) != racers {
		t.Errorf("len(kept.RecentlyViewed) = %d, want %d", len(kept.RecentlyViewed), racers)
	}
}
