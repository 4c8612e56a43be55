package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
)

// TestModel does random acts on two bookings that compete for the rooms of a small hotel. Calls to other services fail at random,
// before or after they took effect; acts are repeated, and events are late and come several times. Once all is done, money, rooms
// and nights must agree with the reservations.
func TestModel(t *testing.T) {
	t.Parallel()
	seed := seedrand.New(t)
	db, failures, done := pgtest.New(t), 0, map[string]int{}
	owner := db.Owner(t)
	enough := seedrand.Iterations(t, 500, 10_000)
	missing := func() bool { return slices.ContainsFunc(acts, func(a modelAct) bool { return done[a.name] == 0 }) }
	for n := 0; n < enough || n < 10*enough && missing(); n++ {
		s := aSequence(t, db, owner, seed.Of("sequence", n))
		for range 8 + s.random.IntN(8) {
			s.act()
		}
		s.settle()
		s.check(n)
		failures += s.failures
		for act, times := range s.done {
			done[act] += times
		}
		if t.Failed() {
			t.Fatalf("sequence %d: %s", n, strings.Join(s.log, ", "))
		}
	}
	t.Logf("%d injected failures; acts that took effect: %v", failures, done)
	if failures == 0 {
		t.Error("no failure was injected")
	}
	for _, act := range acts {
		if done[act.name] == 0 {
			t.Errorf("%s never took effect", act.name)
		}
	}
}

// errServiceDown is the failure of another service.
var errServiceDown = errors.New("the other service is unavailable")

// A sequence is a series of acts on the reservations of one tenant.
type sequence struct {
	t             *testing.T
	env           env.Env
	owner         *pgx.Conn
	random        *rand.Rand
	now           time.Time
	fakeInventory *fakeInventory
	fakePayments  *fakePayments
	ask           quotes.Ask // of each booking
	changer       *Changer
	watcher       *Watcher
	mover         *Mover
	keys          map[id.KeyCredential]Key // at the lock service
	issues        KeyStatus                // its answer; empty: at random
	rooms         []Room
	booked        []*Reservation
	types         []id.RoomType
	tenant        id.Tenant
	payment       id.Intent // the latest one, in tests of crashes
	sure          bool      // other services do not fail at random
	process       *process
	failures      int
	lastEvent     int64          // the last delivered event
	repeat        func() error   // the latest act
	done          map[string]int // acts that took effect
	log           []string
}

// aSequence returns a sequence with two confirmed bookings of one room of each of two types. The hotel has three rooms of each.
func aSequence(t *testing.T, db *pgtest.Database, owner *pgx.Conn, random *rand.Rand) *sequence {
	t.Helper()
	s := openSequence(t, db.Env(), owner, random)
	if random.IntN(2) == 0 {
		s.now = arrival
	}
	for range 2 {
		s.confirmed(s.hold())
	}
	s.skip()
	return s
}

// openSequence returns a sequence without a booking.
func openSequence(t *testing.T, e env.Env, owner *pgx.Conn, random *rand.Rand) *sequence {
	t.Helper()
	s := &sequence{
		t: t, env: e, owner: owner, random: random, now: noon, fakePayments: newFakePayments(), keys: map[id.KeyCredential]Key{}, tenant: id.New[id.Tenant](),
		done: map[string]int{}, process: &process{}, ask: quotestest.Ask(),
	}
	s.fakeInventory = newFakeInventory(func() time.Time { return s.now }, 3)
	for _, item := range s.ask.Items {
		s.types = append(s.types, item.RoomType)
		for range 3 {
			s.rooms = append(s.rooms, Room{ID: id.New[id.Room](), Type: item.RoomType})
		}
	}
	s.open()
	return s
}

// skip marks all events so far as delivered, because the fake services already have their effects.
func (s *sequence) skip() {
	s.t.Helper()
	if err := s.owner.QueryRow(s.t.Context(), `SELECT coalesce(max(seq), 0) FROM reservation.outbox`).Scan(&s.lastEvent); err != nil {
		s.t.Fatal(err)
	}
}

