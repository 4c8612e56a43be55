package erase

import (
	"context"
	"errors"
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
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A stayFixture has reservations of one tenant whose guests have the same address.
type stayFixture struct {
	t      *testing.T
	db     *pgtest.Database
	owner  *pgx.Conn
	tenant id.Tenant
}

func openStayFixture(t *testing.T) stayFixture {
	t.Helper()
	h := stayFixture{t: t, db: pgtest.New(t), tenant: id.New[id.Tenant]()}
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
func (h stayFixture) stay() id.Reservation {
	h.t.Helper()
	r := reservationtest.Held(h.t, h.db.Env(), h.tenant, id.New[id.Property]())
	session, draft := id.New[id.TenantSession](), id.New[id.Draft]()
	args := pgx.StrictNamedArgs{"r": r.ID, "t": h.tenant, "hash": hash, "session": session, "draft": draft, "name": r.ID.String(), "draftName": draft.String(),
		"sessionName": session.String(), "key": h.tenant.String() + ":" + r.ID.String(), "draftKey": h.tenant.String() + ":" + draft.String()}
	for _, statement := range []string{
		`INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email, phone, locale, email_hash, phone_hash)
			VALUES (@r, @t, @r, 'Zarghona', 'Amiri', 'zarghona@example.com', '+93701234567', 'fa-AF', @hash, @hash)`,
		`INSERT INTO reservation.special_requests (special_request_id, tenant_id, reservation_id, tags, free_text, locale, added_by)
			VALUES (@r, @t, @r, '{cot}', 'for my son Zarghona', 'fa-AF', '{}')`,
		`INSERT INTO reservation.modifications (modification_id, tenant_id, reservation_id, version, type, before, after, policy_applied_ref, actor, occurred_at)
			VALUES (@r, @t, @r, 2, 'guest_profile_update', '{}', jsonb_build_object('zarghona', @hash::text), '', '{}', platform.now())`,
		`UPDATE reservation.reservations SET state = 'cancelled', cancellation = '{}', pending_step = '', step_since = NULL, session_id = @session WHERE reservation_id = @r`,
		`UPDATE reservation.outbox SET published_at = platform.now() WHERE ordering_key = @key`,
		`INSERT INTO bff_tenant_booking.booking_drafts (draft_id, tenant_id, session_id, state, version, reservation_id, body, created_at, active_at, expires_at, ended_at)
			VALUES (@draft, @t, @session, 'abandoned', 2, @r, '{}', platform.now(), platform.now(), platform.now(), platform.now())`,
		`INSERT INTO bff_tenant_booking.booking_draft_snapshots (draft_id, tenant_id, session_id, reservation_id, final_state, created_at, guest_email_hash)
			VALUES (@draftName, @t, @sessionName, @name, 'abandoned', platform.now(), 'sha256:' || @hash)`,
		`INSERT INTO bff_tenant_booking.booking_owners (tenant_id, reservation_id, session_id, draft_id, stay_end) VALUES (@t, @r, @session, @draft, platform.now())`,
		`INSERT INTO bff_tenant_booking.handoff_arrival_log (id, handoff_id, tenant_id, session_id, consumer_session_id, property_id, received_at, expires_at, consumed,
				consumed_at, payload, hmac_signature_fingerprint, signing_key_id, remote_ip_hash, user_agent_class)
			VALUES ('bha_' || substr(@name, 5), @r, @t, @session, 'gms', 'ppt', platform.now() - interval '1 hour', platform.now() - interval '1 minute', true,
				platform.now(), '{}', 'sha256:' || @hash, 'k1', '', 'other')`,
		`INSERT INTO bff_tenant_booking.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, published_at)
			VALUES (@draft, @draftName, @t, 's', @draftKey, jsonb_build_object('zarghona', @hash::text), '{}', platform.now(), platform.now())`,
	} {
		h.exec(statement, args)
	}
	e := h.env()
	defer func() { _ = e.Close(context.WithoutCancel(h.t.Context())) }() // the document is committed
	docs := document.Open[any](e, "tnt-session")
	check.Got(docs.Put(h.t.Context(), document.KeyOf(session.String()), "Zarghona", 1, e.Now().Add(time.Hour))).Must(h.t)
	publishDeadLetters(h.t, e, r.ID.String(), draft.String(), session.String())
	return r.ID
}

// exec runs a statement with those of the arguments that it names.
func (h stayFixture) exec(statement string, args pgx.StrictNamedArgs) {
	h.t.Helper()
	check.Got(h.owner.Exec(h.t.Context(), statement, pgx.NamedArgs(args))).Must(h.t, "in %s", statement)
}

// env returns the environment of one run.
func (h stayFixture) env() env.Env {
	e := env.Of(map[string]string{"DATABASE_URL": h.db.URL(), "DOCUMENT_TIMEOUT": "5s"}) // a busy machine is slow
	e.Advance(h.db.Env().Offset())
	return withDeadLetters(document.StoreKey.With(e, documents.Open(e)))
}

// dead is the subscription of the tests' dead letters.
var dead = topic.Subscription{Name: "orders-clicked", Topic: "clicked", Endpoint: "http://localhost", DeadLetter: "clicked.dlq", Attempts: 5}

// withDeadLetters adds the bus on PostgreSQL and its dead letters.
func withDeadLetters(e env.Env) env.Env {
	b := bus.Open(e, postgres.Open(e, "bus"))
	return topic.PullerKey.With(topic.PublisherKey.With(e, b), b).With("DEAD_LETTERS", replay.Listeners([]topic.Subscription{dead}))
}

// publishDeadLetters publishes dead letters that name the ids.
func publishDeadLetters(t *testing.T, e env.Env, names ...string) {
	t.Helper()
	b := bus.Open(e, postgres.Open(e, "bus"))
	check.Must(t, b.Subscribe(t.Context(), []topic.Subscription{dead}))
	for _, name := range names {
		message := topic.Message{Topic: dead.DeadLetter, Data: []byte(`{"payload":{"id":"` + name + `"}}`)}
		if name == names[0] { // only the attribute names it
			message.Data, message.Attributes = []byte(`{}`), map[string]string{"ce-partitionkey": "tnt%3A" + name}
		}
		check.Must(t, errors.Join(b.Publish(t.Context(), []topic.Message{message})...))
	}
}

// countDeadLetters returns the number of messages that wait.
func countDeadLetters(t *testing.T, owner *pgx.Conn) (n int) {
	t.Helper()
	check.Must(t, owner.QueryRow(t.Context(), `SELECT count(*) FROM bus.deliveries`).Scan(&n))
	return n
}

// marks counts the rows that name or mark a guest.
func (h stayFixture) marks() (n int) {
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

func (h stayFixture) completed() (n int) {
	h.t.Helper()
	if err := h.owner.QueryRow(h.t.Context(), `SELECT count(*) FROM reservation.erasures WHERE completed_at IS NOT NULL AND jsonb_array_length(retained) = 3`).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

func (h stayFixture) arguments(r id.Reservation, more ...string) []string {
	return slices.Concat([]string{"-tenant=" + h.tenant.String(), "-reservation=" + r.String()}, more)
}

var really = []string{"-go", "-by=K. Amiri", "-why=the guest asked for it"}

const marksOfOne = 8 // guest, request, modification, snapshot, arrival, event, document and its row

const deadLettersOfOne = 3 // of the reservation, its draft and its session

func TestErase_reservation(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
	erased := h.stay()
	h.stay()
	check.MustEqual(t, h.marks(), 2*marksOfOne, "rows that mark two guests")
	rows := func() map[string]string { // a count leases the dead letters and releases them
		all := consumertest.Texts(t, h.db)
		delete(all, "bus.deliveries")
		return all
	}
	before := rows()
	output := must(t, h.env(), h.arguments(erased)...)
	for _, want := range []string{"would erase the guest", "reservation.guests: would delete 1", "bff_tenant_booking.booking_draft_snapshots: would delete 1",
		"dead letters: would delete 3"} {
		t.Run(want, func(t *testing.T) { check.Contains(t, output, want) })
	}
	check.Equal(t, cmp.Diff(before, rows()), "", "the dry run changed the database")
	output = must(t, h.env(), h.arguments(erased, really...)...)
	check.Equal(t, output, erased.String()+`: erased by "K. Amiri", because "the guest asked for it"`+"\n")
	if n, dead := h.marks(), countDeadLetters(t, h.owner); n != marksOfOne || dead != deadLettersOfOne {
		t.Errorf("%d rows and %d dead letters mark guests, want those of the other guest: %d and %d", n, dead, marksOfOne, deadLettersOfOne)
	}
	deleted := map[string]int{}
	check.Must(t, h.owner.QueryRow(t.Context(), `SELECT deleted FROM reservation.erasures`).Scan(&deleted))
	want := map[string]int{"documents": 1, "dead letters": 3, "bff_tenant_booking.handoff_arrival_log": 1, "reservation.guests": 1, "reservation.special_requests": 1, "reservation.modifications": 1, "reservation.outbox": 1,
		"bff_tenant_booking.booking_drafts": 1, "bff_tenant_booking.booking_draft_snapshots": 1, "bff_tenant_booking.booking_owners": 1, "bff_tenant_booking.confirmation_views": 0,
		"bff_tenant_booking.outbox": 1, "bff_tenant_booking.idempotency": 0}
	check.Equal(t, cmp.Diff(want, deleted), "", "the receipt differs")
	check.Equal(t, must(t, h.env(), h.arguments(erased, really...)...), erased.String()+": the guest was erased before\n", "the second run printed")
}

func TestErase_emailHash(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
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
			h := openStayFixture(t)
			r := h.stay()
			h.exec(test.change, nil)
			code, output := call(t.Context(), h.env(), h.arguments(r, really...)...)
			check.Equal(t, code, 1)
			check.Contains(t, output, test.want)
			check.Equal(t, h.marks(), marksOfOne, "rows that mark the guest")
		})
	}
}

// TestErase_killedReservation kills a run after each step. The daily run completes the erasure.
func TestErase_killedReservation(t *testing.T) {
	t.Parallel()
	for steps := range 7 {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			h := openStayFixture(t)
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
			if err == nil && steps < 7 {
				t.Fatal("the run was not interrupted")
			}
			if steps == 0 { // nothing was recorded
				must(t, h.env(), h.arguments(r, really...)...)
			}
			must(t, h.env())
			if n, dead, receipts := h.marks(), countDeadLetters(t, h.owner), h.completed(); n+dead != 0 || receipts != 1 {
				t.Errorf("%d rows and %d dead letters mark the guest, %d receipts, want 0, 0 and 1", n, dead, receipts)
			}
		})
	}
}

