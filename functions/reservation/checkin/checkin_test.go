package checkin_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/checkin"
	"melmastoon.ghasi.io/functions/reservation/checkout"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/keyfailed"
	"melmastoon.ghasi.io/functions/reservation/keyissued"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// rooms assigns one of the desk's rooms to the item of a reservation.
func rooms(d *reservationtest.Desk, r *booking.Reservation, room int) map[string]any {
	return map[string]any{"rooms": []booking.AssignedRoom{{Item: r.Items[0].ID, Room: d.Rooms[room].ID}}}
}

// arrived opens the functions on the arrival day.
func arrived(t *testing.T) (*reservationtest.Desk, *fntest.Front) {
	t.Helper()
	d := reservationtest.OpenDesk(t, checkin.Function, checkout.Function)
	d.At(reservationtest.Arrival)
	return d, d.Staff("usr_desk", "front_desk")
}

// answer returns the answered reservation.
func answer(t *testing.T, a fntest.Answer) (out checkin.Response) {
	t.Helper()
	a.Into(t, &out)
	return out
}

// issue delivers the event of an issued key.
func issue(t *testing.T, d *reservationtest.Desk, k booking.Key) error {
	t.Helper()
	handle, err := keyissued.New(d.Env)
	if err != nil {
		t.Fatal(err)
	}
	return handle(t.Context(), event.Event[reservation.KeyReport]{
		Payload:  reservation.KeyReport{Reservation: d.R.ID, Item: k.Item, Room: k.Room, Key: k.ID},
		Delivery: reservationtest.Deliver(d.R, keyissued.Function.Spec.Name),
	})
}

// fail delivers the event of a failed key.
func fail(t *testing.T, d *reservationtest.Desk, k booking.Key) error {
	t.Helper()
	handle, err := keyfailed.New(d.Env)
	if err != nil {
		t.Fatal(err)
	}
	return handle(t.Context(), event.Event[reservation.KeyReport]{
		Payload:  reservation.KeyReport{Reservation: d.R.ID, Item: k.Item, Room: k.Room, Key: k.ID},
		Delivery: reservationtest.Deliver(d.R, keyfailed.Function.Spec.Name),
	})
}

func TestCheckIn_issued(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	a := d.Do(desk, "check-in", rooms(d, d.R, 0), "If-Match", `"`+strconv.Itoa(d.R.Version)+`"`)
	a.Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(d.R.Version+3)+`"`, "Cache-Control", "no-store")
	out := answer(t, a)
	if out.State != booking.CheckedIn {
		t.Errorf("state = %s, want %s", out.State, booking.CheckedIn)
	}
	if len(out.Keys) != 1 {
		t.Errorf("keys = %v, want one", out.Keys)
	}
	if out.CheckIn.By != (access.Actor{Type: access.Staff, ID: "usr_desk"}) {
		t.Errorf("actor = %v, want the desk", out.CheckIn.By)
	}
	if got := d.Nights(); got != 2 {
		t.Errorf("the room is the guest's for %d nights, want 2", got)
	}
	d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(d.R.Version+3)+`"`)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in")
}

