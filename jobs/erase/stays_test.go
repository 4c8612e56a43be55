package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A house has reservations of one tenant whose guests have the same address.
type house struct {
	t      *testing.T
	db     *pgtest.Database
	owner  *pgx.Conn
	tenant id.Tenant
}

func openHouse(t *testing.T) house {
	t.Helper()
	h := house{t: t, db: pgtest.New(t), tenant: id.New[id.Tenant]()}
	h.owner = h.db.Owner(t)
	t.Cleanup(func() { // the invariants know no cancellation without its event
		if _, err := h.owner.Exec(context.Background(), `TRUNCATE reservation.reservations, reservation.quotes, reservation.outbox, bff_tenant_booking.booking_drafts,
			bff_tenant_booking.booking_draft_snapshots, bff_tenant_booking.outbox CASCADE`); err != nil {
			t.Error(err)
		}
	})
	return h
}

var hash = strings.Repeat("a1", 32)

// stay inserts a cancelled reservation with everything that names or marks its guest.
func (h house) stay() id.Reservation {
	h.t.Helper()
	r := reservationtest.Held(h.t, h.db.Env(), h.tenant, id.New[id.Property]())
	session, draft := id.New[id.TenantSession](), id.New[id.Draft]()
	args := pgx.StrictNamedArgs{"r": r.ID, "t": h.tenant, "hash": hash, "session": session, "draft": draft, "name": r.ID.String(), "draftName": draft.String(),
		"sessionName": session.String(), "key": h.tenant.String() + ":" + r.ID.String(), "draftKey": h.tenant.String() + ":" + draft.String()}
	for _, statement := range []string{
		`INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email, phone, locale, email_hash, phone_hash)
			VALUES (@r, @t, @r, 'Zarghona', 'Amiri', 'zarghona@example.com', '+93701234567', 'fa-AF', @hash, @hash)`,
		`INSERT INTO reservation.special_requests (special_request_id, tenant_id, reservation_id, tags, free_text, locale)
			VALUES (@r, @t, @r, '{cot}', 'for my son Zarghona', 'fa-AF')`,
		`INSERT INTO reservation.modifications (modification_id, tenant_id, reservation_id, version, type, before, after, policy_applied_ref, actor, occurred_at)
			VALUES (@r, @t, @r, 2, 'guest_profile_update', '{}', jsonb_build_object('zarghona', @hash::text), '', '{}', platform.now())`,
		`UPDATE reservation.reservations SET state = 'cancelled', cancellation = '{}', pending_step = '', step_since = NULL, session_id = @session WHERE reservation_id = @r`,
		`UPDATE reservation.outbox SET published_at = platform.now() WHERE ordering_key = @key`,
		`INSERT INTO bff_tenant_booking.booking_drafts (draft_id, tenant_id, session_id, state, version, reservation_id, body, created_at, active_at, expires_at, ended_at)
			VALUES (@draft, @t, @session, 'abandoned', 2, @r, '{}', platform.now(), platform.now(), platform.now(), platform.now())`,
		`INSERT INTO bff_tenant_booking.booking_draft_snapshots (draft_id, tenant_id, session_id, reservation_id, final_state, created_at, guest_email_hash)
			VALUES (@draftName, @t, @sessionName, @name, 'abandoned', platform.now(), 'sha256:' || @hash)`,
		`INSERT INTO bff_tenant_booking.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, published_at)
			VALUES (@draft, @draftName, @t, 's', @draftKey, jsonb_build_object('zarghona', @hash::text), '{}', platform.now(), platform.now())`,
	} {
		h.exec(statement, args)
	}
	e := h.env()
	defer func() { _ = e.Close(context.WithoutCancel(h.t.Context())) }() // the document is committed
	docs := document.Open[any](e, "tnt-session")
	if _, err := docs.Put(h.t.Context(), document.KeyOf(session.String()), "Zarghona", 1, e.Now().Add(time.Hour)); err != nil {
		h.t.Fatal(err)
	}
	return r.ID
}

