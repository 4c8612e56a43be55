package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
)

// errEnded is the result of a call that is not made because the simulated process has ended.
var errEnded = errors.New("the process has ended")

// A process simulates a process that crashes after a number of calls to Postgres and to other services: later calls are not made.
// The zero process does not crash. It counts calls to Postgres as a tracer of pgx: one query or batch is one call.
type process struct {
	mu    sync.Mutex
	ends  bool
	left  int
	ended bool // at least one call was not made
}

// end makes the process crash after that number of calls.
func (l *process) end(after int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends, l.left, l.ended = true, after, false
}

// restart lets calls succeed again, as in a new process. It reports whether the earlier process has crashed before its last call.
func (l *process) restart() (ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = false
	return l.ended
}

// call counts a call, or returns errEnded after the crash.
func (l *process) call() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends && l.left <= 0 {
		l.ended = true
		return errEnded
	}
	l.left--
	return nil
}

// trace counts a call to Postgres. After the crash it returns a cancelled context, so that the call is not made.
func (l *process) trace(ctx context.Context) context.Context {
	err := l.call()
	if err == nil {
		return ctx
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(err)
	return ctx
}

// TraceQueryStart implements pgx.QueryTracer.
func (l *process) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return l.trace(ctx)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (l *process) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (l *process) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return l.trace(ctx)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (l *process) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (l *process) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// traced returns an environment in which the process counts the calls to Postgres.
func (l *process) traced(e env.Env) env.Env {
	return postgres.TracerKey.With(e, postgres.Tracer(func(string) pgx.QueryTracer { return l }))
}

// countedServices are the inventory and the payment service of a sequence. The process counts each call.
type countedServices struct{ *sequence }

func (c countedServices) Hold(ctx context.Context, r *Reservation, h Hold) (HoldResult, error) {
	if err := c.process.call(); err != nil {
		return HoldResult{}, err
	}
	return c.fakeInventory.Hold(ctx, r, h)
}

func (c countedServices) Commit(ctx context.Context, r *Reservation, h Hold) error {
	if err := c.process.call(); err != nil {
		return err
	}
	return c.fakeInventory.Commit(ctx, r, h)
}

func (c countedServices) Release(ctx context.Context, r *Reservation, rooms []id.Allocation) error {
	if err := c.process.call(); err != nil {
		return err
	}
	return c.fakeInventory.Release(ctx, r, rooms)
}

func (c countedServices) Intent(ctx context.Context, tenant id.Tenant, i id.Intent) (Intent, error) {
	if err := c.process.call(); err != nil {
		return Intent{}, err
	}
	return c.fakePayments.Intent(ctx, tenant, i)
}

func (c countedServices) Promise(ctx context.Context, r *Reservation) (Intent, error) {
	if err := c.process.call(); err != nil {
		return Intent{}, err
	}
	return c.fakePayments.Promise(ctx, r)
}

func (c countedServices) Refund(ctx context.Context, tenant id.Tenant, back Refund, why Cause) error {
	if err := c.process.call(); err != nil {
		return err
	}
	return c.fakePayments.Refund(ctx, tenant, back, why)
}

// A crashAct is an act on the first booking of a sequence. After a crash its caller may repeat it.
type crashAct struct {
	name   string
	always bool            // the act is always repeated, because it is an event or a sweep
	given  func(*sequence) // brings the booking into its state
	do     func(*sequence, id.Request) error
	errs   []error // errors that the act may return
}

// given joins steps that bring a booking into its state.
func given(steps ...func(*sequence)) func(*sequence) {
	return func(s *sequence) {
		s.t.Helper()
		for _, step := range steps {
			step(s)
		}
	}
}

// must fails the test unless a step of the preparation succeeds.
func (s *sequence) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func paidBooking(s *sequence) {
	r := s.hold()
	s.paid(r)
	s.must(r.Confirm(*s.fakePayments.intents[s.payment], r.Hold, noon))
	for _, a := range r.Hold.Allocations {
		s.fakeInventory.taken[a].committed = true
	}
	s.must(save(s.t, s.changer.reservations, r, ReservationConfirmed(r)))
}

// heldBooking stores a paid booking that is not confirmed yet.
func heldBooking(s *sequence) { s.paid(s.hold()) }

// paid captures the whole price at the payment service.
func (s *sequence) paid(r *Reservation) {
	i := aCapture(r)
	s.payment, s.fakePayments.intents[i.ID] = i.ID, &i
}

func arrived(s *sequence) {
	s.now = arrival
	s.must(s.checkIn(0, s.pair()))
}

func missedGuest(s *sequence) {
	s.now = s.late()
	s.must(s.sweep(0))
}

// goneEarly checks the guest out a day before the day of departure.
func goneEarly(s *sequence) {
	s.now = departure.AddDate(0, 0, -1)
	s.must(s.leave(aFolio()))
}

// owing raises the price of the booking and adds a payment of the balance.
func owing(s *sequence) {
	act := id.New[id.Request]()
	s.must(s.change(s.booked[0], act, s.changer.Rate(s.booked[0].Items[0].ID, 150_000_000, "agreed")))
	i := aCapture(s.booked[0])
	i.Amount, i.Captured = 100_000_000, 100_000_000
	s.payment, s.fakePayments.intents[i.ID] = i.ID, &i
}

// leave checks out the guest of the first booking.
func (s *sequence) leave(folio *Folio) error {
	return s.again(0, func(r *Reservation) error {
		events, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: folio}, s.now)
		if err != nil || events == nil {
			return err
		}
		return s.save(r, events...)
	})
}

