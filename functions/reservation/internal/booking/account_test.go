package booking

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/test/seedrand"
)

// dailyPrice returns a price with another amount for each date, room type and number of adults, with a tax, a fee of each room and one of
// the stay.
func dailyPrice(a quotes.Ask) quotes.Price {
	const unit = 10_000
	p := quotes.Price{
		Policy: quotes.Policy{Ref: "p", FreeUntil: 48, PenaltyPercent: 50}, Extras: []quotes.Line{{Kind: "fee", Description: "Booking", Amount: 500 * unit}},
		Totals: quotes.PriceTotals{Totals: quotes.Totals{Grand: 500 * unit, Currency: a.Currency}},
	}
	for _, asked := range a.Items {
		item := quotes.PricedItem{RoomType: asked.RoomType, RatePlan: asked.RatePlan, Extras: []quotes.Line{{Kind: "fee", Description: "Cleaning", Amount: money.Micro(1000+int(asked.RoomType[0])) * unit}}}
		for _, date := range a.Stay.Dates() {
			day := date.Time().Day()
			room := money.Micro(5_003+131*day+7*int(asked.RoomType[15])+1_000*asked.Occupants.Adults) * unit
			item.Nights = append(item.Nights, quotes.Night{Date: date, Amount: room + room/unit*13/100*unit, Room: room})
		}
		item.Nightly, item.Total = item.Nights[0].Room, quotes.SumNights(item.Nights)+quotes.SumLines(item.Extras)
		p.Items, p.Totals.Grand = append(p.Items, item), p.Totals.Grand+item.Total
	}
	p.Lines = []quotes.Line{{Kind: "room", Description: "All", Amount: p.Totals.Grand}}
	return p
}

// A ledger is a booking that a random sequence of acts changes, without other services.
type ledger struct {
	t      *testing.T
	random *rand.Rand
	r      *Reservation
	now    time.Time
	log    []string
}

func openLedger(t *testing.T, random *rand.Rand) *ledger {
	t.Helper()
	ask := quotestest.Ask()
	q, err := quotes.New(id.New[id.Request](), id.New[id.Tenant](), quotestest.Basis(), ask, dailyPrice(ask))
	if err != nil {
		t.Fatal(err)
	}
	q.AsOf, q.ValidUntil = noon, noon.Add(time.Hour)
	r, err := Reserve(q, Details{Act: id.New[id.Request](), Channel: Direct, CreatedBy: saga(), TTL: stay.DefaultHold})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartHold(HoldResult{noon, noon.Add(stay.DefaultHold)}); err != nil {
		t.Fatal(err)
	}
	r.AsOf = noon
	if err := r.Confirm(aCapture(r), r.Hold, noon); err != nil {
		t.Fatal(err)
	}
	return &ledger{t: t, random: random, r: r, now: noon}
}

// change applies a plan, unless the act is refused.
func (l *ledger) change(name string, plan func() (*Plan, error)) (done bool) {
	l.t.Helper()
	p, err := plan()
	l.log = append(l.log, fmt.Sprint(name, " ", err))
	if err != nil {
		allowed := []error{fault.ErrValidation, ErrIllegalTransition, errSameDates}
		if !slices.ContainsFunc(allowed, func(target error) bool { return errors.Is(err, target) }) {
			l.t.Fatalf("%s: %v", name, err)
		}
		return false
	}
	p.Modification.ID, p.OccurredAt, p.Actor = id.New[id.Modification](), l.now, saga()
	before := l.r.Payment.kept()
	if err := l.r.apply(p, l.now); err != nil {
		l.t.Fatal(err)
	}
	l.check(before)
	return true
}

func (l *ledger) dates(to stay.Window) bool {
	return l.change("dates "+to.Start.String()+" "+to.End.String(), func() (*Plan, error) {
		nights, err := l.r.datesAsk(to, l.now)
		if err != nil {
			return nil, err
		}
		return l.r.changeDates(id.New[id.Request](), to, nights, dailyPrice(l.r.priced(l.r.Items, nights)))
	})
}

func (l *ledger) occupants(at, adults int) bool {
	return l.change("occupants", func() (*Plan, error) {
		from, err := l.r.changeable(l.now)
		if err != nil {
			return nil, err
		}
		wanted, to := l.r.Items[at], stay.Occupants{Adults: adults}
		wanted.Occupants = to
		return l.r.changeOccupants(at, to, from, dailyPrice(l.r.priced([]Item{wanted}, l.r.nightsFrom(from))))
	})
}

