package noshow_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/checkin"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/noshow"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func TestNoShow(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, noshow.Function)
	d.At(reservationtest.NoShow)
	d.Intent.Refunded = 50_000_000 // by hand, of 200
	desk := d.Staff("usr_desk", "front_desk")
	a := d.Do(desk, "no-show", map[string]any{"dryRun": true})
	a.Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(d.R.Version)+`"`)
	var dry, out noshow.Response
	a.Into(t, &dry)
	if !dry.DryRun {
		t.Error("dryRun = false, want true")
	}
	if dry.State != booking.Confirmed {
		t.Errorf("state in a dry run = %s, want %s", dry.State, booking.Confirmed)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	a = d.Do(desk, "no-show", map[string]any{}, "If-Match", `"`+strconv.Itoa(d.R.Version)+`"`)
	a.Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(d.R.Version+1)+`"`, "Cache-Control", "no-store")
	a.Into(t, &out)
	if out.State != booking.NoShow {
		t.Errorf("state = %s, want %s", out.State, booking.NoShow)
	}
	if out.Applied != dry.Applied {
		t.Errorf("policyApplied = %+v, want that of the dry run, %+v", out.Applied, dry.Applied)
	}
	if out.Applied.Penalty != 0 || out.Applied.Eligible != 150_000_000 {
		t.Errorf("policyApplied = %+v, want a refund of 150", out.Applied)
	}
	if len(out.Refunds) != 1 {
		t.Errorf("refunds = %v, want one", out.Refunds)
	}
	if !slices.Equal(out.Refunds, dry.Refunds) {
		t.Errorf("refunds = %v, want those of the dry run, %v", out.Refunds, dry.Refunds)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "no_show")
	if got := reservationtest.Now(t, d.DB, d.R); got.Hold.Outcome != booking.Released {
		t.Errorf("outcome of the hold = %s, want %s", got.Hold.Outcome, booking.Released)
	}
	d.Do(desk, "no-show", map[string]any{}).Want(t, http.StatusOK)
	d.Do(d.Staff("usr_other", "front_desk"), "no-show", map[string]any{}).WantProblem(t, http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "no_show")
}

// A no-show of a group is that of the guests who did not come. A dry run shows the same figures.
func TestNoShow_rooms(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, noshow.Function, checkin.Function)
	d.Group()
	d.At(reservationtest.Arrival)
	desk := d.Staff("usr_desk", "front_desk")
	d.Do(desk, "check-in", map[string]any{"rooms": []booking.AssignedRoom{{Item: d.R.Items[0].ID, Room: d.Rooms[0].ID}}}).Want(t, http.StatusOK)
	d.Do(desk, "no-show", map[string]any{}).WantProblem(t, http.StatusForbidden, "GENERAL.FORBIDDEN")
	d.At(reservationtest.NoShow)
	desk = d.Staff("usr_desk", "front_desk")
	var dry, out noshow.Response
	d.Do(desk, "no-show", map[string]any{"dryRun": true}).Into(t, &dry)
	if !dry.DryRun || len(dry.Items) != 2 || dry.Applied.Eligible != 200_000_000 {
		t.Errorf("a dry run: %d items, %+v, want 2 and a refund of 200", len(dry.Items), dry.Applied)
	}
	a := d.Do(desk, "no-show", map[string]any{})
	a.Want(t, http.StatusOK)
	if a.Into(t, &out); out.State != booking.CheckedIn || len(out.Items) != 1 || out.Applied != dry.Applied || !slices.Equal(out.Refunds, dry.Refunds) {
		t.Errorf("state %s, %d items, %+v, %v, want those of the dry run", out.State, len(out.Items), out.Applied, out.Refunds)
	}
	d.Do(desk, "no-show", map[string]any{}).WantProblem(t, http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "modified")
}

func TestNoShow_callers(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, noshow.Function)
	d.At(reservationtest.NoShow.Add(-time.Minute))
	desk, manager := d.Staff("usr_desk", "front_desk"), d.Staff("usr_boss", "manager")
	for _, test := range []struct {
		name   string
		do     func() (status int, code string)
		status int
		code   string
	}{
		{"a service that acts for guests", func() (int, string) { a := d.Do(d.Front, "no-show", map[string]any{}); return a.Status, a.Code() }, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"housekeeping", func() (int, string) {
			a := d.Do(d.Staff("usr_1", "housekeeping"), "no-show", map[string]any{})
			return a.Status, a.Code()
		}, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"the desk of another property", func() (int, string) {
			a := d.Do(d.StaffOf(id.New[id.Property](), "usr_1", "front_desk"), "no-show", map[string]any{})
			return a.Status, a.Code()
		}, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND"},
		{"the desk before the time", func() (int, string) { a := d.Do(desk, "no-show", map[string]any{}); return a.Status, a.Code() }, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"the desk waives", func() (int, string) {
			a := d.Do(desk, "no-show", map[string]any{"waivePenalty": true})
			return a.Status, a.Code()
		}, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"an old version", func() (int, string) {
			a := d.Do(manager, "no-show", map[string]any{}, "If-Match", `"1"`)
			return a.Status, a.Code()
		}, http.StatusPreconditionFailed, "GENERAL.VERSION_CONFLICT"},
		{"a manager waives before the time", func() (int, string) {
			a := d.Do(manager, "no-show", map[string]any{"waivePenalty": true})
			return a.Status, a.Code()
		}, http.StatusOK, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if status, code := test.do(); status != test.status || code != test.code && code != "MELMASTOON."+test.code {
				t.Errorf("%s: %d %s, want %d %s", test.name, status, code, test.status, test.code)
			}
		})
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "no_show")
}

// Only the payment service knows what is left to refund.
func TestNoShow_paymentAway(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, noshow.Function)
	d.At(reservationtest.NoShow)
	d.Services.SetBehavior("intent", upstreamtest.Failing)
	d.Do(d.Staff("usr_desk", "front_desk"), "no-show", map[string]any{}).WantProblem(t, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
}
