package checkout_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/checkout"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func folio(settled bool) map[string]any {
	return map[string]any{"folioId": "fol_1", "finalBalanceMicro": "0", "currency": "USD", "settled": settled}
}

func open(t *testing.T) *reservationtest.Desk {
	t.Helper()
	d := reservationtest.OpenDesk(t, checkout.Function)
	d.At(reservationtest.Arrival)
	d.CheckIn()
	return d
}

func TestCheckOut(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.At(reservationtest.Departure)
	d.Services.SetBehavior("intent", upstreamtest.Failing) // a departure in time needs no other service
	desk := d.Staff("usr_desk", "front_desk")
	version := reservationtest.Now(t, d.DB, d.R).Version
	var out checkout.Response
	a := d.Do(desk, "check-out", map[string]any{}, "If-Match", `"`+strconv.Itoa(version)+`"`)
	a.Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(version+1)+`"`, "Cache-Control", "no-store")
	a.Into(t, &out)
	if out.State != booking.CheckoutStarted {
		t.Errorf("state = %s, want %s", out.State, booking.CheckoutStarted)
	}
	d.Do(desk, "check-out", map[string]any{}).Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(version+1)+`"`)
	d.Do(desk, "check-out", map[string]any{"folio": folio(false)}).WantProblem(t, http.StatusConflict, "RESERVATION.FOLIO_UNSETTLED")
	d.Do(desk, "check-out", map[string]any{"folio": folio(true)}, "If-Match", `"1"`).WantProblem(t, http.StatusPreconditionFailed, "GENERAL.VERSION_CONFLICT")
	a = d.Do(desk, "check-out", map[string]any{"folio": folio(true), "reason": "Call +93 70 012 3456"})
	a.Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(version+2)+`"`)
	a.Into(t, &out)
	if out.State != booking.CheckedOut {
		t.Errorf("state = %s, want %s", out.State, booking.CheckedOut)
	}
	if got, want := out.CheckOut.Reason, booking.Text("Call [number]"); got != want {
		t.Errorf("reason = %q, want %q", got, want)
	}
	if len(out.Keys) != 0 {
		t.Errorf("keys = %v, want none", out.Keys)
	}
	d.Do(desk, "check-out", map[string]any{"folio": folio(true)}).Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(version+2)+`"`)
	d.Do(desk, "check-out", map[string]any{}).WantProblem(t, http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "checkout_started", "checked_out")
	if got := d.Nights(); got != 2 {
		t.Errorf("the room was the guest's for %d nights, want 2", got)
	}
}

func TestCheckOut_early(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.At(reservationtest.Departure.AddDate(0, 0, -1))
	d.Intent.Refunded = 30_000_000 // by hand, of 200
	a := d.Do(d.Staff("usr_desk", "front_desk"), "check-out", map[string]any{"folio": folio(true)})
	a.Want(t, http.StatusOK)
	var out checkout.Response
	a.Into(t, &out)
	early := out.CheckOut.Early
	if early == nil {
		t.Fatal("no early departure")
	}
	if early.Price != 100_000_000 || early.Applied.Eligible != 70_000_000 {
		t.Errorf("early departure = %+v, want a price of 100 and a refund of 70", early)
	}
	if len(early.Refunds) != 1 || early.Refunds[0].Amount != 70_000_000 {
		t.Errorf("refunds = %v, want 70", early.Refunds)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "checkout_started", "early_checkout", "checked_out")
	if got := d.Nights(); got != 1 {
		t.Errorf("the room is the guest's for %d nights, want the one slept", got)
	}
	if got := reservationtest.Now(t, d.DB, d.R).Hold.Outcome; got != booking.Released {
		t.Errorf("outcome of the hold = %s, want %s", got, booking.Released)
	}
}

// Only the payment service knows what is left to refund.
func TestCheckOut_earlyPaymentAway(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Services.SetBehavior("intent", upstreamtest.Failing)
	desk := d.Staff("usr_desk", "front_desk")
	d.Do(desk, "check-out", map[string]any{"folio": folio(true)}).WantProblem(t, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE")
	d.Do(desk, "check-out", map[string]any{}).Want(t, http.StatusOK) // starting needs no other service
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "checkout_started")
}

func TestCheckOut_callers(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.At(reservationtest.Departure)
	forced := map[string]any{"folio": folio(false), "force": true, "reason": strings.Repeat("x", booking.MaxReasonLength)}
	for _, test := range []struct {
		name   string
		as     *fntest.Front
		body   map[string]any
		status int
		code   string
	}{
		{"a service that acts for guests", d.Front, map[string]any{}, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"housekeeping", d.Staff("usr_1", "housekeeping"), map[string]any{}, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"the desk of another property", d.StaffOf(id.New[id.Property](), "usr_1", "front_desk"), map[string]any{}, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND"},
		{"the desk forces", d.Staff("usr_desk", "front_desk"), forced, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"force without a folio", d.Staff("usr_boss", "manager"), map[string]any{"force": true}, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED"},
		{"a long reason", d.Staff("usr_desk", "front_desk"), map[string]any{"reason": strings.Repeat("x", booking.MaxReasonLength+1)}, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED"},
		{"a folio without a balance", d.Staff("usr_desk", "front_desk"), map[string]any{"folio": map[string]any{"folioId": "f", "currency": "USD", "settled": true}}, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.Do(test.as, "check-out", test.body).WantProblem(t, test.status, test.code)
		})
	}
	d.Do(d.Staff("usr_boss", "manager"), "check-out", forced).Want(t, http.StatusOK)
	if got := reservationtest.Now(t, d.DB, d.R).CheckOut; !got.Forced {
		t.Errorf("check-out = %+v, want it forced", got)
	}
}

func TestCheckOut_races(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.At(reservationtest.Departure.Add(-24 * time.Hour))
	desk := d.Staff("usr_desk", "front_desk")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { d.Do(desk, "check-out", map[string]any{"folio": folio(true)}).Want(t, http.StatusOK) })
	}
	group.Wait()
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "checkout_started", "early_checkout", "checked_out")
	if got := len(reservationtest.Now(t, d.DB, d.R).Payment.Requested); got != 1 {
		t.Errorf("%d refunds are requested, want 1", got)
	}
}
