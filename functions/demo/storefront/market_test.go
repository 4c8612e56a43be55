package storefront_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/storefront/chooselanguage"
	"melmastoon.ghasi.io/functions/demo/storefront/findhotels"
	"melmastoon.ghasi.io/functions/demo/storefront/showhotel"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// A fakeConsumer is a fake of the consumer service with one hotel. It rejects stays that end before they begin, and all dates before 2026.
type fakeConsumer struct {
	mu     sync.Mutex
	locale locale.Tag
	away   bool     // destinations are not available
	asked  []string // method, path, and the arrival
	busy   bool     // everything is limited
	sent   http.Header
	site   body   // of the hotel
	saves  bool   // the hotel is on the wishlist
	wishes []body // the wishlist otherwise
}

func (d *fakeConsumer) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/bff/consumer/v1")
	in, out := r.FormValue("checkIn"), r.FormValue("checkOut")
	if path == "/search" {
		in, out = textBetween(string(text), `"checkIn":"`, `"`), textBetween(string(text), `"checkOut":"`, `"`)
	}
	d.sent = r.Header
	d.asked = append(d.asked, r.Method+" "+path+" "+in)
	w := httptest.NewRecorder()
	session := body{"locale": d.locale, "localePreference": d.locale, "currency": "AFN", "currencyPreference": "AFN", "wishlist": d.wishes}
	card := body{"propertyId": property, "name": body{"display": "Kabul Grand Hotel"}, "city": "Kabul", "propertyType": "hostel", "geo": body{"lat": 34.55, "lng": 69.15},
		"rateSnapshot": body{"cheapestNightlyMinor": 390000, "totalForStayMinor": 868000, "currency": "AFN", "exponent": 2}}
	if d.saves {
		session["wishlist"] = []body{{"propertyId": property, "card": card}}
	}
	switch {
	case d.busy:
		refuse(w, "429 GENERAL.RATE_LIMITED")
	case in != "" && (in < "2026" || out <= in):
		refuse(w, "400 GENERAL.VALIDATION_FAILED")
	case path == "/search":
		session["results"], session["page"] = []body{card}, body{"total": 1}
		_ = json.MarshalWrite(w, session)
	case path == "/destinations" && d.away:
		refuse(w, "503 GENERAL.UNAVAILABLE")
	case path == "/destinations" && r.FormValue("q") == "Afghanistan":
		_ = json.MarshalWrite(w, body{"destinations": []body{{"city": "Kabul", "hotels": 9, "name": body{"default": "Kabul", "display": "Kabul"}},
			{"city": "Herat", "name": body{"default": "Herat", "display": "Herat"}}}})
	case path == "/destinations":
		_ = json.MarshalWrite(w, body{"destinations": []body{{"city": "Kabul River", "name": body{"default": "Kabul River", "display": "Kabul River"}},
			{"city": "Kabul", "geo": body{"lat": 34.5281, "lng": 69.1723}, "name": body{"default": "Kabul", "localized": body{"ps-AF": "کابل"}, "display": "کابل"}}}})
	case path == "/session":
		_ = json.MarshalWrite(w, session)
	case strings.HasSuffix(path, "/availability"):
		_ = json.MarshalWrite(w, body{})
	default:
		session["property"] = body{"propertyId": property, "name": body{"display": "Kabul Grand Hotel"}, "city": "Kabul"}
		if d.site != nil {
			session["bookingSite"] = d.site
		}
		_ = json.MarshalWrite(w, session)
	}
	return w.Result(), nil
}

// visitMarket opens a page of the site of all hotels in a language, and returns it.
func visitMarket(t *testing.T, l locale.Tag, path string) (page string, d *fakeConsumer) {
	t.Helper()
	d = &fakeConsumer{locale: l}
	return visitFakeMarket(t, d, path), d
}

// visitFakeMarket opens a page of the site of all hotels with a fake of the consumer service, and returns it.
func visitFakeMarket(t *testing.T, d *fakeConsumer, path string) string {
	t.Helper()
	e := upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), d)
	a := fntest.Open(t, e, findhotels.Function, showhotel.Function).As("").Get(path, "Accept-Language", string(d.locale))
	a.Want(t, http.StatusOK)
	return string(a.Body)
}

