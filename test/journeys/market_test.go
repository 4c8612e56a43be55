package journeys

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// A reader looks at pages with a browser's cookies and follows redirects.
type reader struct {
	t      *testing.T
	client *http.Client
	base   string
	at     *url.URL
	status int
	page   string
}

func openReader(t *testing.T, s *system.System) *reader {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &reader{t: t, client: &http.Client{Jar: jar}, base: s.Cloud.URL()}
}

func (r *reader) do(method, path string, form url.Values) *reader {
	r.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = r.base + path
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, path, strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept-Language", "en")
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.at, r.status, r.page = res.Request.URL, res.StatusCode, string(text)
	return r
}

func (r *reader) sees(parts ...string) *reader {
	r.t.Helper()
	if r.status != http.StatusOK {
		r.t.Fatalf("%s: status = %d, want 200: %s", r.at, r.status, r.page)
	}
	for _, part := range parts {
		if !strings.Contains(html.UnescapeString(r.page), part) {
			r.t.Errorf("%s does not show %q: %s", r.at, part, r.page)
		}
	}
	return r
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)

// send submits the form whose action ends with the text.
func (r *reader) send(action string, fields ...string) *reader {
	r.t.Helper()
	for _, form := range regexp.MustCompile(`(?s)<form[^>]*method="post" action="([^"]*)".*?</form>`).FindAllStringSubmatch(r.page, -1) {
		if !strings.HasSuffix(form[1], action) {
			continue
		}
		values := url.Values{}
		for _, field := range hiddenField.FindAllStringSubmatch(form[0], -1) {
			values.Set(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
		}
		for i := 0; i+1 < len(fields); i += 2 {
			values.Set(fields[i], fields[i+1])
		}
		return r.do(http.MethodPost, html.UnescapeString(form[1]), values)
	}
	r.t.Fatalf("no form %s on %s: %s", action, r.at, r.page)
	return r
}

// follow opens the link that begins with the text.
func (r *reader) follow(beginning string) *reader {
	r.t.Helper()
	_, rest, found := strings.Cut(r.page, `href="`+beginning)
	if !found {
		r.t.Fatalf("no link %s on %s: %s", beginning, r.at, r.page)
	}
	rest, _, _ = strings.Cut(rest, `"`)
	return r.do(http.MethodGet, html.UnescapeString(beginning+rest), nil)
}

// TestMarket goes from the site of all hotels to a hotel's own site, without any script.
func TestMarket(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	r := openReader(t, s)
	r.do(http.MethodGet, "/hotels", nil).sees("Find a hotel", `type="date"`)
	r.do(http.MethodGet, "/hotels?place=Kabul", nil).sees("Hotels in Kabul", "Kabul Grand Hotel", "USD", "in all, with taxes and fees")
	r.follow("/hotels?adults=2").sees("Hotels on the map", "<circle")
	r.follow("/hotels/"+demo.KabulGrand.Property.String()).sees("Kabul Grand Hotel", "Lowest price per night", "From USD")
	r.send("/preferences", "locale", "fa-AF", "currency", "AFN").sees(`<html lang="fa-AF" dir="rtl">`, "افغانی")
	r.send("/handoff").sees(`<html lang="fa-AF" dir="rtl">`, "کابل")
	if !strings.HasPrefix(r.at.Path, "/site/"+demo.KabulGrand.Slug) || strings.Contains(r.at.RawQuery, "h=") {
		t.Errorf("at = %s, want the hotel's site without a token", r.at)
	}
	r.do(http.MethodGet, "/hotels", nil).sees("تازه دیده‌شده")
	s.Settle()
}
