package storefront_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

const (
	home     = "/site/kabul-grand-hotel"
	searched = home + "?checkIn=2027-03-21&checkOut=2027-03-23&adults=2&children=1&rooms=1"
)

func (g *browser) detailed() *browser {
	g.t.Helper()
	return g.open(searched).send("/choices").send("/guest", "firstName", "Zarghuna", "lastName", "", "email", "z@example.com", "phone", "+93 70 123 4567")
}

func TestBook_byCard(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d)
	g.open(home).sees(`<html lang="en" dir="ltr">`, "Find a room", `type="date"`, "Good to know")
	g.open(searched).sees("Rooms from 21 March 2027 to 23 March 2027", "Family suite", "AFN 24,200", "AFN 11,000 a night", "for 2 nights, taxes included", "Saver rate",
		"Rooms left: 2", "being updated", "The price cannot be shown", "data:image/svg+xml;base64,PHN2Zy8+")
	g.send("/choices").sees("Who is coming?", "Nights: 2", `/hotels">All hotels</a>`, "Saver rate · Room only", "Family suite, saver", "AFN 24,200.50", "The rooms are kept for you until", "Free cancellation until the end of 19 March 2027 (local time at the hotel), then 100%")
	g.send("/guest", "firstName", "Zarghuna", "lastName", "", "email", "z@example.com", "phone", "+93 70 123 4567")
	g.sees("How would you like to pay?", "For Zarghuna", `value="mfs"`, `value="cash_on_arrival"`, `aria-current="step">Payment`)
	if g.send("/payment", "method", "card"); g.external != "https://melmastoon.example/checkout" {
		t.Errorf("sent to %q, want the bank", g.external)
	}
	g.open(home+"/return/"+d.draft.String()).sees("Your room is booked", "GM-7K2QX9", "Family suite", "Flexible rate · With breakfast", "AFN 24,200.50", "Paid (Card)", "?t=k.token")
	const front, properties = "GET bootstrap", "GET properties"
	want := []string{front, properties, front, properties, "GET availability", front, "POST quote", "POST hold", front, properties, "GET draft",
		"PATCH draft", front, properties, "GET draft", "POST payment-intent", "POST return", front, properties, "GET reservation"}
	if !slices.Equal(d.asked, want) {
		t.Errorf("asked %q, want %q", d.asked, want)
	}
	keys := map[string]bool{}
	for i, r := range d.received {
		if i > 0 && r.Header.Get("Cookie") != "tnt_id=signed" {
			t.Errorf("%s: cookie %q", d.asked[i], r.Header.Get("Cookie"))
		}
		if key := r.Header.Get("Idempotency-Key"); r.Method != http.MethodGet && (key == "" || keys[key]) {
			t.Errorf("%s: key %q", d.asked[i], key)
		} else {
			keys[key] = true
		}
	}
	if match := d.received[slices.Index(d.asked, "PATCH draft")].Header.Get("If-Match"); match != `"3"` {
		t.Errorf("the guest is named on version %s, want 3", match)
	}
}

// A repeated request with the same key must have the same body. Otherwise the second click is rejected.
func TestForm_sentTwice(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d).open(searched)
	page := g.page
	for range 8 {
		g.page = page
		g.send("/choices")
	}
	asked := map[string]bool{}
	for i, act := range d.asked {
		if act == "POST quote" {
			asked[d.received[i].Header.Get("Idempotency-Key")+d.bodies[i]] = true
		}
	}
	if len(asked) != 1 {
		t.Errorf("got requests %v for one form", asked)
	}
}

// The second click waits until the first is done.
func TestForm_secondClickWaits(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.refuses["POST hold"], d.once = "409 GENERAL.IDEMPOTENCY_IN_PROGRESS", true
	browse(t, e, d).open(searched).send("/choices").sees("Who is coming?")
	if n := len(d.asked) - len(slices.DeleteFunc(slices.Clone(d.asked), func(act string) bool { return act == "POST hold" })); n != 2 {
		t.Errorf("asked %d times for the rooms, want 2", n)
	}
}

