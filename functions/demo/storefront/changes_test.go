package storefront_test

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

// changing opens the page of the changes, with a query that begins with "&" or is empty.
func (g *browser) changing(query string) *browser {
	g.t.Helper()
	return g.open(home + "/confirmations/" + g.booking.booked.String() + "/changes?t=k.token" + query)
}

func TestChange_dates(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	d.price = 3000000
	g := browse(t, env.Of(nil), d).stayed().sees("Change the dates or the guest's details, or ask for something", "/changes?t=k.token")
	g.changing("").sees("Change your booking", "Other dates", "2027-03-21", "Show the price", "Special request to the hotel")
	g.changing("&checkIn=2027-03-25&checkOut=2027-03-27").sees("The stay from 25 March 2027 to 27 March 2027 costs AFN 30,000, instead of AFN 24,200.50.", "Still to pay: AFN 5,800")
	if d.moved != nil {
		t.Errorf("looking at the price changed the dates to %v", d.moved)
	}
	d.price = 3100000
	g.send("/changes").sees("The price has changed", "costs AFN 31,000")
	if d.moved != nil {
		t.Errorf("at a higher price than shown the dates are changed to %v", d.moved)
	}
	g.send("/changes").sees("Your booking is changed.", "25 March 2027", "AFN 31,000")
	g.changing("&checkInDay=4&checkInMonth=1&checkInYear=1406&checkOutDay=6&checkOutMonth=1&checkOutYear=1406").sees("The stay from 24 March 2027 to 26 March 2027")
	d.price = 2000000
	g.changing("&checkIn=2027-03-25&checkOut=2027-03-26").sees("You get AFN 4,200 back")
}

// TestChange_waitsForPayment changes a paid booking to dates that cost more.
func TestChange_waitsForPayment(t *testing.T) {
	t.Parallel()
	for lang, texts := range map[locale.Tag][2]string{
		"en":    {"take effect when you have paid this", "The stay from 25 March 2027 to 27 March 2027 takes effect when you have paid AFN"},
		"fa-AF": {"تاریخ‌های تازه زمانی برقرار می‌شود", "تا آن زمان تاریخ‌های کنونی شما باقی می‌ماند"},
		"fa-IR": {"تاریخ‌های تازه زمانی برقرار می‌شود", "تا آن زمان تاریخ‌های کنونی شما باقی می‌ماند"},
		"ps-AF": {"نوې نېټې هغه وخت پلي کېږي", "تر هغه ستاسو اوسنۍ نېټې پاتې کېږي"},
		"ur-PK": {"نئی تاریخیں اس وقت نافذ ہوں گی", "تب تک آپ کی موجودہ تاریخیں برقرار رہیں گی"},
		"ar-AE": {"تسري التواريخ الجديدة", "وحتى ذلك الحين تبقى تواريخك الحالية"},
	} {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.price, d.prepaid, d.locale, d.offered = 3000000, true, lang, []locale.Tag{lang}
			g := browse(t, env.Of(nil), d).changing("&checkIn=2027-03-25&checkOut=2027-03-27").sees(texts[0])
			g.send("/changes").sees(texts[1], "/payment").lacks("Your booking is changed.")
		})
	}
}

func TestChange_request(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	browse(t, env.Of(nil), d).changing("").send("/changes", "request", "A quiet room").sees("The hotel has your request.")
	if !slices.Equal(d.wishes, []string{"A quiet room"}) {
		t.Errorf("the requests are %q, want one", d.wishes)
	}
}

func TestChange_requestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusal string
		sees          []string
	}{
		{name: "too_long", refusal: "400 GENERAL.VALIDATION_FAILED freeText", sees: []string{`aria-describedby="wrong-request">A quiet room<`, "Please use fewer words"}},
		{name: "service_down", refusal: "503 BFF.UPSTREAM_UNAVAILABLE", sees: []string{">A quiet room<", "cannot be reached at the moment"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.refuses["PATCH reservation"], d.once = test.refusal, true
			g := browse(t, env.Of(nil), d).changing("").send("/changes", "request", "A quiet room").sees(test.sees...)
			g.open(g.at).sees(">A quiet room<").send("/changes", "request", "Quiet").sees("The hotel has your request.")
			g.changing("").sees(`required></textarea>`)
		})
	}
}

// named are the fields of a guest's corrected details.
var named = []string{"firstName", "Zarghona", "lastName", "", "email", "z@example.com", "phone", "0700 123 456"}

