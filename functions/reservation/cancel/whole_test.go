package cancel_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/cancel"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
)

func etag(version int) string { return `"` + strconv.Itoa(version) + `"` }

func TestCancel_whole(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, cancel.Function)
	manager := d.Staff("usr_boss", "manager")
	body := map[string]any{"reasonCode": "staff_cancelled"}
	d.Do(manager, "cancel", body, "If-Match", etag(d.R.Version-1)).WantProblem(t, http.StatusPreconditionFailed, "GENERAL.VERSION_CONFLICT")
	tooLong := map[string]any{"reasonCode": "staff_cancelled", "reason": strings.Repeat("x", booking.MaxReasonLength+1)}
	d.Do(manager, "cancel", tooLong).WantProblem(t, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED")
	longest := map[string]any{"reasonCode": "staff_cancelled", "reason": strings.Repeat("x", booking.MaxReasonLength), "dryRun": true}
	dry := d.Do(manager, "cancel", longest, "If-Match", etag(d.R.Version))
	dry.Want(t, http.StatusOK, "ETag", etag(d.R.Version), "Cache-Control", "no-store")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	a := d.Do(manager, "cancel", body, "If-Match", etag(d.R.Version))
	a.Want(t, http.StatusOK, "ETag", etag(d.R.Version+1), "Cache-Control", "no-store")
	var out cancel.Response
	a.Into(t, &out)
	if out.Reservation != d.R.ID {
		t.Errorf("reservationId = %s, want %s", out.Reservation, d.R.ID)
	}
	if out.State != booking.Cancelled {
		t.Errorf("state = %s, want %s", out.State, booking.Cancelled)
	}
	if out.Code != d.R.Code {
		t.Errorf("reservationCode = %s, want %s", out.Code, d.R.Code)
	}
	if out.Applied.Eligible != d.R.Total {
		t.Errorf("refundEligibilityMicro = %d, want %d", out.Applied.Eligible, d.R.Total)
	}
	if len(out.Refunds) != 1 {
		t.Errorf("%d refunds requested, want 1", len(out.Refunds))
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "cancelled")
}

// Only a manager may cancel because the house is overbooked, and then nothing is kept.
func TestCancel_overbooked(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, cancel.Function)
	d.At(reservationtest.Arrival) // every policy keeps something now
	body := map[string]any{"reasonCode": "overbooked"}
	d.Do(d.Front, "cancel", body).WantProblem(t, http.StatusForbidden, "GENERAL.FORBIDDEN")
	d.Do(d.Staff("usr_desk", "front_desk"), "cancel", body).WantProblem(t, http.StatusForbidden, "GENERAL.FORBIDDEN")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	a := d.Do(d.Staff("usr_boss", "manager"), "cancel", body)
	a.Want(t, http.StatusOK)
	var out cancel.Response
	a.Into(t, &out)
	if out.Applied.Eligible != d.R.Total {
		t.Errorf("refundEligibilityMicro = %d, want %d", out.Applied.Eligible, d.R.Total)
	}
	if out.Cancellation.Code != booking.Overbooked {
		t.Errorf("reasonCode = %s, want %s", out.Cancellation.Code, booking.Overbooked)
	}
}

// TestCancel_maximum cancels only if the penalty is not higher than the guest was shown, also if the deadline has passed meanwhile.
func TestCancel_maximum(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, cancel.Function)
	_, err := d.DB.Owner(t).Exec(t.Context(), `
		UPDATE reservation.reservations SET policy = '{"ref":"half","freeUntilHoursBefore":24,"penaltyPercent":50,"description":""}';
		UPDATE reservation.reservation_items SET policy = '{"ref":"half","freeUntilHoursBefore":24,"penaltyPercent":50,"description":""}'`)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(more ...any) map[string]any {
		body := map[string]any{"reasonCode": "guest_cancelled"}
		for i := 0; i < len(more); i += 2 {
			body[more[i].(string)] = more[i+1]
		}
		return body
	}
	var free, late, out cancel.Response
	d.Do(d.Front, "cancel", ask("dryRun", true, "maxPenaltyMicro", "0")).Into(t, &free)
	if free.FreeUntil == nil || free.Applied.Penalty != 0 {
		t.Errorf("long before the arrival the penalty is %d and the deadline %v", free.Applied.Penalty, free.FreeUntil)
	}
	d.At(reservationtest.Arrival)
	d.Do(d.Front, "cancel", ask("maxPenaltyMicro", "0")).WantProblem(t, http.StatusConflict, "RESERVATION.PENALTY_CHANGED")
	d.Do(d.Front, "cancel", ask("maxPenaltyMicro", "-1")).WantProblem(t, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	d.Do(d.Front, "cancel", ask("dryRun", true)).Into(t, &late)
	if late.Applied.Penalty == 0 {
		t.Error("the penalty is 0 on the day of arrival")
	}
	d.Do(d.Front, "cancel", ask("maxPenaltyMicro", late.Applied.Penalty)).Into(t, &out)
	if out.State != booking.Cancelled || out.FreeUntil != nil {
		t.Errorf("state = %s, deadline = %v, want cancelled without a deadline", out.State, out.FreeUntil)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "cancelled")
}