func TestBook_inCash(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		locale string
		sees   []string
	}{
		{"ps-AF", []string{`<html lang="ps-AF" dir="rtl">`, "۲۴٬۲۰۰٫۵۰ افغانۍ", "له ۱ وری ۱۴۰۶ تر ۳ وری ۱۴۰۶", "کورنۍ سویټ", `<span dir="auto">نوی ښار، کابل</span>`, "انعطاف منونکی نرخ · له سهارنۍ سره", "ستاسو کوټه بک شوه", "کابل ګرانډ هوټل"}},
		{"fa-AF", []string{`<html lang="fa-AF" dir="rtl">`, "۲۴٬۲۰۰٫۵۰ افغانی", "۱ حمل ۱۴۰۶ تا ۳ حمل ۱۴۰۶", "سویت خانوادگی", "اتاق شما رزرو شد", "هتل گرند کابل"}},
	} {
		t.Run(test.locale, func(t *testing.T) {
			d := newFakeBooking(e)
			d.locale, d.state = locale.Tag(test.locale), "collecting_details"
			g := browse(t, e, d)
			g.detailed().send("/payment", "method", "cash_on_arrival").sees(test.sees...)
			if strings.Contains(g.page, "%!") || strings.Contains(g.page, "{0}") {
				t.Errorf("a text has an unfilled argument: %s", g.page)
			}
			if !slices.Contains(d.asked, "POST confirm") || !strings.Contains(strings.Join(d.bodies, ""), `"locale":"`+test.locale+`"`) {
				t.Errorf("asked %q", d.asked)
			}
		})
	}
}

func TestProblems_shown(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		name, act, refusal string
		do                 func(*browser)
		sees               []string
	}{
		{"the room is gone", "POST hold", "409 RESERVATION.OVERBOOKING_BLOCKED", func(g *browser) { g.open(searched).send("/choices") },
			[]string{"Someone was faster", "Rooms from 21 March 2027"}},
		{"days that cannot be", "GET availability", "400 GENERAL.VALIDATION_FAILED", func(g *browser) { g.open(home + "?checkIn=x&checkOut=&adults=two") },
			[]string{"the departure comes after the arrival", `value="two"`}},
		{"an e-mail that is none", "PATCH draft", "400 GENERAL.VALIDATION_FAILED email",
			func(g *browser) {
				g.open(searched).send("/choices").send("/guest", "firstName", `Z"><b>`, "email", "nowhere")
			},
			[]string{"Please look at the marked fields", `value="nowhere"`, `aria-invalid="true" aria-describedby="wrong-email"`, "Please write an e-mail address"}},
		{"another window", "PATCH draft", "409 GENERAL.VERSION_CONFLICT", func(g *browser) { g.open(searched).send("/choices").send("/guest") },
			[]string{"changed in another window", "Who is coming?"}},
		{"the bank refuses", "POST return", "402 PAYMENT.DECLINED", func(g *browser) {
			g.detailed().send("/payment", "method", "card").open(home + "/return/" + g.booking.draft.String())
		}, []string{"The payment was declined", "How would you like to pay?"}},
		{"something unheard of", "POST payment-intent", "409 NEVER.HEARD", func(g *browser) { g.detailed().send("/payment", "method", "card") },
			[]string{"That did not work", "How would you like to pay?"}},
		{"somebody else's booking", "GET draft", "404 GENERAL.RESOURCE_NOT_FOUND", func(g *browser) { g.open(home + "/bookings/" + id.New[id.Draft]().String()) },
			[]string{"no such booking on this device", "Find a room"}},
		{"too many rooms", "POST quote", "400 GENERAL.VALIDATION_FAILED rooms", func(g *browser) { g.open(searched).send("/choices") }, []string{"more rooms and nights than can be booked here at once"}},
		{"no visit", "POST quote", "401 GENERAL.UNAUTHENTICATED", func(g *browser) { g.open(searched).send("/choices") }, []string{"Your visit has ended"}},
		{"an invitation that is used up", "GET bootstrap", "409 BFF.CONSUMER.HANDOFF_REPLAYED", func(g *browser) {
			a := g.front.Get(home + "?h=v1.a.b")
			delete(g.booking.refuses, "GET bootstrap")
			g.follow(a, home)
		}, []string{"The link was used before", "Find a room"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newFakeBooking(e)
			d.refuses[test.act] = test.refusal
			g := browse(t, e, d)
			test.do(g)
			g.sees(test.sees...)
			if strings.Contains(g.page, "<b>") {
				t.Error("the guest's input is not escaped")
			}
		})
	}
}

