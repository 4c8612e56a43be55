package storefront_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/functions/demo/storefront/choose"
	"melmastoon.ghasi.io/functions/demo/storefront/savehotel"
	"melmastoon.ghasi.io/functions/demo/storefront/showhotel"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestErrorPage(t *testing.T) {
	t.Parallel()
	g := browse(t, env.Of(nil), newFakeBooking(env.Of(nil)))
	for _, test := range []struct {
		name, path, language string
		status               int
		sees                 []string
	}{
		{"malformed id", home + "/bookings/x", "en", http.StatusNotFound, []string{"This page does not exist", `href="` + home + `"`, `lang="en" dir="ltr"`}},
		{"parameter twice", home + "?adults=1&adults=2", "fa-IR", http.StatusBadRequest, []string{"این کار انجام نشد"}},
		{"invalid slug", "/site/A%20B/bookings/x", "ar-AE", http.StatusNotFound, []string{"لا يوجد فندق في هذا العنوان"}},
		{"malformed return", home + "/return/x", "ps-AF", http.StatusNotFound, []string{"دا پاڼه نشته", `lang="ps-AF" dir="rtl"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := g.front.Get(test.path, "Accept", "text/html,application/xhtml+xml", "Accept-Language", test.language)
			a.Want(t, test.status, "Content-Type", "text/html; charset=utf-8")
			for _, text := range test.sees {
				if !strings.Contains(string(a.Body), text) {
					t.Errorf("the page does not show %q: %s", text, a.Body)
				}
			}
			if a := g.front.Get(test.path, "Accept", "application/json"); a.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("a client that is no browser gets %s", a.Header.Get("Content-Type"))
			}
		})
	}
}

// A deployed function gets the requests without a route, too.
func TestErrorPage_withoutRoute(t *testing.T) {
	t.Parallel()
	h, err := choose.Function.Handler(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path, sees string
		status           int
	}{
		{"wrong method", home + "/choices", `href="` + home + `"`, http.StatusMethodNotAllowed},
		{"below a site", home + "/nowhere", `href="` + home + `"`, http.StatusNotFound},
		{"outside of the sites", "/rooms/12", "Please check the address.", http.StatusNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, test.path, http.NoBody)
			r.Header.Set("Accept", "text/html")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("status = %d, want %d", w.Code, test.status)
			}
			fntest.Answer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}.WantText(t, "This page does not exist", test.sees)
			if strings.Contains(w.Body.String(), `href="/hotels"`) { // the hotel's own host has no such page
				t.Errorf("the page leads to all hotels on its own host: %s", w.Body)
			}
		})
	}
}

// The site of all hotels has pages for errors before a visitor is known, too.
func TestErrorPage_allHotels(t *testing.T) {
	t.Parallel()
	front := fntest.Open(t, env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), showhotel.Function, savehotel.Function)
	for _, test := range []struct {
		name, path, sees string
		status           int
	}{
		{"malformed id", "/hotels/x", "There is no such hotel", http.StatusNotFound},
		{"parameter twice", "/hotels/ppt_01J8KABG000000000000000PPT?rooms=1&rooms=2", "We did not understand this", http.StatusBadRequest},
		{"wrong method", "/hotels/ppt_01J8KABG000000000000000PPT/saved", "There is no such hotel", http.StatusMethodNotAllowed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Get(test.path, "Accept", "text/html,application/xhtml+xml")
			a.Want(t, test.status, "Content-Type", "text/html; charset=utf-8")
			if !strings.Contains(string(a.Body), test.sees) || !strings.Contains(string(a.Body), `href="/hotels"`) {
				t.Errorf("the page does not show %q and the way back: %s", test.sees, a.Body)
			}
			if a := front.Get(test.path, "Accept", "application/json"); a.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("a client that is no browser gets %s", a.Header.Get("Content-Type"))
			}
		})
	}
}

func TestInternational(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ typed, country, want string }{
		{"0700 123 456", "AF", "+93700123456"},
		{"۰۷۰۰۱۲۳۴۵۶", "AF", "+93700123456"},
		{" (0) 700-123456", "AF", "+93700123456"},
		{"09121234567", "IR", "+989121234567"},
		{"+92 300 1234567", "AF", "+92 300 1234567"},
		{"0049 170 1234567", "AF", "0049 170 1234567"},
		{"700123456", "AF", "700123456"},
		{"0700123456", "", "0700123456"},
		{"0700123456", "XX", "0700123456"},
		{"0", "AF", "0"},
		{"0call me", "AF", "0call me"},
		{"", "AF", ""},
	} {
		t.Run(fmt.Sprint(test.typed, " ", test.country), func(t *testing.T) {
			if got := page.International(test.typed, test.country); got != test.want {
				t.Errorf("International(%q, %q) = %q, want %q", test.typed, test.country, got, test.want)
			}
		})
	}
}

func TestSetGuest_nationalNumber(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	browse(t, e, d).open(searched).send("/choices").send("/guest", "firstName", "Zarghuna", "email", "z@example.com", "phone", "0700 123 456")
	if got := d.bodies[slices.Index(d.asked, "PATCH draft")]; !strings.Contains(got, `"phone":"+93700123456"`) {
		t.Errorf("sent %s, want the number with the code of the hotel's country", got)
	}
}
