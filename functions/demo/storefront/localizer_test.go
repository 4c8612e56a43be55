package storefront_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

func TestPreferences_unsupportedLanguage(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.locale, d.offered = locale.Tag("tr-TR"), []locale.Tag{"tr-TR", locale.Pashto, locale.English}
	g := browse(t, e, d).open(searched)
	g.sees(`<html lang="en" dir="ltr">`, `<option value="tr-TR" lang="tr-TR" selected>`)
	if n := strings.Count(g.page, " selected>"); n != 2 { // the language and the currency
		t.Errorf("%d options are selected, want 2", n)
	}
	g.sees(`<p dir="auto" lang="tr-TR">Large.</p>`) // the hotel's text is in another language than the page
}

// Each language of the site: its direction, its texts, its dates, its numbers and its name in the selector.
func TestLanguages(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	all := []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}
	for tag, want := range map[locale.Tag][]string{
		locale.English: {`lang="en" dir="ltr"`, "Find a room", "21 March 2027", "AFN 24,200", ">English<"},
		locale.Pashto:  {`lang="ps-AF" dir="rtl"`, "کوټې", "۱ وری ۱۴۰۶", "۲۴٬۲۰۰ افغانۍ", ">پښتو<"},
		locale.Dari:    {`lang="fa-AF" dir="rtl"`, "جستجوی اتاق", "۱ حمل ۱۴۰۶", "۲۴٬۲۰۰ افغانی", ">دری<", ">دالر<"},
		locale.Persian: {`lang="fa-IR" dir="rtl"`, "جست‌وجوی اتاق", "۱ فروردین ۱۴۰۶", "۲۴٬۲۰۰ افغانی", ">فارسی<", ">دلار<"},
		locale.Urdu:    {`lang="ur-PK" dir="rtl"`, "کمرہ تلاش کریں", "21 مارچ 2027", "24,200 افغانی", ">اردو<"},
		locale.Arabic:  {`lang="ar-AE" dir="rtl"`, "البحث عن غرفة", "21 مارس 2027", "24,200 أفغاني", ">العربية<"},
		"fa":           {`lang="fa" dir="rtl"`, "جستجوی اتاق"},
		"ur-IN":        {`lang="ur-IN" dir="rtl"`, "کمرہ تلاش کریں"},
	} {
		t.Run(string(tag), func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			d.locale, d.offered = tag, all
			g := browse(t, e, d).open(searched).sees(want...)
			for _, offered := range all {
				g.sees(`<option value="` + string(offered) + `" lang="` + string(offered) + `"`)
			}
		})
	}
}

func TestDate_monthsByCountry(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for tag, month := range map[locale.Tag]string{"fa-IR": "۱ فروردین ۱۴۰۶", "fa-AF": "۱ حمل ۱۴۰۶", "ps-AF": "۱ وری ۱۴۰۶", "fa": "۱ حمل ۱۴۰۶",
		"ps-PK": "۲۱ مارچ ۲۰۲۷", "fa-TJ": "۲۱ مارس ۲۰۲۷", "ur-PK": "21 مارچ 2027", "ar-AE": "21 مارس 2027", "en": "21 March 2027"} {
		d := newFakeBooking(e)
		d.locale = tag
		browse(t, e, d).open(searched).sees(month)
	}
}

// TestDate_reader reads pages in a language that the hotel offers for another country. The calendar is the reader's, unless the hotel
// offers the reader's language, too: then the guest has chosen the other one.
func TestDate_reader(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		name, accepts string
		sentIn        locale.Tag
		offered       []locale.Tag
		sees          string
	}{
		{"browser", "fa-IR,fa;q=0.9", "", []locale.Tag{locale.Dari}, "۱ فروردین ۱۴۰۶"},
		{"chosen before the handoff", "en-GB", locale.Persian, []locale.Tag{locale.Dari}, "۱ فروردین ۱۴۰۶"},
		{"chosen at the hotel", "fa-IR", "", []locale.Tag{locale.Dari, locale.Persian}, "۱ حمل ۱۴۰۶"},
		{"another language", "en-GB", "", []locale.Tag{locale.Dari}, "۱ حمل ۱۴۰۶"},
		{"Dari", "fa-AF", "", []locale.Tag{locale.Dari}, "۱ حمل ۱۴۰۶"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			d.locale, d.offered, d.sentIn = locale.Dari, test.offered, test.sentIn
			g := browse(t, e, d)
			g.accepts = test.accepts
			g.open(home+"?h=v1.a.b").sees(`<html lang="fa-AF"`, test.sees)
			g.open(searched).sees(`<html lang="fa-AF"`, test.sees)
		})
	}
}

func TestTerms_deadline(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		name, now string
		nights    int
		sees      string
	}{
		{"before", "2027-03-19T19:28:00Z", 0, "Free cancellation until the end of 19 March 2027 (local time at the hotel), then 100% of the price."},
		{"at_the_deadline", "2027-03-19T19:30:00Z", 0, "Free cancellation is not possible: cancelling costs 100% of the price."},
		{"a_night_before", "2027-03-19T19:28:00Z", 1, "(local time at the hotel), then the price of 1 night(s)."},
		{"a_night_at_the_deadline", "2027-03-19T19:30:00Z", 1, "cancelling costs the price of 1 night(s)."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, test.now)
			if err != nil {
				t.Fatal(err)
			}
			moved := env.Of(nil)
			moved.Advance(now.Sub(e.Now()))
			d := newFakeBooking(moved)
			d.nights = test.nights
			g := browse(t, moved, d).open(searched).sees(test.sees)
			if over := strings.HasSuffix(test.name, "at_the_deadline"); over == strings.Contains(g.page, "<strong>Flexible rate") || over != strings.Contains(g.page, "<strong>Standard rate") {
				t.Errorf("the rate is flexible: %t, want %t", over, !over)
			}
		})
	}
}