// open opens the use cases with neighbours that fail at random.
func (s *sequence) open() {
	e, up := s.env, Upstreams{Inventory: s.fakeInventory, Payments: s.fakePayments}
	now := func() time.Time { return s.now }
	rooms := func(context.Context, id.Tenant, id.Property) ([]Room, error) { return s.rooms, s.call() }
	s.changer = OpenChanger(e, up)
	s.changer.now, s.changer.inventory, s.changer.rooms = now, randomInventory{s.fakeInventory, s}, rooms
	s.changer.learn = s.learn
	s.changer.pricing = func(_ context.Context, _ id.Tenant, a quotes.Ask) (quotes.Price, error) {
		return quotestest.Price(a, s.now.Add(time.Hour)), s.call()
	}
	s.changer.keys.locks, s.changer.keys.now = s, now
	s.watcher = OpenWatcher(e, up)
	s.watcher.changer, s.watcher.keys, s.watcher.now = s.changer, s.changer.keys, now
	s.mover = OpenMover(e, up)
	s.mover.changer, s.mover.rooms = s.changer, rooms
	s.mover.basis = func(context.Context, id.Tenant, id.Property) (quotes.Basis, error) {
		return quotestest.Basis(), s.call()
	}
}

// hold stores a booking that inventory has held.
func (s *sequence) hold() *Reservation {
	s.t.Helper()
	q, err := quotes.New(id.New[id.Request](), s.tenant, quotestest.Basis(), s.ask, quotestest.Price(s.ask, s.env.Now().Add(time.Hour)))
	if err != nil {
		s.t.Fatal(err)
	}
	if q, err = quotes.OpenStore(s.env).Add(s.t.Context(), q); err != nil {
		s.t.Fatal(err)
	}
	r, err := Reserve(q, Details{Act: id.New[id.Request](), Channel: Direct, CreatedBy: access.Actor{Type: access.Guest, ID: "gst_someone"}, TTL: stay.DefaultHold})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := r.StartHold(HoldResult{s.env.Now(), s.env.Now().Add(stay.DefaultHold)}); err != nil {
		s.t.Fatal(err)
	}
	if err := s.changer.reservations.Book(s.t.Context(), access.Principal{Scope: access.Scope{Tenant: s.tenant}}, r, nil); err != nil {
		s.t.Fatal(err)
	}
	for n, a := range r.Hold.Allocations {
		s.fakeInventory.taken[a] = &room{roomType: r.Items[n].RoomType, expires: s.now.Add(stay.DefaultHold)}
	}
	s.booked = append(s.booked, r)
	return r
}

// confirmed confirms a booking, paid by card or promised in cash.
func (s *sequence) confirmed(r *Reservation) {
	s.t.Helper()
	i := aCapture(r)
	if s.random.IntN(4) == 0 {
		i = aPromise(r)
	}
	s.fakePayments.intents[i.ID] = &i
	for _, a := range r.Hold.Allocations {
		s.fakeInventory.taken[a].committed = true
	}
	if err := r.Confirm(i, r.Hold, noon); err != nil {
		s.t.Fatal(err)
	}
	if err := save(s.t, s.changer.reservations, r, ReservationConfirmed(r)); err != nil {
		s.t.Fatal(err)
	}
}

// call simulates a call to another service. It returns an error if the call fails, or if the process has ended.
func (s *sequence) call() error { return cmp.Or(s.process.call(), s.failSometimes()) }

// failSometimes fails one call in eight.
func (s *sequence) failSometimes() error {
	if s.sure || s.random.IntN(8) > 0 {
		return nil
	}
	s.failures++
	return errServiceDown
}

// A randomInventory fails at random when rooms are exchanged.
type randomInventory struct {
	*fakeInventory
	s *sequence
}

func (i randomInventory) Reallocate(ctx context.Context, r *Reservation, releases []id.Allocation, takes []Take) error {
	if err := i.s.call(); err != nil {
		return err
	}
	if err := i.fakeInventory.Reallocate(ctx, r, releases, takes); err != nil {
		return err
	}
	return i.s.failSometimes() // inventory has decided, but the answer is lost
}