// TestErase_lateLetter publishes dead letters after the erasures: their messages were still being delivered. The daily run deletes those of
// the reservation, its session and the guest session.
func TestErase_lateLetter(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
	r := h.stay()
	var session id.TenantSession
	check.Must(t, h.owner.QueryRow(t.Context(), `SELECT session_id FROM reservation.reservations`).Scan(&session))
	guest := id.New[id.GuestSession]()
	h.exec(`INSERT INTO bff_consumer.erasure_receipts (guest_session_id, requested_at, due_at, completed_at, deleted, retained, warehouse)
		VALUES (@guest, platform.now(), platform.now(), platform.now(), '{}', '[]', '')`, pgx.StrictNamedArgs{"guest": guest})
	must(t, h.env(), h.arguments(r, really...)...)
	publishDeadLetters(t, h.env(), r.String(), session.String(), guest.String(), id.New[id.Reservation]().String())
	if output := must(t, h.env(), "-dry-run"); !strings.Contains(output, "late dead letters: would delete 3\n") || countDeadLetters(t, h.owner) != 4 {
		t.Errorf("the dry run printed %q", output)
	}
	check.Contains(t, must(t, h.env()), "late dead letters: deleted 3\n")
	if n := countDeadLetters(t, h.owner); n != 1 {
		t.Errorf("%d dead letters, want that of the other guest", n)
	}
	h.db.Advance(41 * 24 * time.Hour)
	publishDeadLetters(t, h.env(), r.String())
	must(t, h.env())
	check.Equal(t, countDeadLetters(t, h.owner), 2, "dead letters after an erasure of long ago")
}

