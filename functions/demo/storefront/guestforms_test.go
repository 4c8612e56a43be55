package storefront_test

import (
	"net/url"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

// TestOfferRooms_tooSmall asks for more guests than a room takes. The page says how many rooms they need.
func TestOfferRooms_tooSmall(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	const dates = home + "?checkIn=2027-03-21&checkOut=2027-03-23"
	d := newFakeBooking(e)
	d.full = true
	g := browse(t, e, d)
	g.open(dates + "&adults=9&children=2&rooms=1").sees("The largest room is for up to 5 people. Please choose 3 rooms.").lacks("try other dates")
	g.open(dates + "&adults=1&children=8&rooms=1").sees("Please try other dates.").lacks("The largest room") // each room needs an adult
	g.open(dates + "&adults=9&children=0&rooms=2").sees("Please try other dates.").lacks("The largest room")
}

// A price of a night is that of one room.
func TestOfferRooms_nightly(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	g := browse(t, e, newFakeBooking(e)).open(searched).sees("AFN 11,000 a night, before taxes and fees")
	g.open(strings.Replace(searched, "rooms=1", "rooms=2", 1)).sees("AFN 11,000 a room and night, before taxes and fees")
}

// The cards of the session have the price of one night, without dates.
func TestSaved_price(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/hotels", "/hotels?view=saved"} {
		page := visitFakeMarket(t, &fakeConsumer{locale: locale.English, saves: true}, path)
		expectTexts(t, page, "From AFN 8,680", "for 1 night, taxes included")
		if strings.Contains(page, "for 2 nights") {
			t.Errorf("%s has a price of a stay: %s", path, page)
		}
	}
}

// A guest who changes the language keeps what is typed, and cannot change the currency of the booking.
func TestPreferences_keepDetails(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d).open(searched).sees(`<select name="currency">`).send("/choices").sees("Currency of this booking: AFN").lacks(`<select name="currency">`)
	for _, control := range []string{`<select name="language" form="details">`, `formaction="` + home + `/preferences" formnovalidate>Change`, `name="draftId" value="` + d.draft.String() + `" form="details"`} {
		g.sees(control)
	}
	if first := strings.Index(g.page, `<button form="details" hidden>`); first < 0 || first > strings.Index(g.page, "formaction=") {
		t.Error("Enter in a field changes the language")
	}
	typed := url.Values{"once": {"req_1"}, "version": {"3"}, "locale": {"en"}, "language": {"ps-AF"}, "back": {home + "/bookings/" + d.draft.String()},
		"draftId": {d.draft.String()}, "firstName": {"Zarghuna"}, "email": {"z@exa"}, "specialRequests": {"Late"}}
	g.follow(g.front.Post(home+"/preferences", typed.Encode(), "Content-Type", urlencoded, "Cookie", g.cookie()), home)
	g.sees(`value="Zarghuna"`, `value="z@exa"`, ">Late</textarea>")
	if sent := d.bodies[len(d.bodies)-4]; sent != `{"locale":"ps-AF"}` {
		t.Errorf("the booking service got %s", sent)
	}
}