// Guests of a group come one after the other. A check-out waits for those who are expected.
func TestCheckIn_group(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, checkin.Function, checkout.Function)
	d.Group()
	d.At(reservationtest.Arrival)
	desk := d.Staff("usr_desk", "front_desk")
	out := answer(t, d.Do(desk, "check-in", rooms(d, d.R, 0)))
	if out.State != booking.CheckedIn || out.Items[0].ArrivedAt == nil || out.Items[1].ArrivedAt != nil || len(out.Keys) != 1 {
		t.Errorf("state %s, items %+v, keys %v, want the first guests only", out.State, out.Items, out.Keys)
	}
	d.Do(desk, "check-out", map[string]any{}).WantProblem(t, http.StatusConflict, "RESERVATION.GUESTS_EXPECTED")
	d.Key = booking.KeyPending
	others := map[string]any{"rooms": []booking.AssignedRoom{{Item: d.R.Items[1].ID, Room: d.Rooms[1].ID}}}
	d.Do(desk, "check-in", others).Want(t, http.StatusAccepted)
	if err := issue(t, d, reservationtest.Now(t, d.DB, d.R).Keys[1]); err != nil {
		t.Fatal(err)
	}
	if out = answer(t, d.Do(desk, "check-in", others)); out.Items[1].ArrivedAt == nil || len(out.Keys) != 2 || out.Pending != "" {
		t.Errorf("items %+v, keys %v, step %q, want all guests", out.Items, out.Keys, out.Pending)
	}
	d.Do(desk, "check-out", map[string]any{}).Want(t, http.StatusOK)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "items_checked_in", "checkout_started")
}

// A refusal says why, to a person and to a program.
func TestCheckIn_refused(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	type problem struct {
		Code        string `json:"code"`
		Detail      string `json:"detail"`
		State       string `json:"state"`
		ArrivalDate string `json:"arrivalDate"`
	}
	refused := func(r *booking.Reservation) (p problem) {
		a := d.DoTo(r, desk, "check-in", rooms(d, r, 0))
		a.Want(t, http.StatusConflict)
		a.Into(t, &p)
		return p
	}
	want := problem{Code: "MELMASTOON.RESERVATION.BEFORE_ARRIVAL", Detail: "Arrival is on 4 December 2036.", ArrivalDate: "2036-12-04"}
	if got := refused(d.Another(3)); got != want {
		t.Errorf("three days before the arrival: %+v, want %+v", got, want)
	}
	d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusOK)
	d.Do(desk, "check-out", map[string]any{}).Want(t, http.StatusOK)
	want = problem{Code: "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION", State: "checkout_started",
		Detail: "The reservation is in the state checkout_started, which does not allow this."}
	if got := refused(d.R); got != want {
		t.Errorf("once the check-out has started: %+v, want %+v", got, want)
	}
}

func TestCheckIn_outstanding(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	d.Key = booking.KeyPending
	out := answer(t, d.Do(desk, "check-in", rooms(d, d.R, 0)))
	if out.State != booking.CheckInStarted {
		t.Errorf("state = %s, want %s", out.State, booking.CheckInStarted)
	}
	if out.Pending != booking.AwaitKeys {
		t.Errorf("pending step = %s, want %s", out.Pending, booking.AwaitKeys)
	}
	asked := d.Services.Body("keys")
	d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusAccepted)
	if got := d.Services.Body("keys"); got != asked {
		t.Errorf("the same request asks for %s, want %s", got, asked)
	}
	d.Do(desk, "check-in", rooms(d, d.R, 1)).WantProblem(t, http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION")
	key := reservationtest.Now(t, d.DB, d.R).Keys[0]
	for range 2 {
		if err := issue(t, d, key); err != nil {
			t.Fatal(err)
		}
	}
	d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusOK)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in")
}

func TestCheckIn_lockAway(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	d.Services.SetBehavior("keys", upstreamtest.Failing)
	d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusAccepted)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started")
	d.Services.SetBehavior("keys", upstreamtest.Working)
	r, err := booking.OpenIssuer(d.Env, platform.Open(d.Env)).Ask(t.Context(), access.Scope{Tenant: d.R.Tenant}, d.R.ID)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != booking.CheckedIn {
		t.Errorf("state after the lock service is back = %s, want %s", r.State, booking.CheckedIn)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in")
}