func (s *sequence) Issue(_ context.Context, _ *Reservation, k Key) (KeyStatus, error) {
	if err := s.call(); err != nil {
		return "", err
	}
	known, repeated := s.keys[k.ID]
	if !repeated {
		k.Status = cmp.Or(s.issues, []KeyStatus{KeyIssued, KeyIssued, KeyIssued, KeyFailed}[s.random.IntN(4)])
		s.keys[k.ID] = k
		return KeyPending, s.failSometimes() // the event follows
	}
	return known.Status, s.failSometimes()
}

func (s *sequence) Revoke(_ context.Context, _ id.Tenant, keys ...id.KeyCredential) error {
	if err := s.process.call(); err != nil {
		return err
	}
	for _, k := range keys {
		s.keys[k] = Key{ID: k, Status: KeyRevoked}
	}
	return s.failSometimes()
}

func (s *sequence) learn(ctx context.Context, r *Reservation) error {
	if err := s.process.call(); err != nil {
		return err
	}
	for _, p := range r.Payment.Intents {
		i, err := s.fakePayments.Intent(ctx, s.tenant, p.Intent)
		if err != nil {
			return err
		}
		r.Learn(i)
	}
	return s.failSometimes()
}

// A modelAct is an act on one reservation.
type modelAct struct {
	name string
	do   func(*sequence, *Reservation, id.Request) error
}

// likely names the act that is chosen more often in a state, so that stays also end.
var likely = map[State]string{
	Confirmed: "check-in", CheckInStarted: "override", CheckedIn: "check-out", CheckoutStarted: "overstay", CheckedOut: "override", NoShow: "override",
}

