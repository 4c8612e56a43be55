package addspecialrequest

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A desk is the function with a confirmed reservation, called by a service or by staff of its property.
type desk struct {
	db             *pgtest.Database
	r              *booking.Reservation
	service, staff *fntest.Front
}

func open(t *testing.T) desk {
	t.Helper()
	db := pgtest.New(t)
	service := fntest.Open(t, db.Env(), Function)
	r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	reservationtest.Confirm(t, db, r)
	token, err := service.Issuer().Staff(identity.Audience("reservation"), "usr_desk", r.Tenant, []id.Property{r.Property}, "front_desk")
	if err != nil {
		t.Fatal(err)
	}
	return desk{db: db, r: r, service: service, staff: service.As(token)}
}

func (d desk) add(as *fntest.Front, key string, body any, headers ...string) fntest.Answer {
	return as.Send(http.MethodPost, "/api/v1/reservations/"+d.r.ID.String()+"/special-requests", body,
		append([]string{"X-Tenant-Id", d.r.Tenant.String(), "Idempotency-Key", key}, headers...)...)
}

func cots() map[string]any {
	return map[string]any{"tags": []string{"cot"}, "freeText": "Two cots. Call +93 70 012 3456 or z@example.com", "locale": "en", "source": "staff"}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	d := open(t)
	a := d.add(d.staff, "first", cots())
	a.Want(t, http.StatusCreated, "ETag", `"`+strconv.Itoa(d.r.Version+1)+`"`, "Cache-Control", "no-store")
	var out booking.View
	a.Into(t, &out)
	if len(out.Requests) != 1 {
		t.Fatalf("got %d special requests, want 1: %s", len(out.Requests), a.Body)
	}
	if got, want := out.Requests[0].FreeText, booking.Text("Two cots. Call [number] or [email]"); got != want {
		t.Errorf("free text = %q, want %q", got, want)
	}
	if got, want := out.Requests[0].AddedBy, (access.Actor{Type: access.Staff, ID: "usr_desk"}); got != want {
		t.Errorf("actor = %v, want %v", got, want)
	}
	d.add(d.service, "second", map[string]any{"tags": []string{"allergy"}, "locale": "fa-AF", "source": "ai_parser",
		"aiProvenance": map[string]any{"model": "wishes", "version": "4", "confidence": 0.8}}).Want(t, http.StatusCreated)
	reservationtest.ExpectEvents(t, d.db, d.r, "held", "confirmed", "special_request.added", "special_request.added")
}

func TestAdd_servicesSeeNoRequests(t *testing.T) {
	t.Parallel()
	d := open(t)
	a := d.add(d.service, "first", cots())
	a.Want(t, http.StatusCreated)
	var out booking.View
	a.Into(t, &out)
	if out.Requests != nil {
		t.Errorf("a service sees %v", out.Requests)
	}
}

func TestAdd_rejected(t *testing.T) {
	t.Parallel()
	d := open(t)
	stranger, err := d.service.Issuer().Staff(identity.Audience("reservation"), "usr_other", d.r.Tenant, []id.Property{id.New[id.Property]()}, "front_desk")
	if err != nil {
		t.Fatal(err)
	}
	unknownTag := cots()
	unknownTag["tags"] = []string{"minibar"}
	longText, longest := cots(), cots()
	longText["freeText"] = strings.Repeat("ښ", stay.MaxRequestLength+1)
	longest["freeText"] = strings.Repeat("ښ", stay.MaxRequestLength)
	for _, test := range []struct {
		name    string
		as      *fntest.Front
		body    map[string]any
		headers []string
		status  int
		code    string
	}{
		{name: "long_text", as: d.staff, body: longText, status: http.StatusBadRequest, code: "GENERAL.VALIDATION_FAILED"},
		{name: "staff_of_another_property", as: d.service.As(stranger), body: cots(), status: http.StatusNotFound, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "unknown_tag", as: d.staff, body: unknownTag, status: http.StatusBadRequest, code: "GENERAL.VALIDATION_FAILED"},
		{name: "other_version", as: d.staff, body: cots(), headers: []string{"If-Match", `"1"`}, status: http.StatusPreconditionFailed, code: "GENERAL.VERSION_CONFLICT"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.add(test.as, test.name, test.body, test.headers...).WantProblem(t, test.status, test.code)
		})
	}
	reservationtest.ExpectEvents(t, d.db, d.r, "held", "confirmed")
	d.add(d.staff, "this_version", longest, "If-Match", `"`+strconv.Itoa(d.r.Version)+`"`).Want(t, http.StatusCreated)
}

// TestAdd_crashBeforeAnswer repeats a request whose first attempt was stored, but not answered: the idempotency row is open.
func TestAdd_crashBeforeAnswer(t *testing.T) {
	t.Parallel()
	d := open(t)
	const body = `{"tags":["cot"],"locale":"en","source":"staff"}` // the same bytes each time, unlike those of a map
	d.add(d.staff, "first", body).Want(t, http.StatusCreated)
	_, err := d.db.Owner(t).Exec(t.Context(), `
		UPDATE reservation.idempotency SET status_code = NULL, headers = NULL, response = NULL, locked_until = clock_timestamp() - interval '1 s'`)
	if err != nil {
		t.Fatal(err)
	}
	d.add(d.staff, "first", body).Want(t, http.StatusCreated, "ETag", `"`+strconv.Itoa(d.r.Version+1)+`"`)
	reservationtest.ExpectEvents(t, d.db, d.r, "held", "confirmed", "special_request.added")
}

func TestAdd_concurrent(t *testing.T) {
	t.Parallel()
	d := open(t)
	const callers, limit = 30, 20
	var added, refused atomic.Int64
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			switch a := d.add(d.staff, strconv.Itoa(i), cots()); {
			case a.Status == http.StatusCreated:
				added.Add(1)
			case a.Code() == "RESERVATION.REQUEST_LIMIT":
				refused.Add(1)
			default:
				t.Errorf("got status %d: %s", a.Status, a.Body)
			}
		})
	}
	all.Wait()
	if got := added.Load(); got != limit {
		t.Errorf("%d special requests were added, want %d", got, limit)
	}
	if got := refused.Load(); got != callers-limit {
		t.Errorf("%d were refused, want %d", got, callers-limit)
	}
	var stored int
	err := d.db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM reservation.special_requests WHERE reservation_id = @reservation`,
		pgx.StrictNamedArgs{"reservation": d.r.ID}).Scan(&stored)
	if err != nil {
		t.Fatal(err)
	}
	if stored != limit {
		t.Errorf("%d special requests are stored, want %d", stored, limit)
	}
}