func TestShowBooking_pageOfState(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for state, sees := range map[string]string{
		"holding": "Who is coming?", "collecting_details": "How would you like to pay?", "confirmed": "Your room is booked", "abandoned": "This booking has ended",
		"failed": "This booking has ended", "quoting": "Find a room",
	} {
		t.Run(state, func(t *testing.T) {
			d := newFakeBooking(e)
			d.state = state
			browse(t, e, d).open(home + "/bookings/" + d.draft.String()).sees(sees)
		})
	}
	late := newFakeBooking(e)
	late.state, late.expires = "holding", e.Now().Add(-time.Second)
	browse(t, e, late).open(home+"/bookings/"+late.draft.String()).sees("The rooms were kept until", "Look for rooms again").send("/choices").sees("Who is coming?")
	if body := late.bodies[slices.Index(late.asked, "POST quote")]; !strings.Contains(body, saver.String()) || strings.Contains(body, "draftId") {
		t.Errorf("booking the rooms of a lapsed hold again asks for %s", body)
	}
	slow := newFakeBooking(e)
	slow.state, slow.pending = "paying", true
	browse(t, e, slow).open(home+"/return/"+slow.draft.String()).sees("Your payment is under way", "/return/bdr_", "Pay in another way")
	again := newFakeBooking(e)
	again.state = "failed"
	browse(t, e, again).open(home + "/bookings/" + again.draft.String()).send("/choices").sees("Who is coming?")
	if body := again.bodies[slices.Index(again.asked, "POST quote")]; !strings.Contains(body, saver.String()) || strings.Contains(body, "draftId") {
		t.Errorf("booking the same rooms again asks for %s", body)
	}
	left := newFakeBooking(e)
	browse(t, e, left).detailed().send("/leave").sees("The rooms were given back.", "Find a room")
	back := newFakeBooking(e)
	browse(t, e, back).detailed().open(home+"/bookings/"+back.draft.String()+"?step=details").sees("Who is coming?", `value="Zarghuna"`)
}

func TestUnavailablePage(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for refusal, sees := range map[string]string{"503 TENANT.SUSPENDED": "takes no bookings at the moment", "503 GENERAL.UNAVAILABLE": "cannot be reached"} {
		t.Run(refusal, func(t *testing.T) {
			d := newFakeBooking(e)
			d.refuses["GET bootstrap"] = refusal
			g := browse(t, e, d)
			g.status = http.StatusServiceUnavailable
			g.open(searched).sees(sees)
		})
	}
	unnamed := newFakeBooking(e)
	unnamed.refuses["GET properties"] = "503 GENERAL.UNAVAILABLE"
	g := browse(t, e, unnamed)
	g.status = http.StatusServiceUnavailable
	g.open(searched).sees("cannot be reached")
	d := newFakeBooking(e)
	d.refuses["GET bootstrap"] = "404 TENANT.UNKNOWN"
	g = browse(t, e, d)
	g.status = http.StatusNotFound
	g.open(home).sees("There is no hotel at this address")
	for _, slug := range []string{"kabul-grand-hotel%2f", "a%2fb", "Kabul%20Grand"} { // would call another path of the booking service
		g = browse(t, e, newFakeBooking(e))
		g.status = http.StatusNotFound
		g.open("/site/" + slug + "?h=abc").sees("There is no hotel at this address")
	}
	d = newFakeBooking(e)
	d.refuses["GET bootstrap"] = "400 GENERAL.VALIDATION_FAILED" // for example a campaign with control characters
	g = browse(t, e, d)
	g.status = http.StatusBadRequest
	g.open(searched + "&utm_source=a%01b")
}