// acts are the acts of a sequence on one reservation. Those that find the reservation in another state are refused.
var acts = []modelAct{
	{"dates", func(s *sequence, r *Reservation, act id.Request) error {
		to := r.Stay
		if days := s.random.IntN(5) - 2; r.State == Confirmed && s.random.IntN(2) == 0 {
			to = stay.Window{Start: r.Stay.Start.AddDays(days), End: r.Stay.End.AddDays(days)}
		} else {
			to.End = r.Stay.End.AddDays(days)
		}
		return s.change(r, act, s.changer.Dates(act, to))
	}},
	{"occupants", func(s *sequence, r *Reservation, act id.Request) error {
		return s.change(r, act, s.changer.Occupants(s.item(r), stay.Occupants{Adults: 1 + s.random.IntN(3)}))
	}},
	{"room", func(s *sequence, r *Reservation, act id.Request) error {
		to := s.rooms[s.random.IntN(len(s.rooms))]
		return s.change(r, act, s.changer.Room(act, RoomMove{Item: s.item(r), RoomType: &to.Type, Room: &to.ID}))
	}},
	{"add", func(s *sequence, r *Reservation, act id.Request) error {
		asked := quotes.AskedItem{RoomType: s.types[s.random.IntN(2)], RatePlan: r.Items[0].RatePlan, Occupants: stay.Occupants{Adults: 1}}
		return s.change(r, act, s.changer.Add(act, asked))
	}},
	{"remove", func(s *sequence, r *Reservation, act id.Request) error {
		return s.change(r, act, s.changer.Remove(s.item(r)))
	}},
	{"rate", func(s *sequence, r *Reservation, act id.Request) error {
		return s.change(r, act, s.changer.Rate(s.item(r), money.Micro(50+s.random.IntN(150))*1_000_000, "agreed"))
	}},
	{"override", func(s *sequence, r *Reservation, act id.Request) error {
		to := []State{Confirmed, CheckedIn}[s.random.IntN(2)]
		return s.change(r, act, s.changer.Override(act, to, "typed wrong"))
	}},
	{"check-in", func(s *sequence, r *Reservation, _ id.Request) error {
		var rooms []AssignedRoom
		for _, item := range r.Items {
			of := slices.IndexFunc(s.rooms, func(room Room) bool { return room.Type == item.RoomType })
			rooms = append(rooms, AssignedRoom{item.ID, s.rooms[of+s.random.IntN(3)].ID})
		}
		started, err := r.StartCheckIn(rooms, s.rooms, access.Actor{Type: access.Staff, ID: "usr_desk"}, s.now)
		if err != nil || !started {
			return errors.Join(err, errSame)
		}
		if err := s.save(r, CheckInBegun(r)); err != nil {
			return err
		}
		_, err = s.changer.keys.Ask(s.t.Context(), access.Scope{Tenant: s.tenant}, r.ID)
		return err
	}},
	{"check-out", func(s *sequence, r *Reservation, _ id.Request) error {
		wish := LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}
		if s.random.IntN(2) == 0 {
			wish.Folio = &Folio{ID: "fol_1", Balance: money.Micro(s.random.IntN(2)) * r.due(), Currency: r.Currency, Settled: true}
		}
		if err := s.learn(s.t.Context(), r); err != nil {
			return err
		}
		events, err := r.Leave(wish, s.now)
		if err != nil || events == nil {
			return err
		}
		return s.save(r, events...)
	}},
	{"no-show", func(s *sequence, r *Reservation, _ id.Request) error {
		if err := s.learn(s.t.Context(), r); err != nil {
			return err
		}
		missed, err := r.Miss(MissBySweep(), s.now)
		if err != nil || !missed {
			return errors.Join(err, errSame)
		}
		return s.save(r, GuestMissed(r))
	}},
	{"cancel", func(s *sequence, r *Reservation, _ id.Request) error {
		if err := s.learn(s.t.Context(), r); err != nil {
			return err
		}
		if err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: access.Actor{Type: access.Guest, ID: "gst_someone"}}, s.now); err != nil {
			return err
		}
		return s.save(r, ReservationCancelled(r))
	}},
	{"pay", func(s *sequence, r *Reservation, _ id.Request) error {
		i := aCapture(r)
		i.Amount = max(r.due(), 1_000_000)
		i.Captured = i.Amount
		s.fakePayments.intents[i.ID] = &i
		return s.captured(i)
	}},
	{"refund by hand", func(s *sequence, r *Reservation, _ id.Request) error {
		p := r.Payment.Intents[s.random.IntN(len(r.Payment.Intents))]
		i := s.fakePayments.intents[p.Intent]
		if i.kept() < 3_000_000 {
			return errSame
		}
		return s.fakePayments.Refund(s.t.Context(), s.tenant, Refund{ID: id.New[id.Refund](), Intent: i.ID, Amount: 3_000_000}, "")
	}},
	{"room out of order", func(s *sequence, r *Reservation, _ id.Request) error {
		if len(r.Rooms()) == 0 {
			return errSame
		}
		o := Outage{Tenant: s.tenant, Property: r.Property, Room: r.Rooms()[0].Room, Period: OutOfOrder{From: r.Stay.Start, Until: r.Stay.End}, At: s.now}
		_, err := s.mover.Move(s.t.Context(), id.New[id.Event](), o)
		return err
	}},
	{"overstay", func(s *sequence, r *Reservation, _ id.Request) error {
		if late := r.Local.Midnight(r.Stay.End.AddDays(1)); r.State.inside() && s.now.Before(late) {
			s.now = late
		}
		if !r.Overstay(s.now) {
			return errSame
		}
		return s.save(r, GuestOverstayed(r))
	}},
}

// errSame is the result of an act that has nothing to do.
var errSame = errors.New("nothing to do")

// act does a random act, or lets time pass, or delivers events.
func (s *sequence) act() {
	s.t.Helper()
	switch s.random.IntN(10) {
	case 0:
		s.now = s.now.Add(time.Duration(s.random.IntN(48)) * time.Hour)
		s.log = append(s.log, "now "+s.now.Format(time.RFC3339))
	case 1:
		if s.now.Before(arrival) {
			s.now = arrival
		}
	case 2:
		s.deliver()
	case 3:
		if s.repeat != nil {
			s.try("repeat", s.repeat)
		}
	default:
		n, act := s.random.IntN(len(s.booked)), id.New[id.Request]()
		chosen := acts[s.random.IntN(len(acts))]
		if likely, ok := likely[s.stored(n).State]; ok && s.random.IntN(2) == 0 {
			chosen = acts[slices.IndexFunc(acts, func(a modelAct) bool { return a.name == likely })]
		}
		draw := s.random.Uint64() // a repetition makes the same choices
		s.repeat = func() error {
			outer := s.random
			s.random = rand.New(rand.NewPCG(draw, 0))
			defer func() { s.random = outer }()
			return chosen.do(s, s.stored(n), act)
		}
		s.try(chosen.name, s.repeat)
	}
}