func TestCheckIn_keyFailed(t *testing.T) {
	t.Parallel()
	for _, byEvent := range []bool{false, true} {
		t.Run("by event: "+strconv.FormatBool(byEvent), func(t *testing.T) {
			t.Parallel()
			d, desk := arrived(t)
			d.Key = booking.KeyFailed
			if byEvent {
				d.Key = booking.KeyPending
				d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusAccepted)
				for range 2 {
					if err := fail(t, d, reservationtest.Now(t, d.DB, d.R).Keys[0]); err != nil {
						t.Fatal(err)
					}
				}
			}
			a := d.Do(desk, "check-in", rooms(d, d.R, 0))
			a.Want(t, http.StatusOK)
			out := answer(t, a)
			if out.State != booking.CheckedIn {
				t.Errorf("state = %s, want %s", out.State, booking.CheckedIn)
			}
			if !out.CheckIn.ManualKey {
				t.Error("requiresManualKey = false, want true")
			}
			if len(out.Keys) != 0 {
				t.Errorf("keys = %v, want none", out.Keys)
			}
			var keys string
			if err := d.DB.Owner(t).QueryRow(t.Context(), `SELECT payload ->> 'keyCredentialIds' FROM reservation.outbox
				WHERE subject = 'melmastoon.reservation.checked_in.v1'`).Scan(&keys); err != nil {
				t.Fatal(err)
			}
			if keys != "[]" {
				t.Errorf("published keys = %s, want []", keys)
			}
			reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in")
		})
	}
}