// pays delivers the event of the latest payment.
func (s *sequence) pays(id.Request) error { return s.captured(*s.fakePayments.intents[s.payment]) }

func (s *sequence) modify(act id.Request, p Proposal) error { return s.change(s.booked[0], act, p) }

// crashActs are the acts of TestCrash.
var crashActs = []crashAct{
	{name: "confirmation", always: true, given: heldBooking, do: (*sequence).pays},
	{name: "confirmation with rooms taken again", always: true, given: given(heldBooking, func(s *sequence) { s.now = s.now.Add(stay.DefaultHold) }), do: (*sequence).pays},
	{name: "confirmation after the rooms were sold", always: true, given: given(heldBooking, func(s *sequence) {
		s.now = s.now.Add(stay.DefaultHold)
		s.fakeInventory.rooms = 0
	}), do: (*sequence).pays, errs: []error{ErrOverbooked, ErrIllegalTransition}},
	{name: "payment of the balance", always: true, given: given(paidBooking, owing), do: (*sequence).pays},
	{name: "payment of more than the balance", always: true, given: given(paidBooking, owing, func(s *sequence) {
		i := s.fakePayments.intents[s.payment]
		i.Amount, i.Captured = 130_000_000, 130_000_000
	}), do: (*sequence).pays},
	{name: "second payment", always: true, given: given(paidBooking, func(s *sequence) { s.paid(s.booked[0]) }), do: (*sequence).pays, errs: []error{ErrIllegalTransition}},
	{name: "refund by hand", always: true, given: given(paidBooking, arrived, func(s *sequence) {
		s.must(s.fakePayments.Refund(s.t.Context(), s.tenant, Refund{ID: id.New[id.Refund](), Intent: s.payment, Amount: 3_000_000}, ""))
	}), do: func(s *sequence, act id.Request) error {
		recorder := &RefundRecorder{s.changer.reservations, countedServices{s}, s.changer.now}
		claim := RefundClaim{Scope: access.Scope{Tenant: s.tenant}, Event: id.Event(act), Reservation: s.booked[0].ID, Intent: s.payment}
		return recorder.Record(s.t.Context(), claim, s.within)
	}},
	{name: "cancellation", given: paidBooking, do: func(s *sequence, _ id.Request) error { return s.cancel(0) }},
	{name: "cancellation with a penalty", given: given(paidBooking, func(s *sequence) { s.now = arrival }),
		do: func(s *sequence, _ id.Request) error { return s.cancel(0) }},
	{name: "no-show", always: true, given: given(paidBooking, func(s *sequence) { s.now = s.late() }), do: func(s *sequence, _ id.Request) error { return s.sweep(0) }},
	{name: "check-in", given: given(paidBooking, func(s *sequence) { s.now = arrival }),
		do: func(s *sequence, _ id.Request) error { return s.checkIn(0, s.pair()) }},
	{name: "report of a key", always: true, given: given(paidBooking, func(s *sequence) {
		s.now = arrival
		s.must(s.checkIn(0, s.pair()))
	}), do: func(s *sequence, _ id.Request) error {
		for _, k := range s.booked[0].Keys {
			k.Status = KeyIssued
			if err := s.report(0, k); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "start of the check-out", given: given(paidBooking, arrived, settled), do: func(s *sequence, _ id.Request) error { return s.leave(nil) }},
	{name: "check-out", given: given(paidBooking, arrived, settled, func(s *sequence) { s.now = departure }),
		do: func(s *sequence, _ id.Request) error { return s.leave(aFolio()) }},
	{name: "early check-out", given: given(paidBooking, arrived, settled, func(s *sequence) { s.now = departure.AddDate(0, 0, -1) }),
		do: func(s *sequence, _ id.Request) error { return s.leave(aFolio()) }},
	{name: "overstay", always: true, given: given(paidBooking, arrived, settled, func(s *sequence) { s.now = s.booked[0].Local.Midnight(s.booked[0].Stay.End.AddDays(1)) }),
		do: func(s *sequence, _ id.Request) error {
			return s.again(0, func(r *Reservation) error {
				if !r.Overstay(s.now) {
					return nil
				}
				return s.save(r, GuestOverstayed(r))
			})
		}},
	{name: "more nights", given: paidBooking, do: dates(0, 2)},
	{name: "fewer nights", given: paidBooking, do: dates(0, -1)},
	{name: "other nights", given: given(paidBooking, assigned), do: dates(9, 9)},
	{name: "more nights in house", given: given(paidBooking, arrived, settled), do: dates(0, 2)},
	{name: "other guests", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Occupants(s.booked[0].Items[0].ID, stay.Occupants{Adults: 1}))
	}},
	{name: "another type of room", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Room(act, RoomMove{Item: s.booked[0].Items[0].ID, RoomType: &s.types[1]}))
	}},
	{name: "another room in house", given: given(paidBooking, arrived, settled), do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Room(act, RoomMove{Item: s.booked[0].Items[0].ID, Room: &s.rooms[1].ID}))
	}},
	{name: "added room", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Add(act, quotes.AskedItem{RoomType: s.types[1], RatePlan: s.booked[0].Items[0].RatePlan, Occupants: stay.Occupants{Adults: 1}}))
	}},
	{name: "removed room", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Remove(s.booked[0].Items[1].ID))
	}},
	{name: "lower rate", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Rate(s.booked[0].Items[0].ID, 50_000_000, "agreed"))
	}},
	{name: "another channel", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Channel(PhoneByStaff, "", "called"))
	}},
	{name: "override of a no-show", given: given(paidBooking, missedGuest, settled), do: override(Confirmed)},
	{name: "override of a check-in", given: given(paidBooking, func(s *sequence) { s.now = arrival; s.must(s.checkIn(0, s.pair())) }), do: override(Confirmed)},
	{name: "override of a check-out", given: given(paidBooking, arrived, settled, goneEarly, settled), do: override(CheckedIn)},
	{name: "room out of order", always: true, given: given(paidBooking, arrived, settled), do: func(s *sequence, act id.Request) error {
		r := s.booked[0]
		_, err := s.mover.Move(s.t.Context(), id.Event(act), Outage{
			Tenant: s.tenant, Property: r.Property, Room: s.pair()[0].ID, Period: OutOfOrder{From: r.Stay.Start, Until: r.Stay.End}, At: s.now,
		})
		return err
	}},
	{name: "special request", given: paidBooking, do: func(s *sequence, act id.Request) error {
		return s.again(0, func(r *Reservation) error {
			q := SpecialRequest{ID: id.Derive[id.SpecialRequest](act, "request"), Tags: []Tag{"cot"}, Locale: "en", Source: FromStaff, AddedBy: access.Actor{Type: access.Staff, ID: "usr_desk"}}
			if added, err := r.Ask(q); err != nil || !added {
				return err
			}
			return s.within(s.t.Context(), func(tx postgres.Tx) error { return s.changer.reservations.SaveRequest(s.t.Context(), tx, r) })
		})
	}},
}

