package fn_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// seen is the Site that an act gets.
type seen struct {
	Tenant      string     `json:"tenant"`
	Site        fn.Site    `json:"site"`
	Address     netip.Addr `json:"address"`
	Speculative bool       `json:"speculative"`
}

func tell(_ context.Context, tenant string, c fn.Call[fn.Nothing]) (seen, error) {
	return seen{tenant, c.Site, c.Address, c.Speculative}, nil
}

func TestSite_ownHost(t *testing.T) {
	t.Parallel()
	e, issuer := fntest.Surround(t, env.Of(map[string]string{"SITE_DOMAIN": "stays.example"}))
	front := fntest.Behind(t, e, issuer, shop("GET /v1/{tenantSlug}/thing", tell), shop("POST /v1/{tenantSlug}/thing", tell))
	for _, test := range []struct {
		host, path, tenant string
		own                bool
		status             int
	}{
		{"stays.example", "/v1/kabul/thing", "kabul", false, 200},
		{"kabul.stays.example", "/v1/herat/thing", "herat", false, 200},
		{"kabul.stays.example", "/api/thing", "kabul", true, 200},
		{"Kabul.Stays.Example.:8080", "/api/thing", "kabul", true, 200},
		{"hotel.example:443", "/api/thing", "hotel.example", true, 200},
		{"stays.example", "/api/thing", "", true, 200}, // the middleware finds no such tenant
		{"kabul", "/api/thing", "", true, 200},
		{"127.0.0.1:8080", "/api/thing", "", true, 200},
		{"[::1]:8080", "/api/thing", "", true, 200},
		{"kabul.stays.example", "/api/other", "", false, 404},
		{"kabul.stays.example", "/api/kabul/thing", "", false, 404},
	} {
		t.Run(fmt.Sprint(test.host, " ", test.path), func(t *testing.T) {
			r := front.Request(t, "GET", test.path, nil)
			r.Host = test.host
			a := front.Serve(r)
			if a.Status != test.status {
				t.Errorf("%s%s: %d %s", test.host, test.path, a.Status, a.Body)
				return
			}
			if test.status != 200 {
				return
			}
			var got seen
			a.Into(t, &got)
			switch {
			case got.Tenant != test.tenant:
				t.Errorf("%s%s: got.Tenant = %v, want %v", test.host, test.path, got.Tenant, test.tenant)
			case got.Site.Own != test.own:
				t.Errorf("%s%s: got.Site.Own = %v, want %v", test.host, test.path, got.Site.Own, test.own)
			case got.Site.Plain:
				t.Errorf("%s%s: got.Site.Plain = true, want false", test.host, test.path)
			}
		})
	}
	if a := front.Send("PATCH", "/api/thing", nil); a.Status != 405 || a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("PATCH: %d, Allow %q", a.Status, a.Header.Get("Allow"))
	}
}

func TestSite_httpsExceptLoopback(t *testing.T) {
	t.Parallel()
	front := open(t, shop("GET /v1/{tenantSlug}/thing", tell))
	for _, test := range []struct {
		host, from, forwarded string
		plain                 bool
	}{
		{"kabul.localhost:8080", "127.0.0.1:5000", "", true},
		{"localhost", "[::1]:5000", "", true},
		{"127.0.0.1:8080", "127.0.0.1:5000", "http", true},
		{"localhost", "127.0.0.1:5000", "https", false},
		{"localhost", "192.0.2.1:5000", "", false},
		{"kabul.example", "127.0.0.1:5000", "", false},
		{"localhost.evil.example", "127.0.0.1:5000", "", false},
	} {
		t.Run(fmt.Sprint(test.host, " ", test.from), func(t *testing.T) {
			r := front.Request(t, "GET", "/v1/kabul/thing", nil)
			r.Host, r.RemoteAddr = test.host, test.from
			if test.forwarded != "" {
				r.Header.Set("X-Forwarded-Proto", test.forwarded)
			}
			var got seen
			front.Serve(r).Into(t, &got)
			check.Equal(t, got.Site.Plain, test.plain, "%+v: plain", test)
		})
	}
}

func TestSite_clientAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, hops, forwarded, want string
	}{
		{"no proxy: the header is ignored", "0", "203.0.113.9", "192.0.2.1"},
		{"load balancer", "2", "203.0.113.9, 198.51.100.7, 10.0.0.1", "198.51.100.7"},
		{"IPv4-mapped address", "1", "::ffff:198.51.100.7", "198.51.100.7"},
		{"fewer hops than configured", "2", "198.51.100.7", ""},
		{"no address", "1", "unknown", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, issuer := fntest.Surround(t, env.Of(map[string]string{"FORWARDED_HOPS": test.hops}))
			var got seen
			fntest.Behind(t, e, issuer, shop("GET /v1/{tenantSlug}/thing", tell)).Get("/v1/kabul/thing", "X-Forwarded-For", test.forwarded).Into(t, &got)
			if want, _ := netip.ParseAddr(test.want); got.Address != want {
				t.Errorf("got %v, want %q", got.Address, test.want)
			}
		})
	}
}