// TestErase_letterOfPayment keeps an event of the payment service that was not processed: a refund may depend on it.
func TestErase_letterOfPayment(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
	r := h.stay()
	publishDeadLetters(t, h.env()) // subscribes
	b := bus.Open(h.env(), postgres.Open(h.env(), "bus"))
	captured := topic.Message{Topic: dead.DeadLetter, Data: []byte(`{"payload":{"id":"` + r.String() + `"}}`),
		Attributes: map[string]string{"ce-type": "melmastoon.payment.transaction.captured.v1"}}
	check.Must(t, errors.Join(b.Publish(t.Context(), []topic.Message{captured})...))
	code, output := call(t.Context(), h.env(), h.arguments(r, really...)...)
	check.Equal(t, code, 1)
	check.Contains(t, output, "replay it first")
	check.Equal(t, countDeadLetters(t, h.owner), 1, "dead letters")
	check.Equal(t, h.completed(), 0, "receipts")
}

// TestErase_lettersAway checks that the erasure stays open while dead letters cannot be read.
func TestErase_lettersAway(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
	r := h.stay()
	code, output := call(t.Context(), h.env().With("DEAD_LETTERS", "a:b:unknown"), h.arguments(r, really...)...)
	check.Equal(t, code, 1)
	check.Contains(t, output, "unknown")
	check.Equal(t, h.completed(), 0, "receipts")
	must(t, h.env())
	if n := h.completed(); n != 1 || h.marks() != 0 {
		t.Errorf("%d receipts, want 1 and no mark", n)
	}
}

