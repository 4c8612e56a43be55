package storefront_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/guesttest"
)

// TestGuest_texts sends each text of a name and of an e-mail address through all forms that take them. The booking service decides about a
// text, so it gets the text as the guest has typed it, and the form shows a rejected text again.
func TestGuest_texts(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for name, form := range map[string]struct {
		open func(*browser, *fakeBooking) *browser
		send func(*browser, ...string) *browser
		got  func(*fakeBooking) body
	}{
		"details": {
			open: func(g *browser, d *fakeBooking) *browser {
				return g.open(home + "/bookings/" + d.draft.String() + "?step=details")
			},
			send: func(g *browser, fields ...string) *browser { return g.send("/guest", fields...) },
			got:  func(d *fakeBooking) body { return d.guest },
		},
		"changes": {
			open: func(g *browser, _ *fakeBooking) *browser { return g.changing("") },
			send: func(g *browser, fields ...string) *browser { return g.sendForm("/changes", `value="guest"`, fields...) },
			got:  func(d *fakeBooking) body { return d.named },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			g := browse(t, e, d).open(searched).send("/choices")
			check := func(t *testing.T, member, text string) {
				t.Helper()
				fields := map[string]string{"firstName": "Zoe", "email": "zoe@example.com"}
				fields[member] = text
				d.guest, d.named = nil, nil
				form.send(form.open(g, d), "firstName", fields["firstName"], "email", fields["email"], "phone", "+93701234567")
				if got := form.got(d)[member]; got != text {
					t.Errorf("the booking service got %+q, want %+q", got, text)
				}
			}
			for member, cases := range map[string][]guesttest.Case{"email": guesttest.Emails(), "firstName": guesttest.Names()} {
				for _, test := range cases {
					if utf8.ValidString(test.Text) && !strings.Contains(test.Text, "\x00") { // the decoder rejects a zero character, and JSON the other texts
						t.Run(fmt.Sprintf("%s %+q", member, test.Text), func(t *testing.T) { check(t, member, test.Text) })
					}
				}
			}
		})
	}
}

// TestGuest_browserAccepts holds that a browser sends each text. Browsers know fewer addresses than the booking service: the field of type
// "email" refuses a quoted local part and letters other than those of English before the @.
func TestGuest_browserAccepts(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	for _, page := range []string{browse(t, e, d).open(searched).send("/choices").page, browse(t, e, d).changing("").page} {
		_, field, found := strings.Cut(page, `<input id="email"`)
		field, _, _ = strings.Cut(field, ">")
		if !found || strings.Contains(field, `type="email"`) || strings.Contains(field, "pattern=") || !strings.Contains(field, `inputmode="email"`) {
			t.Errorf("the field is %q, want one for any text, with the keyboard for e-mail addresses", field)
		}
	}
}
