package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// refund executes a refund in the payment service and returns its id.
func (s *confirmTest) refund(i id.Intent, back Refund) {
	s.t.Helper()
	back.Intent = i
	if back.ID.IsZero() {
		back.ID = id.New[id.Refund]()
	}
	if err := s.fakePayments.Refund(s.t.Context(), s.r.Tenant, back, BoughtNothing); err != nil {
		s.t.Fatal(err)
	}
}

// deliver delivers an event about a refund.
func (s *confirmTest) deliver(e id.Event, r id.Reservation, i id.Intent) error {
	recorder := &RefundRecorder{s.reservations, s.fakePayments, s.db.Env().Now}
	claim := RefundClaim{Scope: access.Scope{Tenant: s.r.Tenant}, Event: e, Reservation: r, Intent: i}
	db := postgres.Open(s.db.Env(), service.Schema)
	delivery := event.Delivery{EventID: e, Subject: "melmastoon.payment.transaction.refunded.v1", Tenant: &s.r.Tenant, Processor: "test"}
	return recorder.Record(s.t.Context(), claim, func(ctx context.Context, f func(postgres.Tx) error) error {
		return inbox.Once(ctx, db, delivery, f)
	})
}

// enters lets the guest of the stored reservation check in, and out, until the state is reached.
func (s *confirmTest) enters(state State) {
	s.t.Helper()
	r := s.now()
	var events []event.Draft
	did := func(err error, published ...event.Draft) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
		events = append(events, published...)
	}
	for r.State != state {
		switch r.State {
		case Confirmed:
			of, rooms := roomsFor(r)
			_, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, arrival)
			did(err, CheckInBegun(r))
		case CheckInStarted:
			issueKeys(s.t, r)
			did(nil, GuestCheckedIn(r))
		default:
			wish := LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}
			if r.State == CheckoutStarted {
				wish.Folio = aFolio()
			}
			left, err := r.Leave(wish, departure)
			did(err, left...)
		}
	}
	if len(events) == 0 {
		return
	}
	if err := save(s.t, s.reservations, r, events...); err != nil {
		s.t.Fatal(err)
	}
}

func TestRecord_inHouse(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		state    State
		modified int
	}{{Confirmed, 0}, {CheckInStarted, 1}, {CheckedIn, 1}, {CheckoutStarted, 1}, {CheckedOut, 0}} {
		t.Run(string(test.state), func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			intent := *s.confirmed(captured)
			s.enters(test.state)
			s.refund(intent, Refund{Amount: 90})
			e := id.New[id.Event]()
			for range 3 {
				if err := s.deliver(e, s.r.ID, intent); err != nil {
					t.Fatal(err)
				}
			}
			r := s.now()
			if got, want := r.Balance(), (Balance{Captured: price, Refunded: 90, Currency: r.Currency}); got != want {
				t.Errorf("the balance is %+v, want %+v", got, want)
			}
			if len(r.Modified) != test.modified {
				t.Fatalf("%d modifications, want %d", len(r.Modified), test.modified)
			}
			if len(r.Payment.Requested) != 0 {
				t.Errorf("%d refunds requested, want none", len(r.Payment.Requested))
			}
			for _, m := range r.Modified {
				if m.Type != RateChange {
					t.Errorf("the type is %s, want %s", m.Type, RateChange)
				}
				if m.Request != nil {
					t.Errorf("the modification asks for %+v, want nothing", m.Request)
				}
				shows := func(got jsontext.Value, refunded int) {
					want := jsontext.Value(fmt.Sprintf(`{"balance":{"capturedMicro":"410000000","refundedMicro":"%d","dueMicro":"0","currency":"USD"}}`, refunded))
					if err := errors.Join(got.Canonicalize(), want.Canonicalize()); err != nil || string(got) != string(want) {
						t.Errorf("got %s, %v; want %s", got, err, want)
					}
				}
				shows(m.Before, 0)
				shows(m.After, 90)
			}
			if got := s.count("modified"); got != test.modified {
				t.Errorf("published %d modifications, want %d", got, test.modified)
			}
		})
	}
}

// All orders of the events about a cancelled reservation's money end alike: 100 were requested back, 40 the hotel gave back itself.
func TestRecord_anyOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	asked := id.New[id.Refund]()
	acts := map[string]func(*confirmTest, id.Intent, id.Event) error{
		"captured": func(s *confirmTest, i id.Intent, _ id.Event) error { return s.confirm(&i) },
		"first":    func(s *confirmTest, i id.Intent, e id.Event) error { return s.deliver(e, s.r.ID, i) },
		"second":   func(s *confirmTest, i id.Intent, e id.Event) error { return s.deliver(e, s.r.ID, i) },
	}
	for _, order := range [][]string{{"captured", "first", "second"}, {"captured", "second", "first"}, {"first", "captured", "second"},
		{"first", "second", "captured"}, {"second", "captured", "first"}, {"second", "first", "captured"}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			promise := *s.confirmed(cash)
			s.collects(&promise, s.r.Total)
			ids := map[string]id.Event{"captured": id.New[id.Event](), "first": id.New[id.Event](), "second": id.New[id.Event]()}
			s.refund(promise, Refund{ID: asked, Amount: 100})
			s.refund(promise, Refund{Amount: 40})
			for _, name := range slices.Concat(order, order) {
				if err := acts[name](s, promise, ids[name]); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			r := s.now()
			if got, want := r.Balance(), (Balance{Captured: price, Refunded: 140, Currency: r.Currency}); got != want {
				t.Errorf("the balance is %+v, want %+v", got, want)
			}
			if v := r.View(); v.RefundedAt == nil {
				t.Error("the reservation does not say when it was refunded")
			}
			if got := r.Payment.Intents[0].Executed; len(got) != 2 {
				t.Errorf("%d executed refunds, want 2", len(got))
			}
		})
	}
}