func (l *ledger) add() bool {
	return l.change("add", func() (*Plan, error) {
		asked := quotes.AskedItem{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 1 + l.random.IntN(2)}}
		ask := l.r.priced([]Item{{RoomType: asked.RoomType, RatePlan: asked.RatePlan, Occupants: asked.Occupants}}, l.r.Stay)
		return l.r.addRoom(id.New[id.Request](), asked, dailyPrice(ask))
	})
}

func (l *ledger) remove(at int) bool {
	return l.change("remove", func() (*Plan, error) { return l.r.removeRoom(at, l.now) })
}

// act makes a random change before the arrival.
func (l *ledger) act() {
	at := l.random.IntN(len(l.r.Items))
	switch l.random.IntN(5) {
	case 0:
		days := l.random.IntN(9) - 4
		l.dates(stay.Window{Start: l.r.Stay.Start.AddDays(days), End: l.r.Stay.End.AddDays(days + l.random.IntN(3) - 1)})
	case 1:
		l.occupants(at, 1+l.random.IntN(3))
	case 2:
		if len(l.r.Items) < 5 {
			l.add()
		}
	case 3:
		l.remove(at)
	default:
		l.change("rate", func() (*Plan, error) {
			return l.r.changeRate(at, money.Micro(1_000+l.random.IntN(9_000))*10_000, "agreed", l.r.currentNight(l.now))
		})
	}
}

// check holds what is true after each act: the account sums to the price, each charge is reversed once, and what was captured is kept,
// refunded or to be refunded.
func (l *ledger) check(keptBefore money.Micro) {
	l.t.Helper()
	r := l.r
	if got := r.Account.Price(); !r.ended() && got != r.Total {
		l.t.Errorf("the charges sum to %d, the total is %d", got, r.Total)
	}
	sums := map[account.Purpose]money.Micro{}
	for _, c := range r.Account.Valid() {
		if c.Kind != account.Retained && c.Cause != account.ByGoodwill {
			sums[c.Purpose()] += c.Amount
		}
	}
	for _, c := range r.terms() {
		if sums[c.Purpose()] != c.Amount {
			l.t.Errorf("%v is charged at %d, want %d", c.Purpose(), sums[c.Purpose()], c.Amount)
		}
		delete(sums, c.Purpose())
	}
	for p, sum := range sums {
		if sum != 0 {
			l.t.Errorf("%v is charged at %d, want nothing", p, sum)
		}
	}
	var requested money.Micro
	for _, back := range r.Payment.Requested {
		requested += back.Amount
	}
	if kept := r.Payment.kept(); kept+requested != r.Payment.Captured {
		l.t.Errorf("captured %d: kept %d and requested back %d", r.Payment.Captured, kept, requested)
	}
	if kept := r.Payment.kept(); kept < min(keptBefore, r.priceDue()) || kept > max(r.priceDue(), 0) {
		l.t.Errorf("kept %d of %d owed, %d before", kept, r.priceDue(), keptBefore)
	}
}

// sequences runs f with ledgers of random sequences.
func sequences(t *testing.T, f func(*ledger)) {
	t.Helper()
	t.Parallel()
	seed, acts := seedrand.New(t), 0
	for n := range seedrand.Iterations(t, 1_000, 20_000) {
		l := openLedger(t, seed.Of("sequence", n))
		f(l)
		acts += len(l.r.Modified)
		if t.Failed() {
			t.Fatalf("sequence %d: %q", n, l.log)
		}
	}
	if t.Logf("%d changes", acts); acts == 0 {
		t.Error("no change was made")
	}
}

// fresh returns the price of the present rooms and nights, as a new quote gives it.
func (l *ledger) fresh() money.Micro { return dailyPrice(l.r.priced(l.r.Items, l.r.Stay)).Totals.Grand }

// Before the arrival, the price depends on the rooms and nights only, however they came about. What was retained comes on top.
func TestAccount_pathIndependence(t *testing.T) {
	sequences(t, func(l *ledger) {
		for range 2 + l.random.IntN(8) {
			l.act()
		}
		for at := range l.r.Items { // another price of pricing replaces agreed rates
			l.occupants(at, l.r.Items[at].Occupants.Adults)
		}
		if got, want := l.r.Total, l.fresh()+l.r.Account.Retained(); got != want {
			l.t.Errorf("total = %d, a fresh quote gives %d", got, want)
		}
	})
}

// Undoing a change restores the total, before the arrival and in house.
func TestAccount_undo(t *testing.T) {
	sequences(t, func(l *ledger) {
		if l.random.IntN(2) == 0 {
			l.arrive()
		}
		before, was := l.r.Total, l.r.Stay
		to := stay.Window{Start: was.Start, End: was.End.AddDays(1 + l.random.IntN(6))}
		for range 1 + l.random.IntN(3) {
			if !l.dates(to) || !l.dates(was) {
				l.t.Fatalf("the dates cannot be changed: %q", l.log)
			}
		}
		at := l.random.IntN(len(l.r.Items))
		adults := l.r.Items[at].Occupants.Adults
		l.r.Items[at].Occupants = stay.Occupants{Adults: adults} // pricing here knows adults only
		if l.occupants(at, adults+1) {
			l.occupants(at, adults)
		}
		if l.r.Total != before {
			l.t.Errorf("total = %d, want %d as before", l.r.Total, before)
		}
	})
}

