package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// Staff reach the rooms, the cash and the outages of their own hotel, and nothing else of the sandbox.
func TestDesk(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	as := func(h demo.Hotel, roles ...string) *fntest.Front {
		token, err := f.Issuer().Staff(identity.Audience("sandbox"), "usr_desk", h.Tenant, []id.Property{h.Property}, roles...)
		check.Must(t, err)
		return f.As(token)
	}
	rooms := "/sandbox/property/v1/properties/" + kabul.Property.String() + "/rooms"
	out := "/sandbox/property/v1/rooms/" + b.suite(t, 0).ID.String() + "/out-of-order"
	cash := "/sandbox/payment/v1/intents/" + b.opened(t, standin.CashOnArrival).ID.String() + "/collect"
	w := b.nights(10, 2)
	for _, test := range []struct {
		name   string
		front  *fntest.Front
		status int
	}{
		{"no token", f.As(""), http.StatusUnauthorized},
		{"housekeeping", as(kabul, "housekeeping"), http.StatusForbidden},
		{"the desk of another hotel", as(demo.HeratGarden, "front_desk"), http.StatusNotFound},
		{"the desk", as(kabul, "front_desk"), http.StatusOK},
		{"a manager", as(kabul, "manager"), http.StatusOK},
		{"a service", f, http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.front.Get(rooms).Want(t, test.status)
			test.front.Post(out, body{"from": w.Start, "until": w.End, "reasonCode": "maintenance"}).Want(t, test.status)
			test.front.Post(cash, nil).Want(t, test.status)
		})
	}
	as(kabul, "manager").Get(strings.TrimSuffix(rooms, "/rooms")).Want(t, http.StatusUnauthorized)
}
