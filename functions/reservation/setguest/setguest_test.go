package setguest

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func salted(e env.Env) env.Env {
	return e.With("GUEST_SALT_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
}

// open returns the function on a database with a held reservation.
func open(t *testing.T) (*pgtest.Database, *booking.Reservation, reservation.Serve[Request, Response]) {
	t.Helper()
	db := pgtest.New(t)
	name, err := New(salted(db.Env()))
	if err != nil {
		t.Fatal(err)
	}
	return db, reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]()), name
}

func call(r *booking.Reservation, first, email string) reservation.Call[Request] {
	in := Request{ID: r.ID, FirstName: first, LastName: "Ahmadzai", Email: email, Phone: "+93 70 012 3456", Locale: "ps-AF"}
	return reservation.Call[Request]{
		Call:      fn.Call[Request]{In: in, Act: id.New[id.Request]()},
		Principal: access.Principal{Scope: access.Scope{Tenant: r.Tenant}, Actor: access.Actor{Type: access.System, ID: "tenant-booking"}},
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	db, r, name := open(t)
	for _, step := range []string{"Zarghona", "Malalai"} { // the second replaces the first
		out, err := name(t.Context(), call(r, step, " Z@Example.com "))
		if err != nil || out.Guest != r.Guest {
			t.Fatalf("answered %+v, %v", out, err)
		}
		if want := r.Version + 1; out.View.Version != want { // a confirmation that has read the reservation before does not save it
			t.Errorf("version = %d, want %d after the first hashes, and after the same ones", out.View.Version, want)
		}
	}
	var first, email, hash string
	err := db.Owner(t).QueryRow(t.Context(), `SELECT first_name, email, email_hash FROM reservation.guests WHERE reservation_id = @reservation`,
		pgx.StrictNamedArgs{"reservation": r.ID}).Scan(&first, &email, &hash)
	if err != nil {
		t.Fatal(err)
	}
	if first != "Malalai" {
		t.Errorf(`first = %q, want "Malalai"`, first)
	}
	if email != "Z@Example.com" {
		t.Errorf(`email = %q, want "Z@Example.com"`, email)
	}
	if len(hash) != 64 {
		t.Errorf("len(hash) = %v, want 64", len(hash))
	}
	reservationtest.ExpectEvents(t, db, r, "held") // guest details are not published
	stranger := call(r, "Zarghona", "z@example.com")
	stranger.Tenant = id.New[id.Tenant]()
	if _, err := name(t.Context(), stranger); !errors.Is(err, booking.ErrNotFound) {
		t.Errorf("another tenant: %v", err)
	}
	db.Advance(reservationtest.TTL)
	if _, err := name(t.Context(), call(r, "Zarghona", "z@example.com")); !errors.Is(err, booking.ErrHoldExpired) {
		t.Errorf("after the hold: %v", err)
	}
}

func TestSet_locale(t *testing.T) {
	t.Parallel()
	db, r, name := open(t)
	c := call(r, "Zarghona", "z@example.com")
	c.In.Locale = "ur"
	for range 2 {
		if out, err := name(t.Context(), c); err != nil || out.Locale != "ur" {
			t.Fatalf("answered %+v, %v", out, err)
		}
	}
	got := reservationtest.Now(t, db, r)
	if got.Locale != "ur" || got.Version != r.Version+1 {
		t.Errorf("locale %s, version %d; want ur, %d", got.Locale, got.Version, r.Version+1)
	}
	reservationtest.Confirm(t, db, got)
	var published string
	err := db.Owner(t).QueryRow(t.Context(), `SELECT payload -> 'primaryGuest' ->> 'locale' FROM reservation.outbox WHERE subject LIKE '%.confirmed.v1'`).Scan(&published)
	if err != nil || published != "ur" {
		t.Errorf("confirmed.v1 says %q, %v; want ur", published, err)
	}
}

func TestSet_specialRequests(t *testing.T) {
	t.Parallel()
	db, r, name := open(t)
	for _, step := range []struct{ text, want string }{
		{"", ""},
		{"A quiet room, call +93700123456", "{other} A quiet room, call [number]"},
		{"A cot", "{other} A cot"},
		{" ", ""},
	} {
		c := call(r, "Zarghona", "z@example.com")
		c.In.Requests = new(booking.Text(step.text))
		if _, err := name(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		var got string
		err := db.Owner(t).QueryRow(t.Context(), `SELECT coalesce(string_agg(tags::text || ' ' || free_text, ';'), '') FROM reservation.special_requests
			WHERE reservation_id = @reservation`, pgx.StrictNamedArgs{"reservation": r.ID}).Scan(&got)
		if err != nil || got != step.want {
			t.Errorf("%q: stored %q, %v; want %q", step.text, got, err, step.want)
		}
	}
}

// TestSet_keepsRequests corrects the name of a booked guest without special requests: the former ones stay, unless they are replaced.
func TestSet_keepsRequests(t *testing.T) {
	t.Parallel()
	db, r, set := open(t)
	c := call(r, "Zarghona", "z@example.com")
	c.In.Requests = new(booking.Text("A cot"))
	if _, err := set(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	reservationtest.Confirm(t, db, reservationtest.Now(t, db, r))
	for _, test := range []struct {
		name     string
		requests *booking.Text
		want     string
	}{
		{name: "absent", want: "A cot"},
		{name: "empty", requests: new(booking.Text(""))},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := call(r, "Malalai", "m@example.com")
			c.Actor, c.In.Requests = access.Actor{Type: access.Staff, ID: "usr_desk"}, test.requests
			if _, err := set(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if got := reservationtest.Now(t, db, r).RequestWithDetails(); got != test.want {
				t.Errorf("the request is %q, want %q", got, test.want)
			}
		})
	}
}

// The confirmation publishes the hashes. From then on, each change publishes the hashes before and after, and never a name.
func TestSet_profileUpdate(t *testing.T) {
	t.Parallel()
	db, r, set := open(t)
	if _, err := set(t.Context(), call(r, "Zarghona", "z@example.com")); err != nil {
		t.Fatal(err)
	}
	reservationtest.Confirm(t, db, reservationtest.Now(t, db, r))
	c := call(r, "Malalai", "m@example.com")
	c.Actor, c.In.Requests = access.Actor{Type: access.Staff, ID: "usr_desk"}, new(booking.Text("A cot"))
	if _, err := set(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	reservationtest.ExpectEvents(t, db, r, "held", "confirmed", "special_request.added", "modified")
	var payload string
	var before, after struct {
		Hashes struct{ Email, Phone string } `json:"contactHash"`
	}
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT payload::text, payload -> 'before', payload -> 'after' FROM reservation.outbox
		WHERE subject LIKE '%.modified.v1' AND payload ->> 'type' = 'guest_profile_update'`).Scan(&payload, &before, &after); err != nil {
		t.Fatal(err)
	}
	if before.Hashes.Email == after.Hashes.Email || before.Hashes.Email == "" {
		t.Errorf("hashes of the e-mail before and after: %q, %q; want two different ones", before.Hashes.Email, after.Hashes.Email)
	}
	if before.Hashes.Phone != after.Hashes.Phone {
		t.Errorf("hashes of the phone before and after: %q, %q; want the same", before.Hashes.Phone, after.Hashes.Phone)
	}
	var confirmed struct{ Email, Phone string }
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT payload #> '{primaryGuest,contactHash}' FROM reservation.outbox
		WHERE subject LIKE '%.confirmed.v1'`).Scan(&confirmed); err != nil {
		t.Fatal(err)
	}
	if confirmed != before.Hashes {
		t.Errorf("hashes of the confirmation: %v, want %v, those before the change", confirmed, before.Hashes)
	}
	if strings.Contains(payload, "Malalai") || strings.Contains(payload, "example.com") {
		t.Errorf("the event contains contact data: %s", payload)
	}
	if got := reservationtest.Now(t, db, r).Modified; len(got) != 1 || got[0].Type != booking.GuestProfileUpdate {
		t.Errorf("modifications = %v, want one guest_profile_update", got)
	}
}

func TestRequest_Validate(t *testing.T) {
	t.Parallel()
	good := Request{FirstName: "زرغونه", Email: "z@example.com", Phone: "+93700123456", Requests: new(booking.Text(strings.Repeat("x", stay.MaxDetailsLength)))}
	if err := good.Validate(); err != nil {
		t.Errorf("a guest of one name with long requests: %v", err)
	}
	for pointer, spoil := range map[string]func(*Request){
		"/firstName":       func(r *Request) { r.FirstName = " " },
		"/lastName":        func(r *Request) { r.LastName = "a\x00b" },
		"/email":           func(r *Request) { r.Email = "nobody" },
		"/phone":           func(r *Request) { r.Phone = "12" },
		"/specialRequests": func(r *Request) { r.Requests = new(booking.Text(strings.Repeat("x", stay.MaxDetailsLength+1))) },
	} {
		t.Run(pointer, func(t *testing.T) {
			bad := good
			spoil(&bad)
			f := fault.From(bad.Validate())
			if f == nil {
				t.Fatalf("f = nil")
			}
			if len(f.Violations) != 1 {
				t.Fatalf("len(f.Violations) = %v, want 1", len(f.Violations))
			}
			if f.Violations[0].Pointer != pointer {
				t.Errorf("f.Violations[0].Pointer = %v, want %v", f.Violations[0].Pointer, pointer)
			}
		})
	}
}

func TestSet_whole(t *testing.T) {
	t.Parallel()
	db, r, name := open(t)
	reservationtest.Confirm(t, db, r)
	c := call(r, "Zarghona", "z@example.com")
	c.Actor = access.Actor{Type: access.System, ID: "bff"}
	for range 2 { // a repetition of the act answers the same
		out, err := name(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if out.Guest != r.Guest {
			t.Errorf("guestId = %s, want %s", out.Guest, r.Guest)
		}
		if out.Reservation != r.ID {
			t.Errorf("reservationId = %s, want %s", out.Reservation, r.ID)
		}
		if out.View.Version != r.Version+1 {
			t.Errorf("version = %d, want %d", out.View.Version, r.Version+1)
		}
		if out.Person != nil {
			t.Errorf("a service sees the guest %v", out.Person)
		}
	}
	reservationtest.ExpectEvents(t, db, r, "held", "confirmed", "modified")
	c = call(r, "Malalai", "z@example.com")
	c.Actor, c.Properties = access.Actor{Type: access.Staff, ID: "usr_1"}, []id.Property{r.Property}
	out, err := name(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if out.Person == nil || out.Person.FirstName != "Malalai" {
		t.Errorf("staff see %v, want Malalai", out.Person)
	}
}

func TestSet_match(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	front := fntest.Open(t, salted(db.Env()), Function)
	body := map[string]any{"firstName": "Zarghona", "lastName": "", "email": "z@example.com", "phone": "+93700123456", "locale": "ur"}
	put := func(version int) fntest.Answer {
		return front.Send(http.MethodPut, "/api/v1/reservations/"+r.ID.String()+"/guest", body, "X-Tenant-Id", r.Tenant.String(),
			"Idempotency-Key", id.New[id.Request]().String(), "If-Match", `"`+strconv.Itoa(version)+`"`)
	}
	put(r.Version-1).WantProblem(t, http.StatusPreconditionFailed, "GENERAL.VERSION_CONFLICT")
	put(r.Version).Want(t, http.StatusOK, "ETag", `"`+strconv.Itoa(r.Version+1)+`"`, "Cache-Control", "no-store")
}

// TestSet_answersWhatIsStored answers staff the details in the form in which they are stored.
func TestSet_answersWhatIsStored(t *testing.T) {
	t.Parallel()
	db, r, set := open(t)
	c := call(r, "  Zarghona\u00a0 ", " z@example.com ")
	c.Actor = access.Actor{Type: access.Staff, ID: "usr_desk"}
	c.Scope.Properties = []id.Property{r.Property}
	out, err := set(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	want := guests.Person{FirstName: "Zarghona", LastName: "Ahmadzai", Email: "z@example.com", Phone: "+93 70 012 3456", Locale: "ps-AF"}
	if got := out.Person; got == nil || *got != want {
		t.Errorf("answered %+v, want %+v", got, want)
	}
	var stored guests.Person
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT first_name, last_name, email, phone, locale FROM reservation.guests`).
		Scan(&stored.FirstName, &stored.LastName, &stored.Email, &stored.Phone, &stored.Locale); err != nil {
		t.Fatal(err)
	}
	if stored != want {
		t.Errorf("stored %+v, want %+v", stored, want)
	}
}
