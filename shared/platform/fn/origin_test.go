package fn_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// shop is a public function of a tenant's site, whose middleware trusts one origin of each tenant.
func shop[Out any](route string, act func(context.Context, string, fn.Call[fn.Nothing]) (Out, error)) fn.Function {
	method, _, _ := strings.Cut(route, " ")
	middleware := func(env.Env) (fn.Middleware[string], error) {
		return fn.Middleware[string]{
			Path: []string{"tenantSlug"},
			Resolve: func(_ context.Context, r *http.Request, _ identity.Identity) (string, fn.Scope, error) {
				return r.PathValue("tenantSlug"), fn.Scope{}, nil
			},
			CORS: fn.CORS{
				Origins: func(_ context.Context, r *http.Request) []string {
					return []string{"https://www." + r.PathValue("tenantSlug") + ".example"}
				},
				Allow: []string{"X-Color"},
			},
		}, nil
	}
	return fn.HTTP(fn.Spec{Name: "test-" + strings.ToLower(method), Route: route, HostWildcard: "tenantSlug"}, middleware, func(env.Env) (func(context.Context, string, fn.Call[fn.Nothing]) (Out, error), error) {
		return act, nil
	})
}

func named(_ context.Context, tenant string, _ fn.Call[fn.Nothing]) (map[string]string, error) {
	return map[string]string{"tenant": tenant}, nil
}

func TestOrigins_asMiddlewareAllows(t *testing.T) {
	t.Parallel()
	front := open(t, shop("GET /shops/{tenantSlug}/thing", named), shop("POST /shops/{tenantSlug}/thing", named)).As("")
	const trusted, host = "https://www.kabul.example", "book.kabul.example"
	for _, test := range []struct {
		name, method, path string
		headers            []string
		status             int
		allowed            string // Access-Control-Allow-Origin
	}{
		{"no browser", "POST", "/shops/kabul/thing", nil, 200, ""},
		{"the page's own origin", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://" + host}, 200, ""},
		{"an older browser at its own origin", "POST", "/shops/kabul/thing", []string{"Origin", "http://" + host}, 200, ""},
		{"another site writes", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403, ""},
		{"a sibling of the site writes", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "same-site", "Origin", "https://other.kabul.example"}, 403, ""},
		{"an older browser elsewhere writes", "POST", "/shops/kabul/thing", []string{"Origin", "https://evil.example"}, 403, ""},
		{"a frame without an origin writes", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, 403, ""},
		{"another site reads", "GET", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 200, ""},
		{"a trusted site writes", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "same-site", "Origin", trusted}, 200, trusted},
		{"a trusted site reads", "GET", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "same-site", "Origin", trusted}, 200, trusted},
		{"one hotel's site at another hotel", "POST", "/shops/herat/thing", []string{"Sec-Fetch-Site", "same-site", "Origin", trusted}, 403, ""},
		{"trusted origin as a prefix", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "same-site", "Origin", trusted + ".evil.example"}, 403, ""},
		{"trusted origin without TLS", "POST", "/shops/kabul/thing", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://www.kabul.example"}, 403, ""},
		{"preflight of a trusted site", "OPTIONS", "/shops/kabul/thing", []string{"Origin", trusted, "Access-Control-Request-Method", "POST"}, 204, trusted},
		{"preflight of another site", "OPTIONS", "/shops/kabul/thing", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, 403, ""},
		{"preflight of an unknown method", "OPTIONS", "/shops/kabul/thing", []string{"Origin", trusted, "Access-Control-Request-Method", "DELETE"}, 204, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := front.Request(t, test.method, test.path, nil, test.headers...)
			r.Host = host
			a := front.Serve(r)
			check.Equal(t, a.Status, test.status, "%s", a.Body)
			check.Equal(t, a.Header.Get("Access-Control-Allow-Origin"), test.allowed)
			if test.status == 403 && a.Code() != "GENERAL.CROSS_ORIGIN_REFUSED" {
				t.Errorf("got %s", a.Body)
			}
			if credentials := a.Header.Get("Access-Control-Allow-Credentials"); (credentials == "true") != (test.allowed != "") {
				t.Errorf("credentials are %q", credentials)
			}
			if test.method != "OPTIONS" && a.Header.Values("Vary")[0] != "Origin" {
				t.Errorf("Vary is %v", a.Header.Values("Vary"))
			}
		})
	}
	asks := front.Request(t, "OPTIONS", "/shops/kabul/thing", nil, "Origin", trusted, "Access-Control-Request-Method", "POST")
	asks.Host = host
	may := front.Serve(asks)
	switch {
	case !strings.Contains(may.Header.Get("Access-Control-Allow-Headers"), "Idempotency-Key"):
		t.Errorf(`may.Header.Get("Access-Control-Allow-Headers") = %q, want one containing %q`, may.Header.Get("Access-Control-Allow-Headers"), "Idempotency-Key")
	case !strings.Contains(may.Header.Get("Access-Control-Allow-Methods"), "POST"):
		t.Errorf(`may.Header.Get("Access-Control-Allow-Methods") = %q, want one containing %q`, may.Header.Get("Access-Control-Allow-Methods"), "POST")
	case may.Header.Get("Access-Control-Max-Age") == "":
		t.Errorf(`may.Header.Get("Access-Control-Max-Age") = %q, want other than ""`, may.Header.Get("Access-Control-Max-Age"))
	}
}