// try does an act. It may be refused, or fail because another service does.
func (s *sequence) try(name string, do func() error) {
	s.t.Helper()
	err := do()
	s.log = append(s.log, fmt.Sprint(name, " ", err))
	if err == nil {
		s.done[name]++
		return
	}
	for _, expected := range []error{
		ErrIllegalTransition, ErrBalanceDue, ErrOverbooked, ErrRoomUnavailable, fault.ErrValidation, fault.ErrUnavailable, fault.ErrForbidden, errServiceDown, errSame,
		fault.ErrVersionConflict,
	} {
		if errors.Is(err, expected) {
			return
		}
	}
	s.t.Errorf("%s: %v", name, err)
}

func (s *sequence) item(r *Reservation) id.Item { return r.Items[s.random.IntN(len(r.Items))].ID }

func (s *sequence) change(r *Reservation, act id.Request, p Proposal) error {
	_, _, err := s.changer.Change(s.t.Context(), ChangeCall{
		Principal: access.Principal{Scope: access.Scope{Tenant: s.tenant}, Actor: access.Actor{Type: access.Staff, ID: "usr_desk"}}, Act: act, Reservation: r.ID,
		Allows: func(int64) bool { return true },
	}, p)
	return err
}

func (s *sequence) stored(n int) *Reservation {
	s.t.Helper()
	r, err := s.changer.reservations.Get(s.t.Context(), access.Scope{Tenant: s.tenant}, s.booked[n].ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *sequence) save(r *Reservation, events ...event.Draft) error {
	return s.changer.reservations.In(s.t.Context(), s.tenant, func(tx postgres.Tx) error {
		return s.changer.reservations.Save(s.t.Context(), tx, r, events...)
	})
}

// captured is the event of a captured payment.
func (s *sequence) captured(i Intent) error {
	confirmer := OpenConfirmer(s.env, Upstreams{Inventory: s.fakeInventory, Payments: s.fakePayments})
	confirmer.payments, confirmer.inventory, confirmer.now = countedServices{s}, countedServices{s}, func() time.Time { return s.now }
	claim := Claim{Scope: access.Scope{Tenant: s.tenant}, Reservation: i.Reservation, Intent: &i.ID}
	_, err := confirmer.Confirm(s.t.Context(), claim, func(ctx context.Context, f func(postgres.Tx) error) error {
		return confirmer.reservations.In(ctx, s.tenant, f)
	})
	return err
}

// deliver delivers the events of the reservations to inventory and payment, some of them twice, and the events of keys and refunds
// in any order. It returns false if there was nothing to deliver.
func (s *sequence) deliver() (delivered bool) {
	s.t.Helper()
	rows, _ := s.owner.Query(s.t.Context(), `
		SELECT seq, subject, payload FROM reservation.outbox WHERE tenant_id = @tenant AND seq > @last ORDER BY seq`,
		pgx.StrictNamedArgs{"tenant": s.tenant, "last": s.lastEvent})
	type row struct {
		Seq     int64
		Subject string
		Payload publishedTerms
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range events {
		s.lastEvent = e.Seq
		for range 1 + s.random.IntN(2) {
			s.apply(e.Payload)
		}
	}
	delivered = len(events) > 0
	for n := range s.booked {
		r := s.stored(n)
		reported := false
		for _, k := range r.Keys {
			known, issued := s.keys[k.ID]
			if again := s.random.IntN(10) == 0; issued && (again || k.Status != known.Status && (s.sure || s.random.IntN(3) > 0)) {
				known.Item, known.Room = k.Item, k.Room
				s.try("key", func() error { return s.report(n, known) })
				reported = true
			}
		}
		if reported {
			delivered, r = true, s.stored(n)
		}
		before := r.Payment.kept()
		if err := s.learn(s.t.Context(), r); err == nil && r.Payment.kept() != before {
			delivered = true
			s.try("refunded", func() error { return s.save(r) })
		}
	}
	return delivered
}

// publishedTerms is the part of the events of this service that inventory and payment read.
type publishedTerms struct {
	Allocations []id.Allocation  `json:"inventoryAllocationIds"`
	Refunds     []Refund         `json:"paymentRefundsRequested"`
	Type        string           `json:"type"`
	Request     *MoneyRequest    `json:"refundOrChargeRequest"`
	Post        *quotes.StayView `json:"postStayWindow"`
}

// apply has the effect of an event at inventory and payment.
func (s *sequence) apply(e publishedTerms) {
	s.t.Helper()
	if e.Post == nil && e.Refunds != nil { // cancelled, no_show or early_checkout
		if err := s.fakeInventory.Release(s.t.Context(), nil, e.Allocations); err != nil {
			s.t.Fatal(err)
		}
	}
	back := e.Refunds
	if q := e.Request; q != nil && e.Post == nil && q.Direction == "refund" {
		back = q.Refunds
		if q.Intent != nil {
			back = []Refund{{ID: q.Refund, Intent: *q.Intent, Amount: q.Amount}}
		}
	}
	for _, refund := range back {
		if _, repeated := s.fakePayments.refunds[refund.ID]; repeated {
			continue
		}
		refund.Amount = min(refund.Amount, s.fakePayments.intents[refund.Intent].kept())
		if err := s.fakePayments.Refund(s.t.Context(), s.tenant, refund, ""); err != nil {
			s.t.Errorf("refund %v: %v", refund, err)
		}
	}
}

func (s *sequence) report(n int, k Key) error {
	return s.changer.keys.Report(s.t.Context(), access.Scope{Tenant: s.tenant}, s.booked[n].ID, k, func(ctx context.Context, f func(postgres.Tx) error) error {
		return s.changer.reservations.In(ctx, s.tenant, f)
	})
}

// settle completes everything that is still waiting.
func (s *sequence) settle() {
	s.t.Helper()
	s.sure = true
	for range 4 {
		waiting := s.deliver()
		for n := range s.booked {
			r := s.stored(n)
			if r.Saga.Since == nil {
				continue
			}
			waiting = true
			s.try("watch", func() error {
				return s.watcher.Retry(s.t.Context(), StuckStep{Tenant: s.tenant, Reservation: r.ID, Since: *r.Saga.Since})
			})
		}
		if !waiting {
			return
		}
	}
}

// check compares the reservations with the rooms and the money of the other services.
func (s *sequence) check(sequence int) {
	s.t.Helper()
	wanted := map[id.Allocation]bool{}
	for n := range s.booked {
		r := s.stored(n)
		if r.Saga.Pending != "" {
			s.t.Errorf("sequence %d: %s still waits for %q", sequence, r.State, r.Saga.Pending)
		}
		s.checkMoney(r)
		early := r.State == CheckedOut && r.CheckOut.Early != nil
		if r.State != Cancelled && r.State != NoShow && !early {
			for _, a := range r.Hold.Allocations {
				wanted[a] = true
			}
		}
		if len(r.Items) != len(r.Hold.Allocations) {
			s.t.Errorf("%d allocations for %d items", len(r.Hold.Allocations), len(r.Items))
		}
	}
	for a, taken := range s.fakeInventory.taken {
		if gone := s.fakeInventory.gone(taken); wanted[a] == gone {
			s.t.Errorf("allocation %v: wanted %v, released %v", a, wanted[a], gone)
		}
		delete(wanted, a)
	}
	if len(wanted) > 0 {
		s.t.Errorf("allocations %v were never taken", wanted)
	}
}

// checkMoney wants that the payment service has kept what the reservation says, and no more than is owed.
func (s *sequence) checkMoney(r *Reservation) {
	s.t.Helper()
	var kept money.Micro
	for _, i := range s.fakePayments.intents {
		if i.Reservation == r.ID {
			kept += i.kept()
		}
	}
	if kept != r.Payment.kept() {
		s.t.Errorf("%s: the payment service has kept %d, the reservation says %d", r.State, kept, r.Payment.kept())
	}
	if kept > r.priceDue() {
		s.t.Errorf("%s: kept %d of %d owed", r.State, kept, r.priceDue())
	}
}