func TestEnded_reason(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		name, state string
		expires     time.Duration
		sees        string
	}{
		{"lapsed", "abandoned", -time.Minute, "The rooms were kept until"},
		{"left", "abandoned", time.Minute, "The rooms were given back"},
		{"failed", "failed", time.Minute, "the payment did not succeed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			d.state, d.expires = test.state, e.Now().Add(test.expires)
			g := browse(t, e, d).open(home + "/bookings/" + d.draft.String() + "?problem=PAYMENT.DECLINED")
			g.sees("This booking has ended", test.sees)
			if strings.Contains(g.page, "Please try again or choose another way to pay") {
				t.Error("the page of an ended booking suggests to try again")
			}
		})
	}
}

// TestDetails_keptAfterRejection sends a form that is rejected. The next page shows the guest's input, also after a
// reload, and no URL contains it.
func TestDetails_keptAfterRejection(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, refusal := range []string{"400 GENERAL.VALIDATION_FAILED email", "410 BFF.TENANT.BOOTSTRAP_STALE", "409 GENERAL.VERSION_CONFLICT", "503 BFF.UPSTREAM_UNAVAILABLE"} {
		t.Run(strings.Fields(refusal)[1], func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			g := browse(t, e, d).open(searched).send("/choices")
			d.refuses["PATCH draft"] = refusal
			written := []string{"firstName", "Zarghuna", "lastName", "Ahmadzai", "email", "nowhere", "phone", "+93701234567", "specialRequests", "A quiet room"}
			g.send("/guest", written...)
			for range 2 { // again after a reload
				g.sees(`value="Zarghuna"`, `value="Ahmadzai"`, `value="nowhere"`, `value="+93701234567"`, ">A quiet room<")
				g.open(g.at)
			}
			if strings.Contains(g.at, "Zarghuna") || strings.Contains(g.at, "nowhere") {
				t.Errorf("the address %s holds what the guest wrote", g.at)
			}
			delete(d.refuses, "PATCH draft")
			g.send("/guest", "firstName", "Zarghuna", "email", "z@example.com", "phone", "+93701234567").sees("How would you like to pay?")
			if g.jar["typed"] != "" {
				t.Error("the browser still has the rejected form")
			}
		})
	}
	long := newFakeBooking(e)
	g := browse(t, e, long).open(searched).send("/choices")
	long.refuses["PATCH draft"] = "400 GENERAL.VALIDATION_FAILED email"
	g.send("/guest", "firstName", "Zarghuna", "specialRequests", strings.Repeat("ښ", 1000)+strings.Repeat("字", 1000)).sees(`value="Zarghuna"`)
	if n := len(g.jar["typed"]); n == 0 || n > 3500 {
		t.Errorf("a cookie of %d bytes", n)
	}
	g.send("/guest", "firstName", strings.Repeat("Z", 10_000), "email", "nowhere").sees("Who is coming?", `id="wrong-email"`)
	if n := len(g.jar["typed"]); n == 0 || n > 3500 {
		t.Errorf("a cookie of %d bytes for a name of 10,000", n)
	}
}

func TestCookies_secure(t *testing.T) {
	t.Parallel()
	g := browse(t, env.Of(nil), newFakeBooking(env.Of(nil)))
	for _, test := range []struct {
		name, from string
		want       bool
	}{{"elsewhere", "192.0.2.1:4711", true}, {"plain_loopback", "127.0.0.1:4711", false}} {
		t.Run(test.name, func(t *testing.T) {
			r := g.front.Request(t, http.MethodGet, home, nil)
			r.RemoteAddr, r.Host = test.from, "localhost:8080"
			cookies := (&http.Response{Header: g.front.Serve(r).Header}).Cookies()
			if len(cookies) != 1 || cookies[0].Secure != test.want {
				t.Errorf("cookies %v, want Secure %t", cookies, test.want)
			}
		})
	}
}

// TestLanguage_lastResort sends the languages of browsers. The site asks for English after all of them, unless the browser says itself how
// much it wants English.
func TestLanguage_lastResort(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d)
	for _, test := range []struct{ name, accepts, sent, speaks string }{
		{"arabic", "ar", "ar, en;q=0.001", "en"},
		{"turkish_and_french", "tr-TR,tr;q=0.9,fr;q=0.5", "tr-TR,tr;q=0.9,fr;q=0.5, en;q=0.001", "en"},
		{"pashto", "ps", "ps, en;q=0.001", "ps-AF"},
		{"iran", "fa-IR", "fa-IR, en;q=0.001", "fa-AF"},
		{"british", "en-GB", "en-GB", "en"},
		{"capitals", "fr,EN;q=0.1", "fr,EN;q=0.1", "en"},
		{"no_english", "fr,en;q=0", "fr,en;q=0", "ps-AF"},
		{"any", "*", "*, en;q=0.001", "ps-AF"},
		{"none", "", "", "ps-AF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.received = nil
			g.front.Get(home, "Accept-Language", test.accepts)
			sent := d.received[0].Header.Get("Accept-Language")
			if sent != test.sent {
				t.Errorf("sent Accept-Language %q, want %q", sent, test.sent)
			}
			if got := locale.Negotiate(sent, d.offered); string(got) != test.speaks {
				t.Errorf("the booking service would answer in %s, want %s", got, test.speaks)
			}
		})
	}
	if got := locale.Negotiate("ar, en;q=0.001", []locale.Tag{locale.Pashto, locale.Dari}); got != locale.Pashto {
		t.Errorf("a hotel without English answers in %s, want its first language", got)
	}
}