// TestOrigins_sameSite calls hosts from a page of a trusted origin. Only to the same site does a browser send the session's cookie.
func TestOrigins_sameSite(t *testing.T) {
	t.Parallel()
	front := open(t, shop("POST /shops/{tenantSlug}/thing", named)).As("")
	for _, test := range []struct {
		tenant, host string
		same         bool
	}{
		{"kabul", "kabul.example", true},
		{"kabul", "book.kabul.example:8443", true},
		{"kabul", "stays.example", false},
		{"kabul", "example", false},
		{"kabul", "127.0.0.1:8080", false},
	} {
		t.Run(test.host, func(t *testing.T) {
			t.Parallel()
			origin := "https://www." + test.tenant + ".example"
			want := map[bool]string{true: origin}[test.same]
			for method, status := range map[string]int{"POST": 200, "OPTIONS": 204} {
				t.Run(method, func(t *testing.T) {
					r := front.Request(t, method, "/shops/"+test.tenant+"/thing", nil, "Origin", origin, "Access-Control-Request-Method", "POST")
					if r.Host = test.host; !test.same {
						status = 403
					}
					a := front.Serve(r)
					if got := a.Header.Get("Access-Control-Allow-Origin"); a.Status != status || got != want {
						t.Errorf("%s answers %d and allows %q, want %d and %q", method, a.Status, got, status, want)
					}
				})
			}
		})
	}
}

// TestPreflight_forwardedHeader asks whether a page may send the forwarded header.
func TestPreflight_forwardedHeader(t *testing.T) {
	t.Parallel()
	for forwarded, offered := range map[string]bool{"": false, "X-Sandbox-Scenario": true} {
		t.Run(fmt.Sprintf("%q", forwarded), func(t *testing.T) {
			e, issuer := fntest.Surround(t, env.Of(map[string]string{"FORWARD_HEADER": forwarded}))
			front := fntest.Behind(t, e, issuer, shop("POST /shops/{tenantSlug}/thing", named)).As("")
			r := front.Request(t, "OPTIONS", "/shops/kabul/thing", nil, "Origin", "https://www.kabul.example", "Access-Control-Request-Method", "POST")
			r.Host = "kabul.example"
			a := front.Serve(r)
			headers := a.Header.Get("Access-Control-Allow-Headers")
			switch {
			case a.Status != 204:
				t.Errorf("FORWARD_HEADER=%q: a.Status = %v, want 204", forwarded, a.Status)
			case !strings.Contains(headers, "X-Color"):
				t.Errorf("FORWARD_HEADER=%q: headers = %q, want one containing %q", forwarded, headers, "X-Color")
			case strings.Contains(headers, "X-Sandbox-Scenario") != offered:
				t.Errorf(`FORWARD_HEADER=%q: strings.Contains(headers, "X-Sandbox-Scenario") = %v, want %v`, forwarded, strings.Contains(headers, "X-Sandbox-Scenario"), offered)
			}
		})
	}
}

func TestOrigins_noneConfigured(t *testing.T) {
	t.Parallel()
	front := open(t, serve(fn.Spec{Name: "test-write", Route: "POST /write"}, nothing)).As("")
	if a := front.Post("/write", nil, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); a.Code() != "GENERAL.CROSS_ORIGIN_REFUSED" {
		t.Errorf("a write: %d %s", a.Status, a.Body)
	}
	front.Send("OPTIONS", "/write", nil, "Origin", "https://evil.example", "Access-Control-Request-Method", "POST").Want(t, 403)
}