// A confirmed booking is shown even if the names of the property and its rooms or the design are unavailable.
func TestShowConfirmation_missingParts(t *testing.T) {
	t.Parallel()
	const suspended, unavailable = "503 TENANT.SUSPENDED", "503 GENERAL.UNAVAILABLE"
	named, unnamed := []string{"Your room is booked", "GM-7K2QX9", "Family suite", "Kabul Grand Hotel"}, []string{"Your room is booked", "GM-7K2QX9", `<dd><span dir="auto">Room</span></dd>`}
	for _, test := range []struct {
		name    string
		refuses map[string]string
		sees    []string
	}{
		{"suspended hotel", map[string]string{"GET bootstrap": suspended}, named},
		{"suspended hotel, property service down", map[string]string{"GET bootstrap": suspended, "GET property": unavailable}, unnamed},
		{"suspended hotel, unknown property", map[string]string{"GET bootstrap": suspended, "GET property": "404 GENERAL.RESOURCE_NOT_FOUND"}, unnamed},
		{"bootstrap down", map[string]string{"GET bootstrap": unavailable}, named},
		{"properties down", map[string]string{"GET properties": unavailable}, named},
		{"properties and property service down", map[string]string{"GET properties": unavailable, "GET property": unavailable}, unnamed},
		{"bootstrap and reservation down", map[string]string{"GET bootstrap": unavailable, "GET reservation": unavailable}, []string{"cannot be reached"}},
		{"suspended hotel, unknown reservation", map[string]string{"GET bootstrap": suspended, "GET reservation": "404 GENERAL.RESOURCE_NOT_FOUND"}, []string{"takes no bookings at the moment"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the client of the property service is shared within an Env
			d := newFakeBooking(e)
			d.refuses = test.refuses
			g := browse(t, e, d)
			if d.refuses["GET reservation"] != "" {
				g.status = http.StatusServiceUnavailable
			}
			page := g.open(home + "/confirmations/" + d.booked.String()).sees(test.sees...).page
			for _, text := range []string{"rmt_", "ppt_", "<dd><br>"} { // ids and empty lines in place of names
				t.Run(text, func(t *testing.T) {
					if strings.Contains(page, text) {
						t.Errorf("the page contains %q: %s", text, page)
					}
				})
			}
		})
	}
}

// A guest who asks too often is told to wait, and not that the hotel is down.
func TestUnavailablePage_retryAfter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		refusal, sees, after string
		status               int
	}{
		{"429 GENERAL.RATE_LIMITED", "Please wait a minute", "7", http.StatusTooManyRequests},
		{"503 GENERAL.UNAVAILABLE", "cannot be reached", "4", http.StatusServiceUnavailable},
		{"404 TENANT.UNKNOWN", "There is no hotel at this address", "", http.StatusNotFound},
	} {
		t.Run(test.refusal, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.refuses["GET bootstrap"] = test.refusal
			a := browse(t, env.Of(nil), d).front.Get(searched, "Accept-Language", "en")
			a.Want(t, test.status, "Content-Type", "text/html; charset=utf-8", "Retry-After", test.after)
			if !strings.Contains(string(a.Body), test.sees) {
				t.Errorf("the page does not contain %q: %s", test.sees, a.Body)
			}
		})
	}
}

// A value of a link that is no header is dropped: the call would fail, and the hotel would be shown as down.
func TestEnterByLink_controlCharacter(t *testing.T) {
	t.Parallel()
	for _, escaped := range []string{"%7F", "%0A", "a%01b", "a%0D%0Ab"} {
		t.Run(escaped, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			browse(t, env.Of(nil), d).open(searched + "&utm_source=" + escaped + "&utm_medium=" + escaped + "&utm_campaign=spring")
			h := d.received[0].Header
			if h["X-Campaign-Source"] != nil || h["X-Campaign-Medium"] != nil {
				t.Errorf("sent the campaign %q from %q, want neither", h["X-Campaign-Medium"], h["X-Campaign-Source"])
			}
			if got := h.Get("X-Campaign-Name"); got != "spring" {
				t.Errorf("sent the campaign's name %q, want spring", got)
			}
		})
	}
}

func TestEnterByLink_handoff(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d)
	g.open(home + "?h=v1.a.b&utm_source=consumer&utm_campaign=spring").sees("Rooms from 21 March 2027")
	if strings.Contains(g.at, "h=") || strings.Contains(g.page, "v1.a.b") {
		t.Errorf("the token stays in %s", g.at)
	}
	first := d.received[0]
	if got := first.URL.Query().Get("h"); got != "v1.a.b" {
		t.Errorf("sent the token %q, want v1.a.b", got)
	}
	if got := first.Header.Get("X-Campaign-Source"); got != "consumer" {
		t.Errorf("sent the campaign's source %q, want consumer", got)
	}
	if got := first.Header.Get("X-Campaign-Name"); got != "spring" {
		t.Errorf("sent the campaign's name %q, want spring", got)
	}
}