func dates(start, end int) func(*sequence, id.Request) error {
	return func(s *sequence, act id.Request) error {
		r := s.booked[0]
		return s.modify(act, s.changer.Dates(act, stay.Window{Start: r.Stay.Start.AddDays(start), End: r.Stay.End.AddDays(end)}))
	}
}

func override(to State) func(*sequence, id.Request) error {
	return func(s *sequence, act id.Request) error {
		return s.modify(act, s.changer.Override(act, to, "typed wrong"))
	}
}

func assigned(s *sequence) { s.must(s.assign(0, s.rooms[0])) }

// settled delivers all events.
func settled(s *sequence) { s.settle() }

func (s *sequence) within(ctx context.Context, f func(postgres.Tx) error) error {
	return s.changer.reservations.In(ctx, s.tenant, f)
}

// summary describes the first booking, its rooms and money at the other services, and its events.
func (s *sequence) summary() string {
	s.t.Helper()
	r := s.stored(0)
	var events []string
	err := s.owner.QueryRow(s.t.Context(), `
		SELECT array_agg(replace(subject, 'melmastoon.reservation.', '') || ' ' || times ORDER BY subject)
		FROM (SELECT subject, count(*) AS times FROM reservation.outbox WHERE ordering_key = @key GROUP BY 1) AS e`,
		pgx.StrictNamedArgs{"key": s.tenant.String() + ":" + r.ID.String()}).Scan(&events)
	s.must(err)
	var paid money.Micro
	for _, i := range s.fakePayments.intents {
		paid += i.kept()
	}
	sum := fmt.Sprintf("%s %s–%s, %d rooms, %d assigned, total %d, kept %d, due %d, %d requested back, %d modifications, %d requests, channel %s",
		r.State, r.Stay.Start, r.Stay.End, len(r.Items), len(r.Rooms()), r.Total, r.Payment.kept(), r.due(), len(r.Payment.Requested), len(r.Modified), len(r.Requests), r.Channel)
	return fmt.Sprintf("%s, keys %d issued %d failed %d pending, overstayed %v, spared %v, let %d, paid %d, waits for %q, events %v",
		sum, len(r.keys(KeyIssued)), len(r.keys(KeyFailed)), len(r.keys(KeyPending)), r.OverstayedOn, r.SparedUntil, s.fakeInventory.let(r), paid, r.Saga.Pending, events)
}