// exec runs a statement with those of the arguments that it names.
func (h house) exec(statement string, args pgx.StrictNamedArgs) {
	h.t.Helper()
	if _, err := h.owner.Exec(h.t.Context(), statement, pgx.NamedArgs(args)); err != nil {
		h.t.Fatalf("%v in %s", err, statement)
	}
}

// env returns the environment of one run.
func (h house) env() env.Env {
	e := env.Of(map[string]string{"DATABASE_URL": h.db.URL()})
	e.Advance(h.db.Env().Offset())
	return document.StoreKey.With(e, documents.Open(e))
}

// marks counts the rows that name or mark a guest.
func (h house) marks() (n int) {
	h.t.Helper()
	for table, text := range consumertest.Texts(h.t, h.db) { // a document is in it twice: as the row, and unpacked
		for line := range strings.Lines(text) {
			if strings.Contains(strings.ToLower(line), "zarghona") || strings.Contains(line, hash) || strings.Contains(line, "tnt-session") {
				h.t.Logf("%s has %s", table, line)
				n++
			}
		}
	}
	return n
}

func (h house) completed() (n int) {
	h.t.Helper()
	if err := h.owner.QueryRow(h.t.Context(), `SELECT count(*) FROM reservation.erasures WHERE completed_at IS NOT NULL AND jsonb_array_length(retained) = 3`).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

func (h house) arguments(r id.Reservation, more ...string) []string {
	return slices.Concat([]string{"-tenant=" + h.tenant.String(), "-reservation=" + r.String()}, more)
}

var really = []string{"-go", "-by=K. Amiri", "-why=the guest asked for it"}

const marksOfOne = 7 // guest, request, modification, snapshot, event, document and its row

func TestErase_reservation(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	erased := h.stay()
	h.stay()
	if n := h.marks(); n != 2*marksOfOne {
		t.Fatalf("%d rows mark two guests, want %d", n, 2*marksOfOne)
	}
	before := consumertest.Texts(t, h.db)
	output := must(t, h.env(), h.arguments(erased)...)
	for _, want := range []string{"would erase the guest", "reservation.guests: would delete 1", "bff_tenant_booking.booking_draft_snapshots: would delete 1"} {
		if !strings.Contains(output, want) {
			t.Errorf("output = %q, want %q", output, want)
		}
	}
	if diff := cmp.Diff(before, consumertest.Texts(t, h.db)); diff != "" {
		t.Errorf("the dry run changed the database: %s", diff)
	}
	output = must(t, h.env(), h.arguments(erased, really...)...)
	if want := erased.String() + `: erased by "K. Amiri", because "the guest asked for it"` + "\n"; output != want {
		t.Errorf("output = %q, want %q", output, want)
	}
	if n := h.marks(); n != marksOfOne {
		t.Errorf("%d rows mark guests, want those of the other guest: %d", n, marksOfOne)
	}
	deleted := map[string]int{}
	if err := h.owner.QueryRow(t.Context(), `SELECT deleted FROM reservation.erasures`).Scan(&deleted); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"documents": 1, "reservation.guests": 1, "reservation.special_requests": 1, "reservation.modifications": 1, "reservation.outbox": 1,
		"bff_tenant_booking.booking_drafts": 1, "bff_tenant_booking.booking_draft_snapshots": 1, "bff_tenant_booking.confirmation_views": 0,
		"bff_tenant_booking.outbox": 1, "bff_tenant_booking.idempotency": 0}
	if diff := cmp.Diff(want, deleted); diff != "" {
		t.Errorf("the receipt differs: %s", diff)
	}
	if output := must(t, h.env(), h.arguments(erased, really...)...); output != erased.String()+": the guest was erased before\n" {
		t.Errorf("the second run printed %q", output)
	}
}

func TestErase_emailHash(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	h.stay()
	h.stay()
	other := h
	other.tenant = id.New[id.Tenant]()
	other.stay()
	must(t, h.env(), append([]string{"-tenant=" + h.tenant.String(), "-email-hash=" + hash}, really...)...)
	if n, done := h.marks(), h.completed(); n != marksOfOne || done != 2 {
		t.Errorf("%d rows mark guests, %d receipts, want %d of the other tenant and 2", n, done, marksOfOne)
	}
}