// TestEnterByLink_rejected opens a link that was used in another browser, or too late. The form has the guest's choices, and no problem is shown.
func TestEnterByLink_rejected(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"409 BFF.CONSUMER.HANDOFF_REPLAYED handoffPayload", "410 BFF.CONSUMER.HANDOFF_EXPIRED handoffPayload"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			d := newFakeBooking(e)
			d.refuses["GET bootstrap"] = refusal
			g := browse(t, e, d)
			a := g.front.Get(home + "?h=v1.a.b")
			delete(d.refuses, "GET bootstrap")
			g.follow(a, home).sees("Rooms from 21 March 2027", `value="2027-03-21"`, `value="2027-03-23"`).lacks("The link was")
			if !strings.Contains(g.at, "children=1") {
				t.Errorf("led to %s, want the guests", g.at)
			}
			if strings.Contains(g.at, "h=") || strings.Contains(g.at, "problem=") {
				t.Errorf("led to %s, want neither token nor problem", g.at)
			}
		})
	}
}

// TestEnterByLink_speculative opens a link with programs and prefetches. They get a page with the guest's choices, and the calls say that it may
// never be shown, so that the booking service uses nothing up.
func TestEnterByLink_speculative(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method string
		headers      []string
		want         int
		purpose      string
	}{
		{"guest", "GET", nil, http.StatusSeeOther, ""},
		{"guest_navigates", "GET", []string{"Sec-Fetch-Dest", "document"}, http.StatusSeeOther, ""},
		{"head", "HEAD", nil, http.StatusOK, "prefetch"},
		{"prefetch", "GET", []string{"Sec-Purpose", "prefetch"}, http.StatusOK, "prefetch"},
		{"firefox", "GET", []string{"X-Moz", "prefetch"}, http.StatusOK, "prefetch"},
		{"image", "GET", []string{"Sec-Fetch-Dest", "image"}, http.StatusOK, "prefetch"},
		{"script", "GET", []string{"Sec-Fetch-Dest", "empty"}, http.StatusSeeOther, "prefetch"},
		{"messenger", "GET", []string{"User-Agent", "WhatsApp/2.23.20.0 A"}, http.StatusOK, "prefetch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			d := newFakeBooking(e)
			a := browse(t, e, d).front.Send(test.method, home+"?h=v1.a.b", nil, test.headers...)
			if a.Status != test.want {
				t.Errorf("status = %d, want %d", a.Status, test.want)
			}
			if got := d.received[0].Header.Get("Sec-Purpose"); got != test.purpose {
				t.Errorf("asked for the bootstrap with Sec-Purpose %q, want %q", got, test.purpose)
			}
			if slices.Contains(d.asked, "GET availability") {
				t.Error("searched for rooms without a session")
			}
			if test.want == http.StatusOK && test.method == "GET" {
				a.WantText(t, `value="2027-03-21"`, `value="2027-03-23"`)
			}
		})
	}
}

func TestSetPreferences_staysOnPage(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d).open(searched)
	g.send("/preferences", "locale", "ps-AF", "currency", "USD").sees("Rooms from 21 March 2027")
	if body := d.bodies[slices.Index(d.asked, "PATCH session")]; body != `{"locale":"ps-AF","currency":"USD"}` {
		t.Errorf("asked for %s", body)
	}
	for _, back := range []string{"https://evil.example", "//evil.example" + home, home + "evil", "javascript:alert(1)", `\\evil.example`, "/sandbox/payment"} {
		t.Run(fmt.Sprintf("%q", back), func(t *testing.T) {
			got := g.front.Post(home+"/preferences", "locale=ps-AF&currency=USD&once=k&back="+back, "Content-Type", urlencoded)
			if got.Header.Get("Location") != home {
				t.Errorf("back to %s leads to %s", back, got.Header.Get("Location"))
			}
		})
	}
}

// The content security policy must match the style sheet, or browsers ignore the sheet. A theme can change neither.
func TestStyle_contentSecurityPolicy(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	bad := theme()
	bad["primaryColor"] = "red}</style><script>alert(1)</script>"
	for name, tokens := range map[string]body{"a theme": theme(), "an evil one": bad, "none": nil, "something else": body{"primaryColor": "#000000"}} {
		t.Run(name, func(t *testing.T) {
			d := newFakeBooking(e)
			d.tokens, d.brand = tokens, `<script>alert("brand")</script>`
			g := browse(t, e, d).open(searched)
			for _, text := range []string{"<script", " style=", "elsewhere.example"} {
				t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
					if strings.Contains(g.page, text) {
						t.Errorf("the page contains %q: %s", text, g.page)
					}
				})
			}
			if want := styleHash(between(t, g.page, "<style>", "</style>")); !strings.Contains(policyOf(t, g.page), "style-src '"+want+"'; img-src data:;") {
				t.Errorf("policy %s, want style-src %s", policyOf(t, g.page), want)
			}
			if strings.Contains(g.page, theme()["primaryColor"].(string)) != (name == "a theme") {
				t.Errorf("the style is %s", between(t, g.page, "<style>", "\n"))
			}
		})
	}
}

