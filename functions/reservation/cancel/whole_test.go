package cancel_test

import (
	"net/http"
	"strconv"
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
	dry := d.Do(manager, "cancel", map[string]any{"reasonCode": "staff_cancelled", "dryRun": true}, "If-Match", etag(d.R.Version))
	dry.Want(t, http.StatusOK, "ETag", etag(d.R.Version), "Cache-Control", "no-store")
	reservationtest.Told(t, d.DB, d.R, "held", "confirmed")
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
	reservationtest.Told(t, d.DB, d.R, "held", "confirmed", "cancelled")
}

// Only a manager may cancel because the house is overbooked, and then nothing is kept.
func TestCancel_overbooked(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, cancel.Function)
	d.At(reservationtest.Arrival) // every policy keeps something now
	body := map[string]any{"reasonCode": "overbooked"}
	d.Do(d.Front, "cancel", body).WantProblem(t, http.StatusForbidden, "GENERAL.FORBIDDEN")
	d.Do(d.Staff("usr_desk", "front_desk"), "cancel", body).WantProblem(t, http.StatusForbidden, "GENERAL.FORBIDDEN")
	reservationtest.Told(t, d.DB, d.R, "held", "confirmed")
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