// TestErase_warehouseOfReservation deletes the rows of reservation, draft and session in the warehouse, and no others.
func TestErase_warehouseOfReservation(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
	r := h.stay()
	var draft id.Draft
	var session id.TenantSession
	check.Must(t, h.owner.QueryRow(t.Context(), `SELECT draft_id, session_id FROM bff_tenant_booking.booking_drafts`).Scan(&draft, &session))
	row := func(number int64, values ...string) warehouseRow { // of reservation, draft and session
		r := warehouseRow{map[string]string{}, number}
		for i, column := range []string{"reservationId", "draftId", "sessionId"}[:len(values)] {
			r.values[column] = values[i]
		}
		return r
	}
	other := row(1, "other", "other", "other")
	w := &warehouse{fails: "Delete", rows: map[string][]warehouseRow{
		"viewed": {row(2, r.String()), other},
		// A row with all three ids is one row.
		"steps":  {row(3, r.String(), draft.String(), session.String()), row(4, "other", draft.String(), "other"), other},
		"clicks": {other},
	}}
	with := func() env.Env { return WarehouseKey.With(h.env(), Warehouse(w)) }
	check.Contains(t, must(t, with(), h.arguments(r)...), "project.telemetry.steps: would delete 7\n")
	if code, output := call(t.Context(), with(), h.arguments(r, really...)...); code != 1 || h.completed() != 0 {
		t.Errorf("exit code %d, output %q while the warehouse is away, want 1 and no receipt", code, output)
	}
	w.fails = ""
	must(t, with())
	for name, rows := range w.rows {
		if len(rows) != 1 || rows[0].values["reservationId"] != "other" {
			t.Errorf("%s has %v, want the row of another guest", name, rows)
		}
	}
	var rows int
	if err := h.owner.QueryRow(t.Context(), `SELECT (deleted ->> 'project.telemetry.steps')::int FROM reservation.erasures`).Scan(&rows); err != nil || rows != 7 {
		t.Errorf("the receipt has %d rows, %v, want 7", rows, err)
	}
}

// TestErase_reservationConcurrently runs the erasure four times at once.
func TestErase_reservationConcurrently(t *testing.T) {
	t.Parallel()
	h := openStayFixture(t)
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
	check.Equal(t, openRequests(t, m), 0, "requests after the dry run")
	must(t, jobEnv(m), append([]string{"-session=" + v.Session.String()}, really...)...)
	must(t, jobEnv(m), append([]string{"-session=" + v.Session.String()}, really...)...)
	check.Equal(t, openRequests(t, m), 1, "requests")
}

func TestErase_arguments(t *testing.T) {
	t.Parallel()
	tenant, r := "-tenant="+id.New[id.Tenant]().String(), "-reservation="+id.New[id.Reservation]().String()
	for _, args := range [][]string{
		{tenant}, {r}, {tenant, r, "-email-hash=" + hash}, {tenant, "-email-hash=x"}, {tenant, r, "-go"}, {tenant, r, "-go", "-by=a"},
		{"-go", "-by=a", "-why=b"}, {tenant, "-session=" + id.New[id.GuestSession]().String()}, {"-session=x"}, {tenant, r, "-go", "-by=a", "-why=b", "-dry-run"},
	} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			if code, output := call(t.Context(), env.Of(nil), args...); code != 2 {
				t.Errorf("%q: exit code %d, want 2: %s", args, code, output)
			}
		})
	}
}