func TestDate_solarCalendar(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	e.Advance(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Sub(e.Now())) // guests cannot search the past
	d := newFakeBooking(e)
	d.locale = "fa-AF"
	g := browse(t, e, d)
	for day, want := range map[string]string{
		"2024-03-19": "۲۹ حوت ۱۴۰۲", "2024-03-20": "۱ حمل ۱۴۰۳", "2025-03-20": "۳۰ حوت ۱۴۰۳", "2025-03-21": "۱ حمل ۱۴۰۴",
		"2026-03-20": "۲۹ حوت ۱۴۰۴", "2026-03-21": "۱ حمل ۱۴۰۵", "2026-09-22": "۳۱ سنبله ۱۴۰۵", "2026-09-23": "۱ میزان ۱۴۰۵",
		"2026-11-20": "۲۹ عقرب ۱۴۰۵", "2029-03-19": "۲۹ حوت ۱۴۰۷", "2029-03-20": "۱ حمل ۱۴۰۸", "2030-03-20": "۳۰ حوت ۱۴۰۸",
	} {
		t.Run(day, func(t *testing.T) {
			g.open(home + "?checkIn=" + day + "&checkOut=2031-01-01").sees("از " + want + " تا")
		})
	}
}

func TestBrand_language(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d)
	for _, test := range []struct {
		name       string
		language   locale.Tag
		properties int
		heading    string
		tagline    bool
	}{
		{name: "English", language: "en", properties: 1, heading: `<strong dir="auto">Kabul Grand Hotel</strong>`, tagline: true},
		// Taglines and names of companies have no translations.
		{name: "Pashto", language: "ps-AF", properties: 1, heading: `<strong dir="auto">` + pashto + "</strong>"},
		{name: "Pashto, two properties", language: "ps-AF", properties: 2, heading: `<strong dir="auto" lang="en">Kabul Hotels</strong>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.locale, d.properties, d.brand = test.language, test.properties, "Kabul Hotels"
			g.open(home).sees(test.heading)
			if shown := strings.Contains(g.page, tagline); shown != test.tagline {
				t.Errorf("tagline %q shown = %t, want %t", tagline, shown, test.tagline)
			}
		})
	}
}

func TestOfferRooms_search(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	g := browse(t, e, newFakeBooking(e))
	g.open(searched).sees(`class="search" method="get" action="`+home+`#found"`, `<h2 id="found">`)
	asked := regexp.MustCompile(`name="asked" value="\d+"`)
	before := asked.FindString(g.page)
	e.Advance(time.Second)
	if again := asked.FindString(g.open(searched).page); again == before || again == "" {
		t.Errorf("a second search has the address of the first: %s", again)
	}
}

func TestBootstrapVersion_sentWithForms(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d)
	d.once = true
	stale := "410 BFF.TENANT.BOOTSTRAP_STALE"
	const changed = "The hotel has changed something since you looked."
	d.refuses["POST quote"] = stale
	g.open(searched).send("/choices").sees(changed, "Family suite")
	g.send("/choices")
	d.refuses["PATCH draft"] = stale
	filled := []string{"firstName", "Zarghuna", "lastName", "", "email", "z@example.com", "phone", "+93 70 123 4567"}
	g.send("/guest", filled...).sees(changed, "Who is coming?")
	g.send("/guest", filled...)
	d.refuses["POST payment-intent"] = stale
	g.send("/payment", "method", "card").sees(changed, "How would you like to pay?")
	g.send("/payment", "method", "card")
	for i, r := range d.received {
		if seen := r.Header.Get("X-Bootstrap-Version"); (seen == "v7.thm_1_v2") != (r.Method != http.MethodGet) {
			t.Errorf("%s: seen %q", d.asked[i], seen)
		}
	}
}
