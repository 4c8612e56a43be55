package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/guesttest"
)

// TestSetGuest_spellings sends the details of one guest in several spellings. The draft, the reservation and the
// pseudonyms are the same, and only the first spelling changes the draft.
func TestSetGuest_spellings(t *testing.T) {
	t.Parallel()
	want := booking.Guest{FirstName: "Zo\u00eb", LastName: "R\u0101z\u012b \u200cnia", Email: "Zoe@example.com", Phone: "+93701234567", Requests: "Late.\nA cot."}
	spelled := want
	spelled.FirstName, spelled.LastName = " Zoe\u0308\t", "Ra\u0304zi\u0304 \u200cnia "
	spelled.Email, spelled.Requests = "  Zoe@example.com ", "\nLate.\nA cot.\n"
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	version := ""
	for _, number := range []string{"+93 70 123 4567", "0093 (0)70-123-4567", "\u200e+\u06f9\u06f3 \u06f7\u06f0 \u06f1\u06f2\u06f3 \u06f4\u06f5\u06f6\u06f7", "\u0660\u0660\u0669\u0663\u0667\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667", "+93701234567"} {
		t.Run(strconv.QuoteToASCII(number), func(t *testing.T) {
			spelled.Phone = number
			body, err := json.Marshal(map[string]any{"guest": spelled})
			check.Must(t, err)
			var draft struct {
				Guest booking.Guest `json:"guest"`
			}
			g.Must(http.StatusOK, "PATCH", path, string(body)).Into(t, &draft)
			check.Equal(t, draft.Guest, want, "kept as")
			if version != "" && g.Version != version {
				t.Errorf("version of the draft = %s, want %s", g.Version, version)
			}
			version = g.Version
		})
	}
	g.Pay("cash_on_arrival")
	sent := g.Platform.Stays()[0].Guest
	sent.Locale = ""
	check.Equal(t, sent, want, "sent on as")
	for _, wrong := range []string{`{"guest":{"firstName":" \t","lastName":" ","email":"z@example.com","phone":"+93701234567"}}`,
		`{"guest":{"firstName":"Zoe","lastName":"","email":"z@example.com","phone":"0701234567"}}`} {
		t.Run(fmt.Sprintf("%q", wrong), func(t *testing.T) {
			check.Equal(t, g.Send("PATCH", path, wrong).Code(), "GENERAL.VALIDATION_FAILED", "%s", wrong)
		})
	}
}

// TestSetGuest_forms sends each text of a name and of an e-mail address through both routes that take them.
func TestSetGuest_forms(t *testing.T) {
	t.Parallel()
	booked := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	booked.Must(http.StatusOK, "POST", "/draft/"+booked.Draft.String()+"/confirm", nil)
	held := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	for route, send := range map[string]func(body string) fntest.Answer{
		"draft": func(body string) fntest.Answer { return held.Send("PATCH", "/draft/"+held.Draft.String(), body) },
		"confirmation": func(body string) fntest.Answer {
			return booked.Send("PATCH", "/confirmation/"+booked.Stay.String(), body)
		},
	} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			verify := func(t *testing.T, member string, guest booking.Guest, valid bool) {
				t.Helper()
				body, err := json.Marshal(map[string]any{"guest": guest})
				check.Must(t, err)
				switch a := send(string(body)); {
				case valid && a.Status != http.StatusOK:
					t.Errorf("got %d %s, want 200", a.Status, a.Body)
				case !valid && (a.Status != http.StatusBadRequest || !strings.Contains(string(a.Body), "/guest/"+member)):
					t.Errorf("got %d %s, want 400 about %s", a.Status, a.Body, member)
				}
			}
			for _, test := range guesttest.Emails() {
				if !utf8.ValidString(test.Text) {
					continue // is no JSON
				}
				t.Run(fmt.Sprintf("email %+q", test.Text), func(t *testing.T) {
					verify(t, "email", booking.Guest{FirstName: "Zoe", Email: test.Text, Phone: "+93701234567"}, test.Valid)
				})
			}
			for _, test := range guesttest.Names() {
				t.Run(fmt.Sprintf("name %+q", test.Text), func(t *testing.T) {
					verify(t, "firstName", booking.Guest{FirstName: test.Text, Email: "zoe@example.com", Phone: "+93701234567"}, test.Valid)
				})
			}
		})
	}
}
