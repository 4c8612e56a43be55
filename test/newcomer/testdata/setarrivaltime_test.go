package setarrivaltime

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestSetArrivalTime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	front := fntest.Open(t, e, Function)
	booked := reservationtest.Held(t, e, id.New[id.Tenant](), id.New[id.Property]())
	reservationtest.Confirm(t, db, booked)
	held := reservationtest.Held(t, e, booked.Tenant, booked.Property)
	for _, test := range []struct {
		name        string
		reservation id.Reservation
		tenant      id.Tenant
		arrivalTime string
		status      int
		code        string
	}{
		{name: "stored", reservation: booked.ID, tenant: booked.Tenant, arrivalTime: "21:30", status: http.StatusOK},
		{name: "corrected", reservation: booked.ID, tenant: booked.Tenant, arrivalTime: "23:00", status: http.StatusOK},
		{name: "malformed", reservation: booked.ID, tenant: booked.Tenant, arrivalTime: "24:30", status: http.StatusBadRequest, code: "GENERAL.VALIDATION_FAILED"},
		{name: "held", reservation: held.ID, tenant: held.Tenant, arrivalTime: "21:30", status: http.StatusConflict, code: "RESERVATION.ILLEGAL_TRANSITION"},
		{name: "other_tenant", reservation: booked.ID, tenant: id.New[id.Tenant](), arrivalTime: "21:30", status: http.StatusNotFound, code: "GENERAL.RESOURCE_NOT_FOUND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := front.Send(http.MethodPut, "/api/v1/reservations/"+test.reservation.String()+"/arrival-time", map[string]string{"arrivalTime": test.arrivalTime},
				"X-Tenant-Id", test.tenant.String(), "Idempotency-Key", id.New[id.Request]().String())
			if a.Status != test.status {
				t.Errorf("status = %d, want %d: %s", a.Status, test.status, a.Body)
			}
			if a.Code() != test.code {
				t.Errorf("code = %q, want %q", a.Code(), test.code)
			}
		})
	}
	reservationtest.ExpectEvents(t, db, booked, "held", "confirmed", "arrival_time_set", "arrival_time_set")
	reservationtest.ExpectEvents(t, db, held, "held")
	var got string
	err := db.Owner(t).QueryRow(t.Context(), `SELECT arrival_time FROM reservation.arrivals WHERE reservation_id = @reservation`,
		pgx.StrictNamedArgs{"reservation": booked.ID}).Scan(&got)
	if err != nil {
		t.Fatal(err)
	}
	if got != "23:00" {
		t.Errorf("stored arrival time = %q, want 23:00", got)
	}
}
