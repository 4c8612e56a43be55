package reservation_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/functions/reservation/setguest"
	"melmastoon.ghasi.io/functions/reservation/walkin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/guesttest"
)

// A guestRoute is a route that takes a guest's name and e-mail address.
type guestRoute struct {
	below string // the path of the guest's members in the body
	send  func(t *testing.T, guest map[string]any) fntest.Answer
	// accepted checks the answer to a valid guest.
	accepted func(t *testing.T, a fntest.Answer, member, text string)
}

// TestGuest_texts sends each text of a name and of an e-mail address through all routes of this service that take them. The BFF's
// routes have the same cases, but for an empty e-mail address, which staff may leave out.
func TestGuest_texts(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, setguest.Function, walkin.Function)
	d.Services.Answers("GET /property/properties/{id}", "property", func(*http.Request, []byte) any {
		return map[string]any{"tenantId": d.R.Tenant, "timeZone": "Asia/Kabul", "checkInFrom": "14:00", "checkOutUntil": "12:00"}
	})
	headers := func() []string {
		return []string{"X-Tenant-Id", d.R.Tenant.String(), "Idempotency-Key", id.New[id.Request]().String()}
	}
	ask := reservationtest.Ask(t, d.R.Property)
	desk := d.Staff("usr_desk", access.FrontDesk)
	for name, route := range map[string]guestRoute{
		"setguest": {
			send: func(_ *testing.T, guest map[string]any) fntest.Answer {
				guest["locale"] = "ps-AF"
				return desk.Send(http.MethodPut, "/api/v1/reservations/"+d.R.ID.String()+"/guest", guest, headers()...)
			},
			accepted: func(t *testing.T, a fntest.Answer, member, text string) {
				t.Helper()
				a.Want(t, http.StatusOK)
				var shown struct {
					Guest map[string]string `json:"guest"`
				}
				a.Into(t, &shown)
				column := map[string]string{"email": "email", "firstName": "first_name"}[member]
				var stored string
				if err := d.DB.Owner(t).QueryRow(t.Context(), "SELECT "+column+" FROM reservation.guests").Scan(&stored); err != nil {
					t.Fatal(err)
				}
				if want := strings.TrimSpace(norm.NFC.String(text)); stored != want || shown.Guest[member] != want {
					t.Errorf("stored %+q and answered %+q, want %+q", stored, shown.Guest[member], want)
				}
			},
		},
		// A walk-in starts today. That is checked after the guest, in the act, so a walk-in of another day is refused for its date only.
		"walkin": {
			below: "/guest",
			send: func(_ *testing.T, guest map[string]any) fntest.Answer {
				return desk.Post("/api/v1/reservations/walk-ins", map[string]any{"propertyId": ask.Property, "items": ask.Items, "stayWindow": ask.Stay,
					"currency": ask.Currency, "locale": ask.Locale, "guest": guest, "payment": map[string]any{"method": booking.CashOnArrival}}, headers()...)
			},
			accepted: func(t *testing.T, a fntest.Answer, _, _ string) {
				t.Helper()
				if !strings.Contains(string(a.Body), `"pointer":"/stayWindow/start","rule":"today"`) {
					t.Errorf("got %d %s, want only the date to be refused", a.Status, a.Body)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, test := range guesttest.Emails() {
				if utf8.ValidString(test.Text) && test.Text != "" { // other texts are no JSON
					t.Run(fmt.Sprintf("email %+q", test.Text), func(t *testing.T) { route.check(t, "email", test) })
				}
			}
			for _, test := range guesttest.Names() {
				t.Run(fmt.Sprintf("name %+q", test.Text), func(t *testing.T) { route.check(t, "firstName", test) })
			}
		})
	}
}

// check sends a guest with a text of the table.
func (r guestRoute) check(t *testing.T, member string, test guesttest.Case) {
	t.Helper()
	guest := map[string]any{"firstName": "Zoe", "lastName": "", "email": "zoe@example.com", "phone": "+93701234567"}
	guest[member] = test.Text
	a := r.send(t, guest)
	if test.Valid {
		r.accepted(t, a, member, test.Text)
		return
	}
	if a.Status != http.StatusBadRequest || !strings.Contains(string(a.Body), `"pointer":"`+r.below+"/"+member+`"`) {
		t.Errorf("got %d %s, want 400 about %s", a.Status, a.Body, member)
	}
}
