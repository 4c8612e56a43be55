package find

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestRequest_Validate(t *testing.T) {
	t.Parallel()
	property, date := fntest.Some(id.New[id.Property]()), fntest.Some(reservationtest.Ask(t, id.Property{}).Stay.Start)
	for _, test := range []struct {
		name string
		in   Request
		ok   bool
	}{
		{"by code", Request{Code: fntest.Some("GM-234679")}, true},
		{"arrivals", Request{Arrivals: property, Date: date}, true},
		{"in-house guests", Request{InHouse: property, Limit: fntest.Some(200)}, true},
		{"a name at a property", Request{Text: fntest.Some("Ahmadzai"), Property: property}, true},
		{"a name without a property", Request{Text: fntest.Some("Ahmadzai")}, false},
		{"a property without a name", Request{InHouse: property, Property: property}, false},
		{"one letter", Request{Text: fntest.Some("ز"), Property: property}, false},
		{"a long text", Request{Text: fntest.Some(strings.Repeat("x", 101)), Property: property}, false},
		{"a name and a code", Request{Text: fntest.Some("Ahmadzai"), Property: property, Code: fntest.Some("GM-234679")}, false},
		{"no criterion", Request{}, false},
		{"departures", Request{Departures: property, Date: date}, true},
		{"attention", Request{Attention: property}, true},
		{"departures without a day", Request{Departures: property}, true},
		{"arrivals and departures", Request{Arrivals: property, Departures: property, Date: date}, false},
		{"attention on a day", Request{Attention: property, Date: date}, false},
		{"code and in-house guests", Request{Code: fntest.Some("GM-234679"), InHouse: property}, false},
		{"arrivals without a day", Request{Arrivals: property}, true},
		{"code with a day", Request{Code: fntest.Some("GM-234679"), Date: date}, false},
		{"limit 200", Request{InHouse: property, Limit: fntest.Some(200)}, true},
		{"limit too large", Request{InHouse: property, Limit: fntest.Some(201)}, false},
		{"limit 0", Request{InHouse: property, Limit: fntest.Some(0)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.in.Validate(); (err == nil) != test.ok {
				t.Errorf("error = %v, want nil: %t", err, test.ok)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenant, property := id.New[id.Tenant](), id.New[id.Property]()
	var all []*booking.Reservation
	for range 5 {
		all = append(all, reservationtest.Held(t, e, tenant, property))
	}
	for _, r := range all[1:] {
		reservationtest.Confirm(t, db, r)
	}
	reservationtest.Confirm(t, db, reservationtest.Held(t, e, tenant, id.New[id.Property]()))
	reservationtest.Confirm(t, db, reservationtest.Held(t, e, id.New[id.Tenant](), property))
	set(t, db, all[4], "state = 'checked_in'")
	date := fntest.Some(all[0].Stay.Start)
	for _, test := range []struct {
		name string
		in   Request
		want []*booking.Reservation
	}{
		{"by code", Request{Code: fntest.Some(all[0].Code)}, all[:1]},
		{"by code in small letters", Request{Code: fntest.Some(strings.ToLower(all[0].Code))}, all[:1]},
		{"by an unknown code", Request{Code: fntest.Some("GM-AAAAAA")}, nil},
		{"arrivals", Request{Arrivals: fntest.Some(property), Date: date}, all[1:4]},
		{"arrivals, page by page", Request{Arrivals: fntest.Some(property), Date: date, Limit: fntest.Some(2)}, all[1:4]},
		{"arrivals, in pages of their number", Request{Arrivals: fntest.Some(property), Date: date, Limit: fntest.Some(3)}, all[1:4]},
		{"arrivals of the day before", Request{Arrivals: fntest.Some(property), Date: fntest.Some(all[0].Stay.End)}, all[1:4]},
		{"arrivals before the first day", Request{Arrivals: fntest.Some(property), Date: fntest.Some(all[0].Stay.Start.AddDays(-1))}, nil},
		{"departures", Request{Departures: fntest.Some(property), Date: fntest.Some(all[0].Stay.End)}, all[4:]},
		{"overdue departures", Request{Departures: fntest.Some(property), Date: fntest.Some(all[0].Stay.End.AddDays(1))}, all[4:]},
		{"departures before the last day", Request{Departures: fntest.Some(property), Date: fntest.Some(all[0].Stay.End.AddDays(-1))}, nil},
		{"in-house guests", Request{InHouse: fntest.Some(property)}, all[4:]},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []id.Reservation
			for _, r := range test.want {
				want = append(want, r.ID)
			}
			slices.SortFunc(want, func(a, b id.Reservation) int { return slices.Compare(a[:], b[:]) })
			if got := pages(t, db, tenant, test.in); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// What a guest says at the desk finds the reservations of that property, for staff only.
func TestFind_text(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, Function)
	later := d.Another(3)
	named := func(r *booking.Reservation, first, last, phone string) {
		t.Helper()
		if _, err := d.DB.Owner(t).Exec(t.Context(), `
			INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email, phone, locale, email_hash, phone_hash)
			VALUES ($1, $2, $3, $4, $5, '', $6, 'fa-AF', '', '')`, r.ID, r.Tenant, r.Guest, first, last, phone); err != nil {
			t.Fatal(err)
		}
	}
	named(d.R, "Zarghona", "Ahmadzai", "+93 700 123456")
	named(later, "احمد", "Ahmadi علي", "+۹۲ (0)301 ۵۵۵۵۵۵۵")
	named(reservationtest.Held(t, d.DB.Env(), d.R.Tenant, d.R.Property), "Zarghona", "Held", "+93700123456")
	elsewhere := reservationtest.Held(t, d.DB.Env(), d.R.Tenant, id.New[id.Property]())
	reservationtest.Confirm(t, d.DB, elsewhere)
	named(elsewhere, "Zarghona", "Ahmadzai", "+93700123456")
	if _, err := d.DB.Owner(t).Exec(t.Context(), `INSERT INTO reservation.room_nights (tenant_id, room_id, night, reservation_id, item_id) VALUES ($1, $2, $3, $4, $5)`,
		d.R.Tenant, d.Rooms[0].ID, d.R.Stay.Start, d.R.ID, d.R.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	ask := func(as *fntest.Front, text string) fntest.Answer {
		query := url.Values{"propertyId": {d.R.Property.String()}, "q": {text}}
		return as.Send(http.MethodGet, "/api/v1/reservations?"+query.Encode(), nil, "X-Tenant-Id", d.R.Tenant.String())
	}
	desk := d.Staff("usr_desk", "front_desk")
	for _, test := range []struct {
		name, text string
		want       []*booking.Reservation
	}{
		{"code", strings.ToLower(d.R.Code), []*booking.Reservation{d.R}},
		{"code elsewhere", elsewhere.Code, nil},
		{"last name", "AHMADZAI", []*booking.Reservation{d.R}},
		{"part of two names", "ahmad", []*booking.Reservation{d.R, later}},
		{"names in the other order", "Ahmadzai Zarghona", []*booking.Reservation{d.R}},
		{"name in another script", "احمد", []*booking.Reservation{later}},
		{"one name of another guest", "Zarghona Ahmadi", nil},
		{"a pattern", "%%", nil},
		{"telephone", "+93700123456", []*booking.Reservation{d.R}},
		{"telephone without the code of the country", "0700 123-456", []*booking.Reservation{d.R}},
		{"a few digits", "3456", nil},
		{"Eastern digits", "۰۷۰۰۱۲۳۴۵۶", []*booking.Reservation{d.R}},
		{"stored Eastern digits", "0301 5555555", []*booking.Reservation{later}},
		{"the zero of a business card", "+92 (0)301 5555555", []*booking.Reservation{later}},
		{"Persian letter for an Arabic one", "علی", []*booking.Reservation{later}},
		{"Arabic letter", "علي", []*booking.Reservation{later}},
		{"room in Eastern digits", "۱۰۱", []*booking.Reservation{d.R}},
		{"room", "101", []*booking.Reservation{d.R}},
		{"empty room", "102", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out Response
			a := ask(desk, test.text)
			a.Want(t, http.StatusOK, "Cache-Control", "no-store")
			a.Into(t, &out)
			var got, want []string
			for _, r := range out.Reservations {
				got = append(got, r.Code)
			}
			for _, r := range test.want {
				want = append(want, r.Code)
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("%q finds %v, want %v", test.text, got, want)
			}
		})
	}
	ask(d.Front, "Ahmadzai").WantProblem(t, http.StatusForbidden, "GENERAL.FORBIDDEN")
	ask(d.StaffOf(id.New[id.Property](), "usr_other", "front_desk"), "Ahmadzai").WantText(t, `"reservations":[]`)
}

// set sets columns of a confirmed reservation until the test ends, without the events of its new state.
func set(t *testing.T, db *pgtest.Database, r *booking.Reservation, columns string) {
	t.Helper()
	ctx, owner := context.WithoutCancel(t.Context()), db.Owner(t)
	update := func(columns string) {
		if _, err := owner.Exec(ctx, "UPDATE reservation.reservations SET "+columns+" WHERE reservation_id = $1", r.ID); err != nil {
			t.Fatalf("%s: %v", columns, err)
		}
	}
	t.Cleanup(func() { update("state = 'confirmed'") })
	update(columns)
}

// attentionCase is the state of a reservation for TestFind_attention: the SQL that sets it and the concern that follows.
type attentionCase struct {
	name string
	set  string
	want booking.Concern
}

func TestFind_attention(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, property := id.New[id.Tenant](), id.New[id.Property]()
	checkIn := `check_in = '{"startedAt":"2026-01-01T00:00:00Z","actor":{"type":"staff","id":"usr_1"},"earlyCheckIn":false,"requiresManualKey":%v}'`
	inHouse := func(manual string) string {
		return "state = 'checked_in', " + strings.Replace(checkIn, "%v", manual, 1)
	}
	today := ", stay_start = (platform.now() AT TIME ZONE 'Asia/Kabul')::date - 2, stay_end = (platform.now() AT TIME ZONE 'Asia/Kabul')::date"
	const unsettled, settled = `, check_out = '{"startedAt":"2026-01-01T00:00:00Z","checkedOutAt":"2026-01-01T00:00:00Z","overstayedNights":0,"forced":true,"folio":{"folioId":"f","finalBalanceMicro":"0","currency":"USD","settled":false}}'`,
		`, check_out = '{"startedAt":"2026-01-01T00:00:00Z","overstayedNights":0,"folio":{"folioId":"f","finalBalanceMicro":"0","currency":"USD","settled":true}}'`
	var want []booking.Attention
	for _, a := range []attentionCase{
		{"nothing", inHouse("false"), ""},
		{"keys not answered", inHouse("false") + ", pending_step = 'await_keys', step_since = platform.now() - interval '61 s', step_attempts = 1", booking.ConcernStuck},
		{"keys just asked", inHouse("false") + ", pending_step = 'await_keys', step_since = platform.now() - interval '30 s', step_attempts = 1", ""},
		{"a key by hand", inHouse("true"), booking.ConcernKey},
		{"unpaid, leaves today", inHouse("false") + today, booking.ConcernBalance},
		{"unpaid, has left", "state = 'checked_out'" + today + unsettled, booking.ConcernBalance},
		{"settled at the desk", "state = 'checked_out'" + today + settled, ""},
		{"a room out of order", inHouse("false"), booking.ConcernRoom},
	} {
		r := reservationtest.Held(t, db.Env(), tenant, property)
		reservationtest.Confirm(t, db, r)
		set(t, db, r, a.set)
		if a.want == booking.ConcernRoom {
			takeOut(t, db, r)
		}
		if a.want != "" {
			want = append(want, booking.Attention{Reservation: r.ID, Reason: a.want})
		}
	}
	slices.SortFunc(want, func(a, b booking.Attention) int { return slices.Compare(a.Reservation[:], b.Reservation[:]) })
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []booking.Attention
		for _, page := range responses(t, db, tenant, Request{Attention: fntest.Some(property), Limit: fntest.Some(limit)}) {
			if len(page.Attention) > limit {
				t.Errorf("a page of %d entries, want at most %d", len(page.Attention), limit)
			}
			for i, a := range page.Attention {
				if a.Since.IsZero() {
					t.Errorf("%s has no time", a.Reason)
				}
				if page.Reservations[i].Reservation != a.Reservation {
					t.Errorf("entry %d is about %s, want %s", i, a.Reservation, page.Reservations[i].Reservation)
				}
				got = append(got, booking.Attention{Reservation: a.Reservation, Reason: a.Reason})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pages of %d: got %v, want %v", limit, got, want)
		}
	}
	if got := responses(t, db, tenant, Request{Attention: fntest.Some(id.New[id.Property]())})[0]; got.Attention == nil || len(got.Reservations) > 0 {
		t.Errorf("another property: %v, want an empty list", got)
	}
}

// takeOut assigns a room that is out of order in every night of the stay.
func takeOut(t *testing.T, db *pgtest.Database, r *booking.Reservation) {
	t.Helper()
	room := id.New[id.Room]()
	if _, err := db.Owner(t).Exec(t.Context(), `
		WITH nights AS (
			INSERT INTO reservation.room_nights (tenant_id, room_id, night, reservation_id, item_id)
			VALUES ($1, $2, $3, $4, $5), ($1, $2, $3::date + 1, $4, $5))
		INSERT INTO reservation.rooms_out_of_order (tenant_id, property_id, room_id, from_date, until_date, since)
		VALUES ($1, $6, $2, $3, $3::date + 2, platform.now())`, r.Tenant, room, r.Stay.Start, r.ID, r.Items[0].ID, r.Property); err != nil {
		t.Fatal(err)
	}
}

// responses returns all pages.
func responses(t *testing.T, db *pgtest.Database, tenant id.Tenant, in Request) (all []Response) {
	t.Helper()
	serve, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	for {
		out, err := serve(t.Context(), reservation.Call[Request]{
			Call:      fn.Call[Request]{In: in},
			Principal: access.Principal{Scope: access.Scope{Tenant: tenant}},
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out)
		if out.NextCursor == nil {
			return all
		}
		in.Cursor = fntest.Some(*out.NextCursor)
	}
}

// pages returns the reservations of all pages.
func pages(t *testing.T, db *pgtest.Database, tenant id.Tenant, in Request) (found []id.Reservation) {
	t.Helper()
	for _, page := range responses(t, db, tenant, in) {
		for _, r := range page.Reservations {
			found = append(found, r.Reservation)
		}
	}
	return found
}
