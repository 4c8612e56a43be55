package journeys

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A reader looks at pages with a browser's cookies and follows redirects.
type reader struct {
	t      *testing.T
	client *http.Client
	base   string
	played string // scenario of the sandbox; "" for none
	at     *url.URL
	status int
	page   string
}

// solve submits the form of a challenge with a response that the sandbox accepts.
func (r *reader) solve() *reader {
	r.t.Helper()
	if r.status != http.StatusTooManyRequests {
		r.t.Fatalf("%s: status = %d, want 429: %s", r.at, r.status, r.page)
	}
	form := regexp.MustCompile(`(?s)<form class="details" method="(get|post)" action="([^"]*)".*?name="response" value="(pass[^"]*)"`).FindStringSubmatch(r.page)
	if form == nil {
		r.t.Fatalf("no challenge on %s: %s", r.at, r.page)
	}
	values := url.Values{"response": {form[3]}}
	for _, field := range hiddenField.FindAllStringSubmatch(form[0], -1) {
		values.Set(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	if form[1] == "get" {
		return r.do(http.MethodGet, html.UnescapeString(form[2])+"?"+values.Encode(), nil)
	}
	return r.do(http.MethodPost, html.UnescapeString(form[2]), values)
}

func openReader(t *testing.T, s *system.System) *reader {
	t.Helper()
	return &reader{t: t, client: &http.Client{Jar: check.Got(cookiejar.New(nil)).Must(t)}, base: s.Cloud.URL()}
}

func (r *reader) do(method, path string, form url.Values) *reader {
	r.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = r.base + path
	}
	req := check.Got(http.NewRequestWithContext(r.t.Context(), method, path, strings.NewReader(form.Encode()))).Must(r.t)
	req.Header.Set("Accept-Language", "en")
	if r.played != "" {
		req.Header.Set("X-Sandbox-Scenario", r.played)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res := check.Got(r.client.Do(req)).Must(r.t)
	defer res.Body.Close()
	text := check.Got(io.ReadAll(res.Body)).Must(r.t)
	r.at, r.status, r.page = res.Request.URL, res.StatusCode, string(text)
	return r
}

func (r *reader) sees(parts ...string) *reader {
	r.t.Helper()
	if r.status != http.StatusOK {
		r.t.Fatalf("%s: status = %d, want 200: %s", r.at, r.status, r.page)
	}
	check.Contains(r.t, html.UnescapeString(r.page), parts...)
	return r
}

// lacks checks that the page shows none of the parts.
func (r *reader) lacks(parts ...string) *reader {
	r.t.Helper()
	check.Lacks(r.t, html.UnescapeString(r.page), parts...)
	return r
}

var listed = regexp.MustCompile(`<h3>.*?<a href="/hotels/(ppt_\w+)\?`)

// hotels returns the ids of the hotels on the page's cards, in order.
func (r *reader) hotels() (all []string) {
	for _, found := range listed.FindAllStringSubmatch(r.page, -1) {
		all = append(all, found[1])
	}
	return all
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

// sendWith submits the preferences form that has the hidden field.
func (r *reader) sendWith(field string, fields ...string) *reader {
	r.t.Helper()
	before, _, _ := strings.Cut(r.page, `<input type="hidden" name="`+field+`"`)
	r.page = r.page[max(0, strings.LastIndex(before, "<form")):]
	return r.send("/preferences", fields...)
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
	r.do(http.MethodGet, "/hotels?place=Kabul", nil).sees("Hotels in Kabul", "Kabul Grand Hotel", "USD", "for 2 nights, taxes included")
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

// openCity starts the system with enough hotels for at least two pages of results in Kabul.
func openCity(t *testing.T) *system.System {
	t.Helper()
	const hotels = 100
	s := system.Open(t)
	check.Must(t, demo.Furnish(t.Context(), s.Env(), hotels))
	return s
}

// TestMarket_places finds a city by its name with its country, in each language of the site.
func TestMarket_places(t *testing.T) {
	t.Parallel()
	s := openCity(t)
	r := openReader(t, s)
	for _, place := range []string{"Kabul, Afghanistan", "کابل، افغانستان", "كابول، أفغانستان"} {
		t.Run(place, func(t *testing.T) {
			r.do(http.MethodGet, "/hotels?place="+url.QueryEscape(place), nil).sees("Kabul Grand Hotel")
			check.Equal(t, r.at.Query().Get("city"), "Kabul", "city")
		})
	}
	r.do(http.MethodGet, "/hotels?place=Afghanistan", nil).sees("Hotels in Afghanistan", "Choose a city", ">Herat<", ">Kabul<")
	r.do(http.MethodGet, "/hotels?place=Atlantis", nil).sees("We know no hotel in a place of this name")
	s.Settle()
}

// TestMarket_results filters, sorts and pages through the hotels of a city.
func TestMarket_results(t *testing.T) {
	t.Parallel()
	s := openCity(t)
	r := openReader(t, s)
	const search = "/hotels?place=Kabul&city=Kabul"
	all := r.do(http.MethodGet, search, nil).sees("More hotels").lacks("Previous hotels").hotels()
	check.MustEqual(t, len(all), 10)
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(r.page)
	second := r.do(http.MethodGet, html.UnescapeString(next[1]), nil).sees("Previous hotels").hotels()
	if len(second) == 0 {
		t.Error("the second page is empty")
	}
	for _, hotel := range second {
		if slices.Contains(all, hotel) {
			t.Errorf("%s is on both pages", hotel)
		}
	}
	total := r.total()
	if len(second)+len(all) > total {
		t.Errorf("%d hotels on two pages, want at most %d", len(second)+len(all), total)
	}
	for _, filter := range []string{"stars=4", "rating=4", "type=guesthouse", "price=60&priceIn=USD", "wifi=on&generator=on"} {
		t.Run(filter, func(t *testing.T) {
			found := r.do(http.MethodGet, search+"&"+filter, nil).sees("<details open>").total()
			if found == 0 || found >= total {
				t.Errorf("got %d hotels, want more than 0 and less than %d", found, total)
			}
		})
	}
	if stars := regexp.MustCompile(`aria-label="Stars: (\d)"`).FindAllStringSubmatch(r.do(http.MethodGet, search+"&stars=4", nil).page, -1); len(stars) == 0 {
		t.Error("no hotel with stars")
	} else {
		for _, n := range stars {
			if n[1] < "4" {
				t.Errorf("stars = %s, want at least 4", n[1])
			}
		}
	}
	cheapest := r.do(http.MethodGet, search+"&sort=price-asc", nil).prices()
	if !slices.IsSorted(cheapest) {
		t.Errorf("prices = %v, want them ascending", cheapest)
	}
	if len(cheapest) == 0 {
		t.Fatal("no prices")
	}
	dearest := r.do(http.MethodGet, search+"&sort=price-desc", nil).prices()
	if slices.Reverse(dearest); !slices.IsSorted(dearest) || slices.Max(dearest) <= cheapest[0] {
		t.Errorf("prices = %v, want them descending", dearest)
	}
	r.do(http.MethodGet, search+"&stars=5&type=guesthouse&price=1&priceIn=USD", nil).sees("No hotel fits these wishes")
	r.do(http.MethodGet, search+"&checkIn=2001-01-01&checkOut=2001-01-02", nil).sees("neither lies in the past", `value="2001-01-01"`)
	r.do(http.MethodGet, search+"&page=-3", nil).sees("Kabul")
	s.Settle()
}

var (
	found = regexp.MustCompile(`Hotels: (\d+)</h2>`)
	price = regexp.MustCompile(`<strong>USD\D{0,8}([\d,.]+)</strong>`)
)

// total returns the number of hotels found, as the page shows it, or 0.
func (r *reader) total() int {
	r.t.Helper()
	n := found.FindStringSubmatch(html.UnescapeString(r.page))
	if n == nil {
		return 0
	}
	return check.Got(strconv.Atoi(n[1])).Must(r.t)
}

// prices returns the prices of the page's cards.
func (r *reader) prices() (all []float64) {
	r.t.Helper()
	for _, p := range price.FindAllStringSubmatch(html.UnescapeString(r.page), -1) {
		n := check.Got(strconv.ParseFloat(strings.ReplaceAll(p[1], ",", ""), 64)).Must(r.t)
		all = append(all, n)
	}
	return all
}

// TestMarket_visit saves a hotel, removes it, changes the consents and clears the visit.
func TestMarket_visit(t *testing.T) {
	t.Parallel()
	s := openCity(t)
	r := openReader(t, s)
	const saved, name = "/hotels?view=saved", "Kabul Grand Hotel"
	hotel := "/hotels/" + demo.KabulGrand.Property.String()
	r.do(http.MethodGet, saved, nil).sees("You have saved no hotel yet").lacks(name)
	r.do(http.MethodGet, hotel, nil).sees("Save this hotel", "Similar hotels").send("/saved").sees("The hotel is saved.", "Remove from the saved hotels")
	if similar := r.hotels(); len(similar) == 0 || slices.Contains(similar, demo.KabulGrand.Property.String()) {
		t.Errorf("similar hotels = %v, want others", similar)
	}
	r.do(http.MethodGet, saved, nil).sees(name, "for 1 night, taxes included").lacks("You have saved no hotel yet")
	// The price of a saved hotel is of tomorrow night, and so is the page to which its card leads, whatever the guest searches for.
	tomorrow := stay.DateOf(s.Env().Now()).AddDays(1)
	nights := url.Values{"checkIn": {tomorrow.String()}, "checkOut": {tomorrow.AddDays(1).String()}}.Encode()
	for _, page := range []string{saved, "/hotels", saved + "&checkIn=2027-05-01&checkOut=2027-05-03"} {
		r.do(http.MethodGet, page, nil).sees(hotel + "?adults=2&" + nights)
	}
	r.do(http.MethodGet, "/hotels", nil).sees("Saved hotels", "Lately viewed", name)
	other := openReader(t, s).do(http.MethodGet, saved, nil)
	other.sees("You have saved no hotel yet")

	r.do(http.MethodGet, saved, nil)
	again := *r
	r.send("/saved").sees("The hotel is no longer saved.", "You have saved no hotel yet")
	again.send("/saved").sees("The hotel is no longer saved.") // the form is sent twice
	const checked = `name="telemetry" value="on" checked`
	r.sendWith("consents", "telemetry", "on").sees("Your choice is noted.", checked)
	r.sendWith("consents").sees("Your choice is noted.").lacks(checked)

	r.do(http.MethodGet, hotel, nil).send("/saved").sees("The hotel is saved.")
	before := r.cookie()
	r.do(http.MethodGet, saved, nil).sendWith("clear").sees("What we knew of your visit is deleted.").lacks(name, "Lately viewed")
	if after := r.cookie(); before == "" || after == before {
		t.Errorf("cookie = %q after the visit was cleared, %q before; want a new one", after, before)
	}
	s.Settle()
}

// cookie returns the value of the session cookie, or "".
func (r *reader) cookie() string {
	r.t.Helper()
	for _, c := range r.client.Jar.Cookies(r.at) {
		if c.Name == "gms_id" {
			return c.Value
		}
	}
	return ""
}

// TestMarket_challenge challenges a guest who reads a page and one who submits a form. Submitting the challenge repeats the request.
func TestMarket_challenge(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	s.SetBotRules(`{"cadence":[{"count":8,"weight":0.6}]}`)
	const saved = "/hotels?view=saved"
	// hurry reads pages without pause until the guest is challenged. On a busy machine a few pages may be too slow.
	hurry := func(r *reader, address string) *reader {
		for range 100 {
			if r.do(http.MethodGet, address, nil); r.status == http.StatusTooManyRequests {
				return r
			}
		}
		t.Fatal("a guest in a hurry is not challenged")
		return r
	}
	page := hurry(openReader(t, s).do(http.MethodGet, "/hotels", nil), saved)
	page.solve().sees("You have saved no hotel yet")
	if page.at.Query().Has("response") {
		t.Errorf("at = %s, want an address without the response", page.at)
	}

	form := openReader(t, s).do(http.MethodGet, "/hotels/"+demo.KabulGrand.Property.String(), nil)
	ready := form.page
	hurry(form, saved)
	form.page = ready
	form.send("/saved").solve().sees("The hotel is saved.")
	form.do(http.MethodGet, saved, nil).sees("Kabul Grand Hotel")
	s.Settle()
}