// expectTexts reports the texts that a page does not contain.
func expectTexts(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q: %s", want, page)
		}
	}
}

// TestHotel_bookingSite: before the handoff the page says what the hotel's site does not have.
func TestHotel_bookingSite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		site body
		sees string
	}{
		{"has both", body{"locales": []string{"fa-IR", "en"}, "currencies": []string{"USD", "AFN"}}, "زبان و واحد پول شما همراه می‌رود."},
		{"another language", body{"locales": []string{"ps-AF", "fa-AF", "en"}, "currencies": []string{"AFN"}}, "زبان‌های سایت هتل: پښتو، دری، English. واحدهای پول آن: افغانی."},
		{"another currency", body{"locales": []string{"fa-IR"}, "currencies": []string{"USD"}}, "زبان‌های سایت هتل: فارسی. واحدهای پول آن: دلار."},
		{"unknown", nil, "اگر سایت هتل آن‌ها را داشته باشد."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expectTexts(t, visitFakeMarket(t, &fakeConsumer{locale: locale.Persian, site: test.site}, "/hotels/"+property.String()), test.sees)
		})
	}
}

func TestMarket_rateLimited(t *testing.T) {
	t.Parallel()
	e := upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), &fakeConsumer{busy: true})
	fntest.Open(t, e, findhotels.Function).As("").Get("/hotels").Want(t, http.StatusTooManyRequests, "Retry-After", "7")
}

// TestMarket_kept: a page in place of the saved hotels still leads to them.
func TestMarket_kept(t *testing.T) {
	t.Parallel()
	d := &fakeConsumer{locale: locale.English, saves: true}
	front := fntest.Open(t, upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), d), findhotels.Function).As("")
	kept := setCookie(front.Get("/hotels?view=saved"), "saved")
	d.busy = true
	for cookie, shown := range map[string]bool{"saved=" + kept.Value: true, "saved=%zz&ppt_1=Nowhere": false} {
		page := string(front.Get("/hotels?view=saved", "Cookie", cookie).Body)
		if got := strings.Contains(page, "/hotels/"+property.String()+"?") && strings.Contains(page, ">Kabul Grand Hotel</a>"); got != shown || strings.Contains(page, "Nowhere") {
			t.Errorf("with the cookie %q the page leads to the saved hotel: %t, want %t: %s", cookie, got, shown, page)
		}
	}
}

// A response to a challenge that is no header is dropped, as if there were none.
func TestMarket_controlCharacter(t *testing.T) {
	t.Parallel()
	for _, escaped := range []string{"%7F", "%0A"} {
		for _, path := range []string{"/hotels", "/hotels/" + property.String()} {
			t.Run(path+escaped, func(t *testing.T) {
				t.Parallel()
				d := &fakeConsumer{locale: locale.English}
				e := upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), d)
				a := fntest.Open(t, e, findhotels.Function, showhotel.Function).As("").Get(path + "?response=" + escaped)
				if a.Status >= 400 || d.sent["X-Challenge-Response"] != nil {
					t.Errorf("got %d, sent %q", a.Status, d.sent["X-Challenge-Response"])
				}
			})
		}
	}
}

func TestMarket_solarCalendar(t *testing.T) {
	t.Parallel()
	hotel := "/hotels/" + property.String()
	for _, test := range []struct {
		name, path string
		language   locale.Tag
		solar      bool
	}{
		{"results_pashto", "/hotels?place=Kabul&city=Kabul&", locale.Pashto, true},
		{"results_dari", "/hotels?place=Kabul&city=Kabul&", locale.Dari, true},
		{"results_persian", "/hotels?place=Kabul&city=Kabul&", locale.Persian, true},
		{"results_urdu", "/hotels?place=Kabul&city=Kabul&", locale.Urdu, false},
		{"hotel_persian", hotel + "?", locale.Persian, true},
		{"hotel_english", hotel + "?", locale.English, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page, d := visitMarket(t, test.language, test.path+"checkInDay=1&checkInMonth=1&checkInYear=1406&checkOutDay=3&checkOutMonth=1&checkOutYear=1406&adults=2")
			if got := strings.Contains(page, `type="date"`); got == test.solar {
				t.Errorf("the page has Gregorian date fields: %t, want %t", got, !test.solar)
			}
			if got := strings.Contains(page, `<option value="1406" selected>۱۴۰۶</option>`); got != test.solar {
				t.Errorf("the page shows the chosen year: %t, want %t", got, test.solar)
			}
			if asked := strings.Join(d.asked, "\n"); !strings.Contains(asked, " 2027-03-21") {
				t.Errorf("asked %s, want the arrival on 21 March 2027", asked)
			}
		})
	}
}