func TestSpeculative(t *testing.T) {
	t.Parallel()
	front := open(t, shop("GET /v1/{tenantSlug}/thing", tell))
	for _, test := range []struct {
		name, value string
		want        bool
	}{
		{"Sec-Purpose", "prefetch", true}, {"Sec-Purpose", "prefetch;prerender", true}, {"Sec-Purpose", "PREFETCH", true},
		{"Purpose", "prefetch", true}, {"X-Moz", "prefetch", true}, {"X-Purpose", "preview", true},
		{"Sec-Purpose", "", false}, {"X-Other", "prefetch", false},
		{"Sec-Fetch-Dest", "image", true}, {"Sec-Fetch-Dest", "iframe", true}, {"Sec-Fetch-Dest", "document", false}, {"Sec-Fetch-Dest", "empty", false},
		{"User-Agent", "TelegramBot (like TwitterBot)", true}, {"User-Agent", "Mozilla/5.0 (Linux; Android 14; CUBOT X70) Mobile", false},
	} {
		t.Run(fmt.Sprint(test.name, " ", test.value), func(t *testing.T) {
			var got seen
			front.Get("/v1/kabul/thing", test.name, test.value).Into(t, &got)
			check.Equal(t, got.Speculative, test.want, "%s: %s", test.name, test.value)
		})
	}
}

func TestSpeculative_linkScanners(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, agent string
		want        bool
	}{
		{"whatsapp", "WhatsApp/2.23.20.0 A", true},
		{"telegram", "TelegramBot (like TwitterBot)", true},
		{"facebook", "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", true},
		{"apple_messages", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0", true},
		{"slack", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", true},
		{"discord", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", true},
		{"linkedin", "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)", true},
		{"skype", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5", true},
		{"absent", "", false},
		{"command_line", "curl/8.5.0", false}, // a developer who tries the route
		{"app", "Dart/3.4 (dart:io)", false},
		{"phone_named_bot", "Mozilla/5.0 (Linux; Android 14; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36", false},
		{"in_telegram", "Mozilla/5.0 (Linux; Android 11; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0 Mobile Safari/537.36 Telegram-Android/11.9", false},
		{"in_facebook", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/470.0;FBLC/ar_AE]", false},
		{"in_whatsapp", "Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/138.0 Mobile Safari/537.36 WhatsApp/2.24", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := fn.Speculative(&http.Request{Method: http.MethodGet, Header: http.Header{"User-Agent": {test.agent}}}); got != test.want {
				t.Errorf("%s: got %t, want %t", test.agent, got, test.want)
			}
		})
	}
}

func TestReply_cookies(t *testing.T) {
	t.Parallel()
	visit := &http.Cookie{Name: "visit", Value: "1", Path: "/shop", HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode}
	front := open(t, answering(func(context.Context) (fn.Reply, error) {
		return fn.OK.Reply().Keep(visit).Forget(&http.Cookie{Name: "old", Value: "secret", Path: "/shop"}).Language("ps-AF").Varies("Cookie"), nil
	}))
	a := front.Get("/answer")
	cookies := a.Header.Values("Set-Cookie")
	switch {
	case len(cookies) != 2:
		t.Errorf("len(cookies) = %v, want 2", len(cookies))
	case cookies[0] != visit.String():
		t.Errorf("cookies[0] = %v, want %v", cookies[0], visit.String())
	case !strings.HasPrefix(cookies[1], "old=; Path=/shop; Max-Age=0"):
		t.Errorf("cookies[1] = %q, want one beginning with %q", cookies[1], "old=; Path=/shop; Max-Age=0")
	case strings.Contains(cookies[1], "secret"):
		t.Errorf("cookies[1] = %q, want one without %q", cookies[1], "secret")
	}
	check.Equal(t, a.Header.Get("Content-Language"), "ps-AF")
	check.Equal(t, a.Header.Get("Vary"), "Accept-Language, Cookie")
}

func TestHSTS_leavesSubdomainsOfHotelsAlone(t *testing.T) {
	t.Parallel()
	front := fntest.Open(t, env.Of(map[string]string{"SITE_DOMAIN": "stay.example"}), answering(func(context.Context) (fn.Nothing, error) { return fn.Nothing{}, nil }))
	for host, want := range map[string]string{
		"stay.example":             "max-age=63072000; includeSubDomains",
		"kabul-grand.stay.example": "max-age=63072000; includeSubDomains",
		"kabul-grand.example":      "max-age=63072000",
		"notstay.example":          "max-age=63072000",
	} {
		t.Run(host, func(t *testing.T) {
			r := front.Request(t, http.MethodGet, "/answer", nil)
			r.Host = host
			check.Equal(t, front.Serve(r).Header.Get("Strict-Transport-Security"), want)
		})
	}
}