// A refund that a cancellation has requested does not lower the kept amount a second time.
func TestRecord_requested(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	intent := *s.confirmed(captured)
	s.edit(func(r *Reservation) {
		wish := CancelWish{Code: StaffCancelled, By: saga(), MayWaive: true}
		if err := r.CancelOnWish(wish, noon); err != nil {
			t.Fatal(err)
		}
	})
	asked := s.now().Payment.Requested
	if len(asked) != 1 {
		t.Fatalf("%d refunds requested, want 1", len(asked))
	}
	kept := s.now().Payment.kept()
	s.refund(intent, asked[0])
	for range 2 {
		if err := s.deliver(id.New[id.Event](), s.r.ID, intent); err != nil {
			t.Fatal(err)
		}
	}
	r := s.now()
	if got := r.Payment.kept(); got != kept {
		t.Errorf("%d are kept, want %d", got, kept)
	}
	if got := r.Balance().Refunded; got != price {
		t.Errorf("%d are refunded, want %d", got, price)
	}
	if got := published(t, s.db, s.r); !slices.Equal(got, []string{"held", "confirmed", "cancelled"}) {
		t.Errorf("published %v, want no modification", got)
	}
}

func TestRecord_refuses(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	own := *s.confirmed(captured)
	other := s.pays(with(aCapture, func(i *Intent) { i.Reservation = id.New[id.Reservation]() })(s.r))
	for _, test := range []struct {
		name   string
		r      id.Reservation
		intent id.Intent
		want   error
	}{
		{"an unknown reservation", id.New[id.Reservation](), own, ErrNotFound},
		{"an intent of another reservation", s.r.ID, other.ID, ErrForeign},
		{"an unknown intent", s.r.ID, id.New[id.Intent](), ErrNotCaptured},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := s.deliver(id.New[id.Event](), test.r, test.intent); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", test.name, err, test.want)
			}
		})
	}
	if got := s.now().Balance().Refunded; got != money.Micro(0) {
		t.Errorf("%d are refunded, want 0", got)
	}
}

// An intent that bought nothing is refunded without a trace in the reservation.
func TestRecord_boughtNothing(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	s.confirmed(captured)
	version, second := s.now().Version, s.second(90)
	if err := s.confirm(second); !errors.Is(err, ErrIllegalTransition) {
		t.Fatalf("got %v, want %v", err, ErrIllegalTransition)
	}
	if err := s.deliver(id.New[id.Event](), s.r.ID, *second); err != nil {
		t.Fatal(err)
	}
	if got := s.now().Version; got != version {
		t.Errorf("the version is %d, want %d", got, version)
	}
	s.adds()
}

// A payment that came after the cancellation and went back is in the balance, once the payment service reports the refund.
func TestRecord_afterCancellation(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name     string
		begin    func(*confirmTest) *id.Intent // confirms, unless nil
		late     func(*confirmTest, *id.Intent) *id.Intent
		captured money.Micro
	}{
		{"hold", nil, func(s *confirmTest, _ *id.Intent) *id.Intent { return s.second(s.r.Total) }, 410_000_000},
		{"promised_cash", cash, func(s *confirmTest, i *id.Intent) *id.Intent { s.collects(i, s.r.Total); return i }, 410_000_000},
		{"second_card", captured, func(s *confirmTest, _ *id.Intent) *id.Intent { return s.second(s.r.Total) }, 820_000_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			var first *id.Intent
			if test.begin != nil {
				first = s.confirmed(test.begin)
			}
			kept := money.Micro(0)
			s.change(func(r *Reservation) error {
				err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: saga()}, noon)
				kept = r.Payment.kept()
				return err
			})
			before := s.now().Balance()
			late := test.late(s, first)
			for range 2 {
				if err := s.confirm(late); !errors.Is(err, ErrIllegalTransition) {
					t.Fatalf("Confirm() = %v, want %v", err, ErrIllegalTransition)
				}
				if err := s.deliver(id.New[id.Event](), s.r.ID, *late); err != nil {
					t.Fatal(err)
				}
			}
			r := s.now()
			want := Balance{Captured: test.captured, Refunded: before.Refunded + s.r.Total, Currency: s.r.Currency}
			if got := r.Balance(); got != want {
				t.Errorf("Balance() = %+v, want %+v", got, want)
			}
			if got := r.Payment.kept(); got != kept {
				t.Errorf("%d are kept, want %d", got, kept)
			}
			if got := published(t, s.db, s.r); got[len(got)-1] != "cancelled" {
				t.Errorf("published %v, want cancelled at the end", got)
			}
		})
	}
}