// arrive checks the guest in on the arrival day.
func (l *ledger) arrive() {
	l.t.Helper()
	l.now = l.r.Local.Hour(l.r.Stay.Start, "15:00")
	of, rooms := roomsFor(l.r)
	if _, err := l.r.StartCheckIn(rooms, of, saga(), l.now); err != nil {
		l.t.Fatal(err)
	}
	issueKeys(l.t, l.r)
}

// A slept night costs what was quoted for its date, whatever happens afterwards.
func TestAccount_sleptNights(t *testing.T) {
	sequences(t, func(l *ledger) {
		l.dates(stay.Window{Start: l.r.Stay.Start, End: l.r.Stay.Start.AddDays(3 + l.random.IntN(6))})
		l.arrive()
		slept := map[account.Purpose]money.Micro{}
		for l.r.businessDate(l.now).Before(l.r.Stay.End.AddDays(-1)) {
			tonight := l.r.businessDate(l.now)
			switch at := l.random.IntN(len(l.r.Items)); l.random.IntN(3) {
			case 0:
				l.dates(stay.Window{Start: l.r.Stay.Start, End: tonight.AddDays(2 + l.random.IntN(3))})
			case 1:
				l.occupants(at, 1+l.random.IntN(3))
			default:
				l.change("rate", func() (*Plan, error) {
					return l.r.changeRate(at, money.Micro(2_000+l.random.IntN(5_000))*10_000, "agreed", tonight)
				})
			}
			for _, item := range l.r.Items {
				for _, n := range item.Nights {
					if n.Date == tonight {
						slept[account.Purpose{Item: item.ID, Night: tonight}] = n.Amount
					}
				}
			}
			l.now = l.now.Add(24 * time.Hour)
		}
		if _, err := l.r.Leave(LeaveWish{By: saga(), Manager: true, Force: true, Folio: aFolio()}, l.now); err != nil {
			l.t.Fatal(err)
		}
		charged := map[account.Purpose]money.Micro{}
		for _, c := range l.r.Account.Valid() {
			charged[c.Purpose()] += c.Amount
		}
		for night, want := range slept {
			if charged[night] != want {
				l.t.Errorf("%v costs %d, want %d", night, charged[night], want)
			}
		}
	})
}

// A retained amount stays retained: no later change, and no cancellation, lowers or reverses it. Removing or adding a room changes no
// charge of the other rooms.
func TestAccount_retained(t *testing.T) {
	sequences(t, func(l *ledger) {
		l.add()
		l.add()
		l.now = l.r.Local.Midnight(l.r.Stay.Start).Add(-time.Duration(1+l.random.IntN(40)) * time.Hour) // after the deadline
		l.r.AsOf = l.now
		others := l.chargesWithout(l.r.Items[0].ID)
		l.remove(0)
		if got := l.chargesWithout(); !slices.Equal(got, others) {
			l.t.Errorf("the charges of the other rooms are %v, want %v", got, others)
		}
		retained := l.r.Account.Retained()
		if retained == 0 {
			l.t.Fatal("nothing is retained")
		}
		for range 1 + l.random.IntN(5) {
			l.act()
			if got := l.r.Account.Retained(); got < retained {
				l.t.Fatalf("retained %d, want at least %d", got, retained)
			} else {
				retained = got
			}
		}
		if l.r.State != Confirmed || !l.now.Before(l.r.noShowAt()) {
			return
		}
		kept := l.r.Payment.kept()
		if err := l.r.CancelOnWish(CancelWish{Code: StaffCancelled, By: saga(), MayWaive: true}, l.now); err != nil {
			l.t.Fatal(err)
		}
		if got := l.r.priceDue(); got != retained {
			l.t.Errorf("after a cancellation by the hotel %d are owed, want the %d retained before", got, retained)
		}
		l.check(min(kept, retained))
	})
}

// chargesWithout returns the valid charges of the rooms, without those of the given ones and without what was retained.
func (l *ledger) chargesWithout(items ...id.Item) (all []string) {
	for _, c := range l.r.Account.Valid() {
		if c.Item != nil && c.Kind != account.Retained && !slices.Contains(items, *c.Item) {
			all = append(all, fmt.Sprint(c.Purpose(), c.Amount))
		}
	}
	return all
}
