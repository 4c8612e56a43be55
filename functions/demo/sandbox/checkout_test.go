package sandbox_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

const form = "application/x-www-form-urlencoded"

type opened struct {
	ID          string `json:"paymentIntentId"`
	RedirectURL string `json:"redirectUrl"`
}

func openOverHTTP(t *testing.T, f *fntest.Front, r id.Reservation, method, back string) (o opened) {
	t.Helper()
	in := body{"tenantId": kabul.Tenant, "reservationId": r, "method": method, "amountMicro": "12500000000", "currency": "AFN"}
	if back != "" {
		in["returnUrl"] = back
	}
	got := f.Post("/sandbox/payment/v1/intents", in)
	got.Must(t, http.StatusCreated)
	got.Into(t, &o)
	return o
}

// page returns the path of an intent's checkout page.
func (o opened) page(t *testing.T) string {
	t.Helper()
	path, ok := strings.CutPrefix(o.RedirectURL, "https://pay.example")
	check.MustEqual(t, ok, true, "redirectUrl %q is not a page of ours", o.RedirectURL)
	return path
}

func TestCheckout_pay(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	r := id.New[id.Reservation]()
	o := openOverHTTP(t, f, r, "card", "")
	guest := f.As("")
	page := guest.Get(o.page(t))
	for _, want := range []string{"Kabul Grand Hotel", "AFN 12,500.00", `name="action" value="pay"`, `name="action" value="decline"`, `<form method="post">`, `lang="en"`} {
		t.Run(want, func(t *testing.T) {
			page.WantText(t, want)
		})
	}
	check.Lacks(t, string(page.Body), r.String())
	check.Lacks(t, string(page.Body), "<script")
	check.Equal(t, page.Header.Get("Content-Type"), "text/html; charset=utf-8", "content type")
	declined := guest.Post(o.page(t), "action=decline", "Content-Type", form)
	declined.Must(t, http.StatusSeeOther)
	check.MustEqual(t, declined.Header.Get("Location"), o.RedirectURL)
	guest.Get(o.page(t)).WantText(t, "Attempts left: 4")
	for range 2 {
		guest.Post(o.page(t), "action=pay", "Content-Type", form).Must(t, http.StatusSeeOther)
	}
	done := string(guest.Get(o.page(t)).Body)
	check.Contains(t, done, "Paid. Thank you")
	check.Lacks(t, done, "<form")
	var read struct {
		Status   string `json:"status"`
		Captured string `json:"capturedMicro"`
		EventID  string `json:"capturedEventId"`
	}
	f.Get("/sandbox/payment/v1/intents/"+o.ID).Into(t, &read)
	check.Equal(t, read.Status, "captured")
	check.Equal(t, read.Captured, "12500000000")
	check.Equal(t, strings.HasPrefix(read.EventID, "evt_"), true, "%s", read.EventID)
}

// The page's content security policy and its style sheet must agree, or browsers ignore the styles.
func TestCheckout_contentSecurityPolicy(t *testing.T) {
	t.Parallel()
	b := open(t)
	text := string(b.front(t).Get("/sandbox/payment/v1/checkout/" + b.opened(t, standin.Card).ID.String()).Body)
	check.Lacks(t, text, " style=")
	check.Equal(t, strings.Count(text, "<style>"), 1)
	check.Contains(t, policyOf(t, text), "style-src '"+styleHash(between(t, text, "<style>", "</style>"))+"'")
	check.Equal(t, strings.HasPrefix(policyOf(t, text), "default-src 'none'; "), true, "policy %s allows more than the style", policyOf(t, text))
}

// Browsers apply form-action to the redirect after the form, so it lists the hotel's site.
func TestCheckout_formAction(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	o := openOverHTTP(t, f, id.New[id.Reservation](), "card", "https://kabul-grand.example/return?draft=1")
	policy := f.Get(o.page(t)).Header.Get("Content-Security-Policy")
	check.Equal(t, strings.HasSuffix(policy, "; form-action 'self' https://kabul-grand.example"), true, "policy %s", policy)
}