func TestKeyIssued_onItsOwn(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	own := booking.Key{ID: id.New[id.KeyCredential](), Item: d.R.Items[0].ID, Room: d.Rooms[0].ID}
	for range 2 {
		if err := issue(t, d, own); err != nil {
			t.Fatal(err)
		}
	}
	r := reservationtest.Now(t, d.DB, d.R)
	if r.State != booking.Confirmed {
		t.Errorf("state = %s, want %s", r.State, booking.Confirmed)
	}
	own.Status = booking.KeyIssued
	if !slices.Equal(r.Keys, []booking.Key{own}) {
		t.Errorf("keys = %v, want %v once", r.Keys, own)
	}
	d.Key = booking.KeyPending
	d.Do(desk, "check-in", rooms(d, d.R, 0)).Want(t, http.StatusAccepted)
	if len(d.Revoked) != 0 {
		t.Errorf("%v are revoked", d.Revoked)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started")
}

func TestKeyIssued_late(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	d.CheckIn()
	folio := map[string]any{"folioId": "fol_1", "finalBalanceMicro": "0", "currency": "USD", "settled": true}
	d.Do(desk, "check-out", map[string]any{"folio": folio}).Want(t, http.StatusOK)
	late := reservationtest.Now(t, d.DB, d.R).Keys[0]
	unknown := booking.Key{ID: id.New[id.KeyCredential](), Item: late.Item, Room: late.Room}
	for name, k := range map[string]booking.Key{"issued before check-out": late, "unknown": unknown} {
		t.Run(name, func(t *testing.T) {
			if err := issue(t, d, k); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(d.Revoked, k.ID) {
				t.Errorf("revoked at the lock service = %v, want %s among them", d.Revoked, k.ID)
			}
		})
	}
	d.Services.SetBehavior("revocations", upstreamtest.Failing)
	if err := issue(t, d, unknown); err == nil {
		t.Error("without the lock service: no error, want the event delivered again")
	}
	if got := reservationtest.Now(t, d.DB, d.R); got.State != booking.CheckedOut || len(got.Keys) != 1 {
		t.Errorf("state = %s with keys %v, want %s with one key", got.State, got.Keys, booking.CheckedOut)
	}
}

func TestCheckIn_occupied(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	d.CheckIn()
	same, next := d.Another(0), d.Another(2)
	d.DoTo(same, desk, "check-in", rooms(d, same, 0)).WantProblem(t, http.StatusConflict, "RESERVATION.ROOM_UNAVAILABLE")
	d.DoTo(same, desk, "check-in", rooms(d, same, 1)).Want(t, http.StatusOK)
	d.At(reservationtest.Departure)
	desk = d.Staff("usr_desk", "front_desk")
	d.DoTo(next, desk, "check-in", rooms(d, next, 0)).WantProblem(t, http.StatusConflict, "RESERVATION.ROOM_UNAVAILABLE") // the guest has not left
	reservationtest.ExpectEvents(t, d.DB, next, "held", "confirmed")
	folio := map[string]any{"folioId": "fol_1", "finalBalanceMicro": "0", "currency": "USD", "settled": true}
	d.Do(desk, "check-out", map[string]any{"folio": folio}).Want(t, http.StatusOK)
	d.DoTo(next, desk, "check-in", rooms(d, next, 0)).Want(t, http.StatusOK)
}

func TestCheckIn_twoDesksOneRoom(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	other := d.Another(0)
	for round := range 10 {
		d.Rooms[0].ID = id.New[id.Room]()
		one, two := d.Another(0), other
		var answers [2]fntest.Answer
		var group sync.WaitGroup
		for i, r := range []*booking.Reservation{one, two} {
			group.Go(func() { answers[i] = d.DoTo(r, desk, "check-in", rooms(d, r, 0)) })
		}
		group.Wait()
		if (answers[0].Status == http.StatusOK) == (answers[1].Status == http.StatusOK) {
			t.Errorf("round %d: answers %d and %d, want one 200", round, answers[0].Status, answers[1].Status)
		}
		if answers[1].Status == http.StatusOK {
			other = one
		}
	}
}

func TestCheckIn_rejected(t *testing.T) {
	t.Parallel()
	d, desk := arrived(t)
	for _, test := range []struct {
		name    string
		as      *fntest.Front
		body    any
		headers []string
		status  int
		code    string
	}{
		{"housekeeping", d.Staff("usr_1", "housekeeping"), rooms(d, d.R, 0), nil, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"no role", d.Staff("usr_1"), rooms(d, d.R, 0), nil, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"a service that acts for guests", d.Front, rooms(d, d.R, 0), nil, http.StatusForbidden, "GENERAL.FORBIDDEN"},
		{"the desk of another property", d.StaffOf(id.New[id.Property](), "usr_1", "front_desk"), rooms(d, d.R, 0), nil, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND"},
		{"an old version", desk, rooms(d, d.R, 0), []string{"If-Match", `"1"`}, http.StatusPreconditionFailed, "GENERAL.VERSION_CONFLICT"},
		{"no rooms", desk, map[string]any{"rooms": []booking.AssignedRoom{}}, nil, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED"},
		{"an unknown room", desk, map[string]any{"rooms": []booking.AssignedRoom{{Item: d.R.Items[0].ID, Room: id.New[id.Room]()}}}, nil, http.StatusConflict, "RESERVATION.ROOM_UNAVAILABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.Do(test.as, "check-in", test.body, test.headers...).WantProblem(t, test.status, test.code)
		})
	}
	d.Services.SetBehavior("rooms", upstreamtest.Failing)
	d.Do(desk, "check-in", rooms(d, d.R, 0)).WantProblem(t, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE")
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	if got := d.Services.Calls("keys"); got != 0 {
		t.Errorf("%d keys were asked for, want none", got)
	}
}

func TestKeyEvents_unknownReservation(t *testing.T) {
	t.Parallel()
	d, _ := arrived(t)
	d.R = &booking.Reservation{ID: id.New[id.Reservation](), Tenant: d.R.Tenant}
	key := booking.Key{ID: id.New[id.KeyCredential](), Item: id.New[id.Item](), Room: d.Rooms[0].ID}
	if err := issue(t, d, key); !errors.Is(err, booking.ErrNotFound) {
		t.Errorf("issued: %v, want a dead letter: %v", err, booking.ErrNotFound)
	}
	if err := fail(t, d, key); !errors.Is(err, booking.ErrNotFound) {
		t.Errorf("failed: %v, want a dead letter: %v", err, booking.ErrNotFound)
	}
}