// TestErase_notYet wants a guest to keep the name while the hotel or a service needs it.
func TestErase_notYet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ change, want string }{
		"before_the_stay": {`UPDATE reservation.reservations SET state = 'held', cancellation = NULL`, "the reservation is held"},
		"saga":            {`UPDATE reservation.reservations SET step_since = platform.now()`, "waits for a saga step"},
		"unpublished":     {`UPDATE reservation.outbox SET published_at = NULL`, "1 events are not published"},
		"open_draft":      {`UPDATE bff_tenant_booking.booking_drafts SET state = 'paying', ended_at = NULL`, "is open: the sweep ends it"},
		"folio": {`UPDATE reservation.reservations SET state = 'checked_out', cancellation = NULL, check_out = '{"folio": {"settled": false}}',
			payment_status = 'pending_cash', payment_intent_id = reservation_id`, "the folio is not settled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			r := h.stay()
			h.exec(test.change, nil)
			code, output := call(t.Context(), h.env(), h.arguments(r, really...)...)
			if code != 1 || !strings.Contains(output, test.want) {
				t.Errorf("exit code %d, output %q, want 1 and %q", code, output, test.want)
			}
			if n := h.marks(); n != marksOfOne {
				t.Errorf("%d rows mark the guest, want %d", n, marksOfOne)
			}
		})
	}
}

// TestErase_killedReservation kills a run after each step. The daily run completes the erasure.
func TestErase_killedReservation(t *testing.T) {
	t.Parallel()
	for steps := range 5 {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			r := h.stay()
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			e, done := h.env(), 0
			o := options{out: &strings.Builder{}, tenant: h.tenant, reservation: r, do: true, by: "K. Amiri", why: "asked", stepped: func() {
				if done++; done == steps {
					kill()
				}
			}}
			if steps == 0 {
				kill()
			}
			err := eraseStays(ctx, e, o)
			if err == nil && steps < 5 {
				t.Fatal("the run was not interrupted")
			}
			if steps == 0 { // nothing was recorded
				must(t, h.env(), h.arguments(r, really...)...)
			}
			must(t, h.env())
			if n, receipts := h.marks(), h.completed(); n != 0 || receipts != 1 {
				t.Errorf("%d rows mark the guest, %d receipts, want 0 and 1", n, receipts)
			}
		})
	}
}

// TestErase_reservationConcurrently runs the erasure four times at once.
func TestErase_reservationConcurrently(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	r := h.stay()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if code, output := call(t.Context(), h.env(), h.arguments(r, really...)...); code != 0 {
				t.Errorf("exit code %d: %s", code, output)
			}
		})
	}
	all.Wait()
	if n, receipts := h.marks(), h.completed(); n != 0 || receipts != 1 {
		t.Errorf("%d rows mark the guest, %d receipts, want 0 and 1", n, receipts)
	}
}

func TestErase_session(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	v := m.Traveller()
	use(m, v)
	must(t, jobEnv(m), "-session="+v.Session.String())
	if n := openRequests(t, m); n != 0 {
		t.Errorf("the dry run left %d requests", n)
	}
	must(t, jobEnv(m), append([]string{"-session=" + v.Session.String()}, really...)...)
	must(t, jobEnv(m), append([]string{"-session=" + v.Session.String()}, really...)...)
	if n := openRequests(t, m); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestErase_arguments(t *testing.T) {
	t.Parallel()
	tenant, r := "-tenant="+id.New[id.Tenant]().String(), "-reservation="+id.New[id.Reservation]().String()
	for _, args := range [][]string{
		{tenant}, {r}, {tenant, r, "-email-hash=" + hash}, {tenant, "-email-hash=x"}, {tenant, r, "-go"}, {tenant, r, "-go", "-by=a"},
		{"-go", "-by=a", "-why=b"}, {tenant, "-session=" + id.New[id.GuestSession]().String()}, {"-session=x"}, {tenant, r, "-go", "-by=a", "-why=b", "-dry-run"},
	} {
		if code, output := call(t.Context(), env.Of(nil), args...); code != 2 {
			t.Errorf("%q: exit code %d, want 2: %s", args, code, output)
		}
	}
}
