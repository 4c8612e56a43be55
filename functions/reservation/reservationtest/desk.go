package reservationtest

import (
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// Local times of the reservation that Ask returns, at its property in Kabul.
var (
	Arrival   = time.Date(2036, 12, 1, 15, 0, 0, 0, kabul) // an hour after the check-in time
	NoShow    = time.Date(2036, 12, 2, 6, 0, 0, 0, kabul)  // the end of the grace period
	Departure = time.Date(2036, 12, 3, 11, 0, 0, 0, kabul) // an hour before the check-out time
)

var kabul = time.FixedZone("Asia/Kabul", (4*60+30)*60)

// A Desk is functions of the front desk with one paid reservation, and fakes of the services that they call. The fakes are named
// "intent", "rooms", "keys", "revocations" and "reallocations".
type Desk struct {
	DB       *pgtest.Database
	R        *booking.Reservation
	Services *upstreamtest.Services
	Intent   booking.Intent     // as the payment service reports it
	Rooms    []booking.Room     // as the property service reports them
	Key      booking.KeyStatus  // the lock service's answer to a request for a key
	Revoked  []id.KeyCredential // by calls to the lock service
	Front    *fntest.Front      // a service without staff
	Env      env.Env            // of the functions
	t        testing.TB
}

// OpenDesk opens the functions with a reservation for two nights from 1 December 2036 that is paid by card.
func OpenDesk(t testing.TB, fs ...fn.Function) *Desk {
	t.Helper()
	db := pgtest.New(t)
	d := &Desk{DB: db, Services: upstreamtest.Open(t, "{}"), Key: booking.KeyIssued, t: t}
	d.R = Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	d.Intent = d.pay(d.R)
	d.Rooms = []booking.Room{{ID: id.New[id.Room](), Type: d.R.Items[0].RoomType, Number: "101"}, {ID: id.New[id.Room](), Type: d.R.Items[0].RoomType, Number: "102"}}
	d.Services.Answers("GET /payment/intents/{id}", "intent", func(*http.Request, []byte) any { return d.Intent })
	d.Services.Answers("GET /property/properties/{id}/rooms", "rooms", func(*http.Request, []byte) any { return map[string]any{"rooms": d.Rooms} })
	d.Services.Answers("POST /lock/keys", "keys", func(*http.Request, []byte) any { return map[string]any{"status": d.Key} })
	d.Services.Answers("POST /inventory/reallocations", "reallocations", func(*http.Request, []byte) any {
		return map[string]any{"reallocatedAt": db.Env().Now()}
	})
	d.Services.Answers("POST /lock/revocations", "revocations", func(_ *http.Request, body []byte) any {
		var in struct {
			Keys []id.KeyCredential `json:"keyCredentialIds"`
		}
		if err := json.Unmarshal(body, &in); err != nil {
			return nil
		}
		d.Revoked = append(d.Revoked, in.Keys...)
		return map[string]any{}
	})
	e, issuer := fntest.Surround(t, d.Services.Around(salted(db.Env()), "payment", "property", "lock", "inventory"))
	d.Env, d.Front = e, fntest.Behind(t, e, issuer, fs...)
	return d
}

// salted returns the environment with a key for contact hashes.
func salted(e env.Env) env.Env {
	return e.With("GUEST_SALT_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
}

// pay confirms a held reservation with a captured card payment.
func (d *Desk) pay(r *booking.Reservation) booking.Intent {
	d.t.Helper()
	captured := id.New[id.Event]()
	paid := booking.Intent{
		ID: id.New[id.Intent](), Tenant: r.Tenant, Reservation: r.ID, Method: booking.Card, Status: booking.Captured,
		Amount: r.Total, Currency: r.Currency, Captured: r.Total, CaptureEvent: &captured,
	}
	if err := r.Confirm(paid, r.Hold, d.DB.Env().Now()); err != nil {
		d.t.Fatal(err)
	}
	d.save(r, booking.ReservationConfirmed(r))
	return paid
}

func (d *Desk) save(r *booking.Reservation, events ...event.Draft) {
	d.t.Helper()
	s := booking.OpenReservations(d.DB.Env())
	if err := s.In(d.t.Context(), r.Tenant, func(tx postgres.Tx) error { return s.Save(d.t.Context(), tx, r, events...) }); err != nil {
		d.t.Fatal(err)
	}
}

// Another stores a paid reservation of another guest for the same type of room. Its stay starts some days after that of R.
func (d *Desk) Another(days int) *booking.Reservation {
	d.t.Helper()
	ask := Ask(d.t, d.R.Property)
	ask.Items[0].RoomType = d.R.Items[0].RoomType
	ask.Stay.Start, ask.Stay.End = ask.Stay.Start.AddDays(days), ask.Stay.End.AddDays(days)
	r := held(d.t, d.DB.Env(), quote(d.t, d.DB.Env(), d.R.Tenant, ask))
	d.pay(r)
	return r
}

// Group cancels R and stores a paid reservation of two rooms in its place.
func (d *Desk) Group() {
	d.t.Helper()
	if err := d.R.CancelOnWish(booking.CancelWish{Code: booking.GuestCancelled, By: d.R.CreatedBy}, d.DB.Env().Now()); err != nil {
		d.t.Fatal(err)
	}
	d.save(d.R, booking.ReservationCancelled(d.R))
	ask := Ask(d.t, d.R.Property)
	ask.Items[0].RoomType = d.R.Items[0].RoomType
	ask.Items = append(ask.Items, ask.Items[0])
	d.R = held(d.t, d.DB.Env(), quote(d.t, d.DB.Env(), d.R.Tenant, ask))
	d.Intent = d.pay(d.R)
}

// At advances the clock to a time. The service gets a new token, because that of the past may have expired.
func (d *Desk) At(now time.Time) {
	d.t.Helper()
	d.DB.Advance(now.Sub(d.DB.Env().Now()))
	issuer := d.Front.Issuer()
	token, err := issuer.Sign(issuer.Email(), now.Add(24*time.Hour), identity.Audience("reservation"))
	if err != nil {
		d.t.Fatal(err)
	}
	d.Front = d.Front.As(token)
}

// Staff returns a Front of a person with these roles at the property.
func (d *Desk) Staff(subject string, roles ...string) *fntest.Front {
	d.t.Helper()
	return d.StaffOf(d.R.Property, subject, roles...)
}

// StaffOf returns a Front of a person with these roles at another property of the tenant.
func (d *Desk) StaffOf(property id.Property, subject string, roles ...string) *fntest.Front {
	d.t.Helper()
	token, err := d.Front.Issuer().Staff(identity.Audience("reservation"), subject, d.R.Tenant, []id.Property{property}, roles...)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.Front.As(token)
}

// Do sends an act, such as "check-out", with a new idempotency key.
func (d *Desk) Do(as *fntest.Front, act string, body any, headers ...string) fntest.Answer {
	d.t.Helper()
	return d.DoTo(d.R, as, act, body, headers...)
}

// DoTo is like Do for another reservation.
func (d *Desk) DoTo(r *booking.Reservation, as *fntest.Front, act string, body any, headers ...string) fntest.Answer {
	d.t.Helper()
	return as.Send(http.MethodPost, "/api/v1/reservations/"+r.ID.String()+"/"+act, body,
		append([]string{"X-Tenant-Id", r.Tenant.String(), "Idempotency-Key", id.New[id.Request]().String()}, headers...)...)
}

// CheckIn stores the check-in of the guest, on the arrival day, with an issued key.
func (d *Desk) CheckIn() {
	d.t.Helper()
	r := Now(d.t, d.DB, d.R)
	rooms := []booking.AssignedRoom{{Item: r.Items[0].ID, Room: d.Rooms[0].ID}}
	if _, err := r.StartCheckIn(rooms, d.Rooms, access.Actor{Type: access.Staff, ID: "usr_desk"}, Arrival); err != nil {
		d.t.Fatal(err)
	}
	begun, key := booking.CheckInBegun(r), r.Keys[0]
	key.Status = booking.KeyIssued
	if _, err := r.SetKey(key); err != nil {
		d.t.Fatal(err)
	}
	if done, err := r.FinishKeys(Arrival); err != nil || !done {
		d.t.Fatalf("FinishKeys() = %v, %v", done, err)
	}
	d.save(r, begun, booking.GuestCheckedIn(r))
}

// Nights returns the number of nights for which the reservation occupies a room.
func (d *Desk) Nights() (n int) {
	d.t.Helper()
	err := d.DB.Owner(d.t).QueryRow(d.t.Context(), `SELECT count(*) FROM reservation.room_nights WHERE reservation_id = $1`, d.R.ID).Scan(&n)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}