// TestMarket_noSuchDay chooses a day that the solar calendar does not have. The form keeps it.
func TestMarket_noSuchDay(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"results": "/hotels?place=Kabul&city=Kabul&", "hotel": "/hotels/" + property.String() + "?"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, d := visitMarket(t, locale.Persian, path+"checkInDay=31&checkInMonth=11&checkInYear=1406&checkOutDay=2&checkOutMonth=12&checkOutYear=1406")
			expectTexts(t, page, "آن ماه چنین روزی ندارد.", `<option value="31" selected>`, `<option value="11" selected>`)
			if asked := strings.Join(d.asked, "\n"); strings.Contains(asked, "1406") {
				t.Errorf("asked %s for a day that does not exist", asked)
			}
		})
	}
}

// TestMarket_rejected enters dates that are not possible on the page of a hotel. The form keeps them, and the hotel is shown.
func TestMarket_rejected(t *testing.T) {
	t.Parallel()
	page, _ := visitMarket(t, locale.English, "/hotels/"+property.String()+"?checkIn=2027-03-23&checkOut=2027-03-21&adults=2")
	expectTexts(t, page, "Please check the dates and the guests", `value="2027-03-23"`, `value="2027-03-21"`, "Kabul Grand Hotel", "/handoff")
	if handoff := textBetween(page, `/handoff"`, "</form>"); strings.Contains(handoff, "2027-03-23") {
		t.Errorf("the guest would go on with dates that are not possible: %s", handoff)
	}
}

// TestMarket_start shows cities and the guest's last search without its filters. It makes no search that the guest did not make.
func TestMarket_start(t *testing.T) {
	t.Parallel()
	d := &fakeConsumer{locale: locale.English}
	e := upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), d)
	front := fntest.Open(t, e, findhotels.Function).As("")
	expectTexts(t, string(front.Get("/hotels").Body), "Where would you like to go?", "<strong dir=\"auto\">Kabul</strong>")
	if asked := strings.Join(d.asked, "\n"); strings.Contains(asked, "/search") {
		t.Errorf("the first page asks %s, want no search", asked)
	}
	trip := setCookie(front.Get("/hotels?place=Kabul&city=Kabul&checkIn=2027-03-21&checkOut=2027-03-23&wifi=on&sort=price-asc"), "trip")
	if want := "adults=2&checkIn=2027-03-21&checkOut=2027-03-23&children=0&city=Kabul&place=Kabul&rooms=1"; trip.Value != want {
		t.Fatalf("the last search is kept as %v, want %q", trip, want)
	}
	expectTexts(t, string(front.Get("/hotels", "Cookie", "trip="+trip.Value).Body), "Your last search", "21 March 2027 to 23 March 2027")
}

func TestMarket_card(t *testing.T) {
	t.Parallel()
	page, _ := visitMarket(t, locale.English, "/hotels?place=Kabul&city=Kabul")
	expectTexts(t, page, "<strong>AFN 8,680</strong> <span>for 2 nights, taxes included</span>", `<p class="small">Hostel · 3.2 km from the centre</p>`,
		`<details class="fold">`, `<li class="card">`+"\n"+`<img src="data:image/svg`, `<span class="hurry">Cancellation depends on the rate</span>`)
	page, _ = visitMarket(t, locale.English, "/hotels?place=Kabul&city=Kabul&free=on")
	expectTexts(t, page, `<span class="good">Free cancellation possible</span>`)
}

