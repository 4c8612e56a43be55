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
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// set returns the cookies that an answer sets.
func set(a fntest.Answer) []*http.Cookie { return (&http.Response{Header: a.Header}).Cookies() }

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
	if s.RecentlyViewed[0].Property != seen[59] || s.RecentlyViewed[49].Property != seen[10] {
		t.Error("the newest is not first, or the oldest is still listed")
	}
	if s.SearchHistory[0].QueryHash != "59" || s.SearchHistory[24].QueryHash != "35" {
		t.Errorf("searches from %s to %s", s.SearchHistory[0].QueryHash, s.SearchHistory[24].QueryHash)
	}
	s.Viewed(session.RecentlyViewed{Property: seen[10], Source: session.FromWishlist})
	if len(s.RecentlyViewed) != 50 || s.RecentlyViewed[0].Source != session.FromWishlist || s.RecentlyViewed[49].Property != seen[11] {
		t.Error("a hotel that is viewed again does not move to the front")
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
	if len(set(a)) != 1 || a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("cookies %v, %v", set(a), a.Header)
	}
	c := set(a)[0]
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != consumer.Base || c.Domain != "" || c.MaxAge != 30*24*60*60 {
		t.Errorf("the cookie is %+v", c)
	}
	if shown.Session != v.Session || shown.Locale != "ps-AF" || shown.Currency != "AFN" || !shown.Consent.Telemetry || shown.Consent.Marketing {
		t.Errorf("shown %+v", shown)
	}
	if shown.Campaign == nil || shown.Campaign.Campaign != "spring-2026" || shown.RecentlyViewed == nil || shown.Wishlist == nil {
		t.Errorf("shown %s", a.Body)
	}
	var told struct {
		Session     string `json:"guestSessionId"`
		Fingerprint string `json:"fingerprintHash"`
		IP          string `json:"ipHash"`
		Class       string `json:"userAgentClass"`
		Campaign    struct {
			Source string `json:"source"`
		} `json:"campaignAttribution"`
	}
	envelope, key := site.Payload("session.started", &told)
	if told.Session != v.Session.String() || told.Class != "browser-desktop" || told.Campaign.Source != "google" || !strings.HasPrefix(told.Fingerprint, "sha256:") || !strings.HasPrefix(told.IP, "sha256:") {
		t.Errorf("events: got %+v", told)
	}
	tenant, named := envelope["tenantId"]
	if !named || tenant != nil || envelope["sessionId"] != v.Session.String() || key != v.Session.String() {
		t.Errorf("the envelope is %v", envelope)
	}
	if a := v.Must(200, "GET", "/session", nil); len(set(a)) != 0 {
		t.Errorf("the second answer sets %v", set(a))
	}
	if told := site.Published(); !slices.Equal(told, []string{"session.started"}) {
		t.Errorf("events: got %v", told)
	}
}

func TestSession_errorAnswer(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, changesession.Function)
	v := site.Traveller()
	if a := v.Send("PATCH", "/session", `{"locale":"de"}`); a.Code() != "BFF.CONSUMER.LOCALE_NOT_SUPPORTED" || v.Cookie == "" {
		t.Fatalf("got %d %s, cookie %q", a.Status, a.Body, v.Cookie)
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
	if told := site.Published(); v.Cookie != "" || len(told) != 0 {
		t.Errorf("cookie %q, told %v", v.Cookie, told)
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
		"the bare id":               name,
		"another session's tag":     name + "." + otherTag,
		"this tag on another":       otherName + "." + tag,
		"an unknown key":            name + "." + strings.Replace(tag, "test.", "tset.", 1),
		"half a tag":                name + "." + tag[:len(tag)-4],
		"a signed id of no session": strings.Replace(victim.Cookie, "gms_id=gms_0", "gms_id=gms_1", 1),
		"the hotel site's cookie":   strings.Replace(victim.Cookie, "gms_id=", "tnt_id=", 1),
		"nothing":                   "gms_id=",
	} {
		a := site.Traveller().Send("GET", "/session", nil, "Cookie", cookie)
		var shown readsession.Response
		a.Into(t, &shown)
		if a.Status != 200 || shown.Session == victim.Session || shown.Session == other.Session || shown.Currency == "PKR" {
			t.Errorf("%s opened %s", what, a.Body)
		}
		if len(set(a)) != 1 {
			t.Errorf("%s: no session was begun", what)
		}
	}
}

func TestSession_initialPreferences(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	for _, test := range []struct{ name, accept, country, locale, currency string }{
		{"Dari as browsers ask for it", "prs", "", "fa-AF", "AFN"},
		{"Dari before English", "prs-AF,prs;q=0.9,en;q=0.5", "", "fa-AF", "AFN"},
		{"what the browser accepts", "ur", "", "ur-PK", "PKR"},
		{"the browser's language wherever it is", "ar", "IR", "ar-AE", "IRR"},
		{"the country where the browser says nothing", "", "PK", "ur-PK", "PKR"},
		{"the country where the browser says what the site is not in", "zu", "AE", "ar-AE", "AED"},
		{"English where both say nothing known", "zu", "ZA", "en", "USD"},
		{"a country that counts in euros", "en", "DE", "en", "EUR"},
		{"a forged country", "en", "af'--", "en", "USD"},
	} {
		v := site.Traveller("Accept-Language", test.accept)
		if test.country != "" {
			v.Headers = append(v.Headers, "X-Client-Geo-Country", test.country)
		}
		var shown readsession.Response
		v.Must(200, "GET", "/session", nil).Into(t, &shown)
		if string(shown.Locale) != test.locale || string(shown.Currency) != test.currency {
			t.Errorf("%s: %s and %s, want %s and %s", test.name, shown.Locale, shown.Currency, test.locale, test.currency)
		}
	}
}

func TestSession_doNotTrack(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	for _, header := range []string{"DNT", "Sec-GPC"} {
		v := site.Traveller(header, "1")
		var shown readsession.Response
		v.Must(200, "GET", "/session", nil).Into(t, &shown)
		if shown.Consent.Telemetry {
			t.Errorf("%s: 1 begins a session that is counted", header)
		}
		v.Must(200, "PATCH", "/session", `{"locale":"en","currency":"USD"}`)
	}
	if told := site.Published(); len(told) != 0 {
		t.Errorf("events: got %v", told)
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
	if v.Session == old || shown.Session != v.Session {
		t.Fatalf("the session is %s, shown %s, was %s", v.Session, shown.Session, old)
	}
	if shown.Currency != "USD" || shown.Locale != "fa-IR" || !shown.Consent.Marketing || shown.Campaign == nil {
		t.Errorf("what was chosen is lost, or what the browser says not heard: %+v", shown)
	}
	var told struct {
		Reason  string `json:"reason"`
		Trigger string `json:"trigger"`
	}
	site.Payload("session.ended", &told)
	site.Payload("locale.changed", &told)
	if told.Reason != "rotated" || told.Trigger != "accept-language" {
		t.Errorf("events: got %+v", told)
	}
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
	if thief.Session == v.Session || got.Currency == "USD" && got.Consent.Marketing {
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
		if a := v.Must(200, "GET", "/session", nil); len(set(a)) != 1 {
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
	if v.Session != first || shown.Locale != "fa-IR" || shown.Consent.Telemetry {
		t.Errorf("shown %+v", shown)
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
	if err != nil || len(kept.RecentlyViewed) != racers {
		t.Errorf("%d of %d views are kept, %v", len(kept.RecentlyViewed), racers, err)
	}
}