func TestChange_guest(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	g := browse(t, env.Of(nil), d).changing("").sees("Correct the guest's details", "For privacy", `name="firstName" value=""`)
	g.sendForm("/changes", `value="guest"`, named...).sees("The hotel has the new details.", "GM-7K2QX9")
	for member, want := range map[string]string{"firstName": "Zarghona", "lastName": "", "email": "z@example.com", "phone": "+93700123456", "locale": "en"} {
		t.Run(member, func(t *testing.T) {
			if d.named[member] != want {
				t.Errorf("the booking service got %q, want %q", d.named[member], want)
			}
		})
	}
	if _, sent := d.named["specialRequests"]; sent {
		t.Error("the request of the guest is replaced, too")
	}
}

func TestChange_guestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusal string
		sees          []string
	}{
		{name: "e-mail", refusal: "400 GENERAL.VALIDATION_FAILED email", sees: []string{"Please look at the marked fields", `aria-describedby="wrong-email"`, "Please write an e-mail address"}},
		{name: "phone", refusal: "400 GENERAL.VALIDATION_FAILED phone", sees: []string{`aria-describedby="hint-phone wrong-phone"`, "number with its country code"}},
		{name: "stay_over", refusal: "409 RESERVATION.ILLEGAL_TRANSITION", sees: []string{"This is not possible any more"}},
		{name: "service_down", refusal: "503 BFF.UPSTREAM_UNAVAILABLE", sees: []string{"cannot be reached at the moment"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.refuses["PATCH reservation"], d.once = test.refusal, true
			g := browse(t, env.Of(nil), d).changing("").sendForm("/changes", `value="guest"`, named...).sees(test.sees...)
			typed := []string{`value="Zarghona"`, `value="z@example.com"`, `value="0700 123 456"`, "Change your booking"}
			g.sees(typed...).open(g.at).sees(typed...) // reloaded
			if strings.Contains(g.at, "Zarghona") || strings.Contains(g.at, "0700") {
				t.Errorf("the address %s contains details of the guest", g.at)
			}
			g.sendForm("/changes", `value="guest"`, named...).sees("The hotel has the new details.")
			g.changing("").sees(`name="firstName" value=""`)
		})
	}
}

func TestChange_refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusal, stay string
		penalty             int
		sees                []string
	}{
		{name: "deadline_over", penalty: 1, sees: []string{"The dates can no longer be changed here", "Special request to the hotel", "Correct the guest's details"}},
		{name: "deadline_passes", refusal: "409 RESERVATION.CHANGE_NOT_ALLOWED", sees: []string{"The dates can no longer be changed here"}},
		{name: "sold_out", refusal: "409 RESERVATION.OVERBOOKING_BLOCKED", sees: []string{"no longer free for these nights", "Change your booking"}},
		{name: "invalid", refusal: "400 GENERAL.VALIDATION_FAILED", sees: []string{"the departure comes after the arrival", "2027-03-25"}},
		{name: "in_house", stay: "checked_in", sees: []string{"Your room is booked"}},
		{name: "cancelled", stay: "cancelled", sees: []string{"This reservation is no longer valid"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.stay, d.penalty, d.price = test.stay, test.penalty, 2420000
			if test.refusal != "" {
				d.refuses["PATCH reservation"] = test.refusal
			}
			g := browse(t, env.Of(nil), d).changing("&checkIn=2027-03-25&checkOut=2027-03-27").sees(test.sees...)
			if test.refusal == "" && strings.Contains(g.page, `name="total"`) != (test.penalty == 0 && test.stay == "") {
				t.Error("the page offers dates that the guest cannot have")
			}
		})
	}
}

func TestChange_languages(t *testing.T) {
	t.Parallel()
	for tag, sees := range map[locale.Tag][]string{
		"ps-AF": {"خپل بکنګ بدل کړئ", "د مېلمه معلومات سم کړئ"}, "fa-AF": {"تغییر رزرو شما", "اصلاح مشخصات مهمان"}, "fa-IR": {"تغییر رزرو شما", "اصلاح مشخصات مهمان"},
		"ur-PK": {"اپنی بکنگ تبدیل کریں", "مہمان کی تفصیلات درست کریں"}, "ar-AE": {"تغيير حجزك", "تصحيح بيانات الضيف"},
	} {
		t.Run(string(tag), func(t *testing.T) {
			d := newFakeBooking(env.Of(nil))
			d.locale, d.offered, d.price = tag, []locale.Tag{tag}, 3000000
			browse(t, env.Of(nil), d).changing("&checkIn=2027-03-25&checkOut=2027-03-27").sees(sees...)
		})
	}
}
