package changedates_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/changedates"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// TestChangeDates_callers gives a service of guests the guest's rules only, and staff both.
func TestChangeDates_callers(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t)
	d.Services.Answers("POST /pricing/quotes", "pricing", func(_ *http.Request, body []byte) any {
		ask := reservationtest.Ask(t, d.R.Property)
		var asked struct {
			Stay stay.Window `json:"stayWindow"`
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			return err
		}
		ask.Stay = asked.Stay
		ask.Items[0].RoomType, ask.Items[0].RatePlan = d.R.Items[0].RoomType, d.R.Items[0].RatePlan
		return reservationtest.Price(ask, d.Env.Now().Add(time.Hour))
	})
	d.Front = fntest.Behind(t, d.Services.Around(d.Env, "pricing"), d.Front.Issuer(), changedates.Function)
	body := func(more map[string]any) map[string]any {
		b := map[string]any{"stayWindow": map[string]any{"start": d.R.Stay.Start.AddDays(7), "end": d.R.Stay.End.AddDays(7)}, "dryRun": true}
		maps.Copy(b, more)
		return b
	}
	for _, test := range []struct {
		name   string
		as     *fntest.Front
		more   map[string]any
		status int
		code   string
	}{
		{name: "service_as_staff", as: d.Front, status: http.StatusForbidden, code: "GENERAL.FORBIDDEN"},
		{name: "service_for_guest", as: d.Front, more: map[string]any{"byGuest": true}, status: http.StatusOK},
		{name: "price_rose", as: d.Front, more: map[string]any{"byGuest": true, "maxTotalMicro": "1"}, status: http.StatusConflict, code: "BFF.TENANT.PRICE_CHANGED"},
		{name: "negative_maximum", as: d.Front, more: map[string]any{"byGuest": true, "maxTotalMicro": "-1"}, status: http.StatusBadRequest, code: "GENERAL.VALIDATION_FAILED"},
		{name: "maximum_without_guest", as: d.Front, more: map[string]any{"maxTotalMicro": "1"}, status: http.StatusBadRequest, code: "GENERAL.VALIDATION_FAILED"},
		{name: "desk", as: d.Staff("usr_desk", "front_desk"), status: http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := d.Do(test.as, "dates", body(test.more))
			if a.Status != test.status || a.Code() != test.code {
				t.Errorf("got %d %s, want %d %s: %s", a.Status, a.Code(), test.status, test.code, a.Body)
			}
		})
	}
}