func TestCheckout_returnsToSite(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	o := openOverHTTP(t, f, id.New[id.Reservation](), "card", "https://kabul-grand.example/return?draft=1")
	for _, action := range []string{"decline", "pay"} {
		t.Run(action, func(t *testing.T) {
			got := f.As("").Post(o.page(t), "action="+action, "Content-Type", form)
			got.Want(t, http.StatusSeeOther)
			check.Equal(t, got.Header.Get("Location"), "https://kabul-grand.example/return?draft=1", `//kabul-grand.example/return?draft=1"`)
		})
	}
	r := id.New[id.Reservation]()
	card := openOverHTTP(t, f, r, "card", "https://kabul-grand.example/return?draft=1")
	openOverHTTP(t, f, r, "mfs", "https://kabul-grand.example/return?draft=1")
	t.Run("superseded", func(t *testing.T) {
		if got := f.As("").Post(card.page(t), "action=pay", "Content-Type", form); got.Header.Get("Location") != "https://pay.example/sandbox/payment/v1/checkout/"+card.ID {
			t.Errorf("a page that another method has replaced sends the guest to %q, want to itself", got.Header.Get("Location"))
		}
		f.As("").Get(card.page(t)).WantText(t, "Nothing was charged here")
	})
	for _, bad := range []string{"javascript:alert(1)", "/return", "//evil.example", "data:text/html,x"} {
		t.Run(bad, func(t *testing.T) {
			got := f.Post("/sandbox/payment/v1/intents", body{"tenantId": kabul.Tenant, "reservationId": id.New[id.Reservation](),
				"method": "card", "amountMicro": "10000", "currency": "AFN", "returnUrl": bad})
			check.Equal(t, got.Code(), "GENERAL.VALIDATION_FAILED", "%s", fmt.Sprint(got.Status))
		})
	}
}

func TestCheckout_outcomes(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	say := func(i payment.Intent) string {
		return string(f.Get("/sandbox/payment/v1/checkout/" + i.ID.String()).Body)
	}
	cash, ended, late := b.opened(t, standin.CashOnArrival), b.opened(t, standin.Card), b.opened(t, standin.Card)
	for range 5 {
		check.Got(b.Decline(t.Context(), ended.ID)).Must(t)
	}
	check.Got(b.Intents.Open(t.Context(), wanted(cash.Reservation, standin.Card))).Must(t)
	promised := b.opened(t, standin.CashOnArrival)
	b.Advance(31 * time.Minute)
	for _, test := range []struct {
		intent payment.Intent
		want   string
	}{
		{promised, "you pay in cash when you arrive"},
		{cash, "you chose another way to pay"},
		{ended, "declined too often"},
		{late, "The time to pay is over"},
	} {
		t.Run(test.want, func(t *testing.T) {
			text := say(test.intent)
			check.Contains(t, text, test.want)
			check.Lacks(t, text, "<form")
		})
	}
	f.Tick(expireintents.Function).Must(t, http.StatusNoContent)
	got := b.published(t, late.Reservation)
	check.MustEqual(t, len(got), 1)
	check.Equal(t, got[0], "payment.transaction.failed.v1")
}

func TestCheckout_unknownButton(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t).As("")
	path := "/sandbox/payment/v1/checkout/" + b.opened(t, standin.Card).ID.String()
	for _, sent := range []string{"", "action=refund", "action=pay&action=pay"} {
		t.Run(fmt.Sprintf("%q", sent), func(t *testing.T) {
			f.Post(path, sent, "Content-Type", form).Want(t, http.StatusBadRequest)
		})
	}
	f.Post(path, "action=pay", "Content-Type", form, "Sec-Fetch-Site", "cross-site").Want(t, http.StatusForbidden)
}