// A crashTest runs one act in many sequences of a database.
type crashTest struct {
	crashAct
	e     env.Env
	owner *pgx.Conn
	seed  seedrand.Seed
}

// open returns a sequence with the booking of the act.
func (c crashTest) open(t *testing.T, l *process) *sequence {
	t.Helper()
	s := openSequence(t, c.e, c.owner, c.seed.Of(c.name))
	s.process, s.sure, s.issues = l, true, KeyIssued
	c.given(s)
	s.booked[0] = s.stored(0)
	s.skip()
	return s
}

// done fails the test unless err is nil or one of the errors that the act may return.
func (c crashTest) done(s *sequence, err error) {
	s.t.Helper()
	s.wantError(c.name, err, c.errs...)
}

// result delivers all events, checks the invariants and returns the summary.
func (c crashTest) result(s *sequence) string {
	s.t.Helper()
	s.settle()
	s.check(0)
	s.checkNights()
	return s.summary()
}

// TestCrash lets the process crash after each call of each act. Then the watch runs, and the caller repeats the act or not. The result
// must be the same as without a crash. If the act is not repeated, the booking may also be unchanged.
func TestCrash(t *testing.T) {
	t.Parallel()
	db, seed := pgtest.New(t), seedrand.New(t)
	owner, l := db.Owner(t), &process{}
	e, points := l.traced(db.Env()), 0
	for _, act := range crashActs {
		c := crashTest{act, e, owner, seed}
		t.Run(act.name, func(t *testing.T) {
			whole := c.open(t, l)
			before := whole.summary()
			if !act.always {
				before = c.result(c.open(t, l))
			}
			c.done(whole, act.do(whole, id.New[id.Request]()))
			after := c.result(whole)
			if before == after {
				t.Fatalf("the act changes nothing: %s", after)
			}
			n := c.run(t, l, before, after)
			if n == 0 {
				t.Error("no crash")
			}
			points += n
			t.Logf("%d crashes", n)
		})
	}
	t.Logf("%d crashes in %d acts", points, len(crashActs))
	if points < 5*len(crashActs) {
		t.Errorf("%d crashes, want at least %d", points, 5*len(crashActs))
	}
}

// run lets the process crash after 0, 1, 2… calls until the act completes, and returns the number of crashes.
func (c crashTest) run(t *testing.T, l *process, before, after string) (crashes int) {
	t.Helper()
	for calls := 0; ; calls++ {
		for _, repeated := range []bool{true, false} {
			if c.always && !repeated {
				continue
			}
			s, request := c.open(t, l), id.New[id.Request]()
			l.end(calls)
			err := c.do(s, request)
			if !l.restart() {
				c.done(s, err)
				return crashes
			}
			crashes++
			allowed := []string{after}
			if repeated {
				c.done(s, c.do(s, request))
			} else {
				allowed = append(allowed, before)
			}
			if got := c.result(s); !slices.Contains(allowed, got) {
				t.Errorf("after %d calls, repeated %v:\ngot  %s\nwant %v", calls, repeated, got, allowed)
			}
		}
	}
}

// TestCrash_walkIn lets the process crash after each call of a walk-in. Then the desk repeats the request.
func TestCrash_walkIn(t *testing.T) {
	t.Parallel()
	db, l, crashes := pgtest.New(t), &process{}, 0
	for {
		walkIn := lobbyOn(t, db, l)
		l.end(crashes)
		_, err := walkIn.book()
		if !l.restart() {
			if err != nil {
				t.Errorf("Book() = %v", err)
			}
			break
		}
		crashes++
		walkIn.wantOnce(fmt.Sprintf("after %d calls", crashes-1))
	}
	t.Logf("%d crashes", crashes)
	if crashes < 20 {
		t.Errorf("%d crashes, want at least 20", crashes)
	}
}