// TestMarket_preferences: pages that do not read the session have its language and currency from a cookie.
func TestMarket_preferences(t *testing.T) {
	t.Parallel()
	d := &fakeConsumer{locale: locale.Pashto}
	front := fntest.Open(t, upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), d), findhotels.Function, chooselanguage.Function).As("")
	const places, busy = "/hotels?place=kab", "/hotels"
	if kept := front.Get("/hotels", "Accept-Language", "ps").Header.Get("Set-Cookie"); !strings.HasPrefix(kept, "preferences=ps-AF.AFN; Path=/hotels; HttpOnly; ") {
		t.Errorf("Set-Cookie = %q, want the language and the currency of the session", kept)
	}
	for _, path := range []string{places, busy} {
		d.busy = path == busy
		for cookie, selected := range map[string]string{"ps-AF.USD": `<option value="USD" selected>`, "ps-AF.XXX": `<option value="" selected>`, "": `<option value="" selected>`} {
			a := front.Get(path, "Accept-Language", "en", "Cookie", "preferences="+cookie)
			expectTexts(t, string(a.Body), selected)
			if shown := strings.Contains(string(a.Body), `<html lang="ps-AF"`); shown != (cookie == "ps-AF.USD") {
				t.Errorf("%s with %q is in Pashto: %t", path, cookie, shown)
			}
		}
	}
	d.busy = false
	for form, want := range map[string]string{
		"locale=fa-IR&currency=IRR&once=req_1&back=" + url.QueryEscape(places): "preferences=fa-IR.IRR; Path=/hotels; HttpOnly; ",
		"clear=on&once=req_1&back=/hotels":                                     "preferences=; Path=/hotels; Max-Age=0; ",
	} {
		a := front.Post("/hotels/preferences", form, "Content-Type", urlencoded, "Cookie", "preferences=ps-AF.USD")
		if set := a.Header.Values("Set-Cookie"); len(set) == 0 || !strings.HasPrefix(set[len(set)-1], want) {
			t.Errorf("%s sets %q, want %q last", form, set, want)
		}
	}
}

// TestMarket_region shows the cities of a country as such, and asks which city is meant by the beginning of several names.
func TestMarket_region(t *testing.T) {
	t.Parallel()
	page, _ := visitMarket(t, locale.English, "/hotels?place=Afghanistan")
	expectTexts(t, page, "<h1>Hotels in Afghanistan</h1>", "Choose a city", "city=Herat")
	page, _ = visitMarket(t, locale.English, "/hotels?place=kab")
	expectTexts(t, page, "<h1>Where is “kab”?</h1>", "Did you mean one of these?")
}

// TestMarket_cityName shows a city in the language of the page, whatever the guest typed, and its own name if no other is known.
func TestMarket_cityName(t *testing.T) {
	t.Parallel()
	results, hotel := "/hotels?place=kab&city=Kabul", "/hotels/"+property.String()
	for _, test := range []struct {
		name, path string
		language   locale.Tag
		away       bool
		want       string
	}{
		{"results_pashto", results, locale.Pashto, false, "<h1>په کابل کې هوټلونه</h1>"},
		{"results_english", results, locale.English, false, "<h1>Hotels in Kabul</h1>"},
		{"results_away", results, locale.Pashto, true, "<h1>په Kabul کې هوټلونه</h1>"},
		{"results_unknown_city", "/hotels?place=Herat&city=Herat", locale.Pashto, false, "<h1>په Herat کې هوټلونه</h1>"},
		{"hotel_pashto", hotel, locale.Pashto, false, `<span dir="auto">کابل</span>`},
		{"hotel_english", hotel, locale.English, false, `<span dir="auto">Kabul</span>`},
		{"hotel_away", hotel, locale.Pashto, true, `<span dir="auto" lang="en">Kabul</span>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := &fakeConsumer{locale: test.language, away: test.away}
			expectTexts(t, visitFakeMarket(t, d, test.path), test.want)
		})
	}
}