func TestCheckout_languages(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t).As("")
	back := func(query string) string { return "https://kabul-grand.example/return" + query }
	for _, test := range []struct{ name, back, asks, tag, dir, hotel, amount string }{
		{"what the browser asks for", "", "ps", "ps-AF", "rtl", "کابل ګرانډ هوټل", "۱۲٬۵۰۰٫۰۰ افغانۍ"},
		{"Dari by its other name", "", "prs,en;q=0.5", "fa-AF", "rtl", "هتل گرند کابل", "۱۲٬۵۰۰٫۰۰ افغانی"},
		{"Urdu, with Western digits", "", "ur-PK", "ur-PK", "rtl", "Kabul Grand Hotel", "12,500.00 افغانی"},
		{"Arabic", "", "ar", "ar-AE", "rtl", "Kabul Grand Hotel", "12,500.00 أفغاني"},
		{"a language that it is not written in", "", "de", "en", "ltr", "Kabul Grand Hotel", "AFN 12,500.00"},
		{"what the hotel's site was read in", back("?lang=ps-AF"), "en", "ps-AF", "rtl", "کابل ګرانډ هوټل", "۱۲٬۵۰۰٫۰۰ افغانۍ"},
		{"no language on the way back", back("?lang=%22"), "en", "en", "ltr", "Kabul Grand Hotel", "AFN 12,500.00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := openOverHTTP(t, b.front(t), id.New[id.Reservation](), "card", test.back)
			got := f.Get(o.page(t), "Accept-Language", test.asks)
			for _, want := range []string{`lang="` + test.tag + `" dir="` + test.dir + `"`, "<h1>" + test.hotel + "</h1>", "<bdi>" + test.amount + "</bdi>"} {
				t.Run(fmt.Sprintf("%q", want), func(t *testing.T) {
					got.WantText(t, want)
				})
			}
			check.Equal(t, got.Header.Get("Content-Language"), test.tag)
			check.Lacks(t, string(got.Body), "UTC")
		})
	}
}

// The page shows the time that the hotel's site named, or its own if that one does not apply.
func TestCheckout_deadline(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	i := b.opened(t, standin.Card)
	for _, test := range []struct {
		name  string
		named time.Time
		says  time.Time
	}{
		{name: "none", says: i.ExpiresAt},
		{name: "the_hold's", named: i.ExpiresAt.Add(-20 * time.Minute), says: i.ExpiresAt.Add(-20 * time.Minute)},
		{name: "past", named: i.ExpiresAt.Add(-time.Hour), says: i.ExpiresAt},
		{name: "too_late", named: i.ExpiresAt.Add(time.Minute), says: i.ExpiresAt},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := "/sandbox/payment/v1/checkout/" + i.ID.String()
			if !test.named.IsZero() {
				page += "?before=" + url.QueryEscape(test.named.UTC().Format(time.RFC3339))
			}
			kabuls := test.says.In(time.FixedZone("AFT", 4*3600+1800)).Format("15:04")
			check.Contains(t, string(f.Get(page).Body), "before "+kabuls+",")
		})
	}
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	inner, _, ends := strings.Cut(rest, to)
	check.MustEqual(t, ok, true, "no %q in %s", from, text)
	check.MustEqual(t, ends, true, "no %q after %q in %s", to, from, text)
	return inner
}

func policyOf(t *testing.T, text string) string {
	t.Helper()
	return html.UnescapeString(between(t, text, `<meta http-equiv="Content-Security-Policy" content="`, `"`))
}

func styleHash(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Each language of the checkout page has every text, with the same arguments.
func TestCheckout_textsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("showcheckout/texts.json")
	check.Must(t, err)
	var texts map[string]map[string]string
	check.Must(t, json.Unmarshal(text, &texts))
	check.Equal(t, slices.Sorted(maps.Keys(texts)), []string{"ar-AE", "en", "fa-AF", "fa-IR", "ps-AF", "ur-PK"}, "languages")
	for language, translated := range texts {
		check.Equal(t, len(translated), len(texts["en"]), "texts in %s", language)
		for key, english := range texts["en"] {
			check.NotEqual(t, translated[key], "", "%s lacks %s", language, key)
			for _, argument := range []string{"{0}", "{1}"} {
				t.Run(argument, func(t *testing.T) {
					if strings.Contains(translated[key], argument) != strings.Contains(english, argument) {
						t.Errorf("%s: %s = %q, want %s as in %q", language, key, translated[key], argument, english)
					}
				})
			}
		}
	}
}
