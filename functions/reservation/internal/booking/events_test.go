package booking

import (
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/contract"
)

func TestEvents_schemas(t *testing.T) {
	t.Parallel()
	quote := quotestest.Quote(t, id.New[id.Tenant]())
	quote.FX = &quotes.FX{ID: id.New[id.FX](), Base: "USD", Quote: "AFN", Rate: 70.25, Source: "pricing_service", CapturedAt: noon}
	held := aHeld(t)
	held.Code, held.Partner, held.FX = newCode(), "ota-1", quote.FX
	confirmed, soldOut, cash := confirmedOne(t), anExpired(t), aHeld(t)
	confirmed.Code, cash.Code = newCode(), newCode()
	if err := soldOut.CancelSoldOut(aCapture(soldOut), noon); err != nil {
		t.Fatal(err)
	}
	if err := cash.Confirm(aPromise(cash), cash.Hold, noon); err != nil {
		t.Fatal(err)
	}
	asked := confirmedOne(t)
	if _, err := asked.Ask(aRequest()); err != nil {
		t.Fatal(err)
	}
	published := map[string]bool{}
	for _, d := range []event.Draft{
		quotes.RequestedEvent(quote), quotes.CreatedEvent(quote), HoldPlaced(held), ReservationConfirmed(confirmed), ReservationConfirmed(cash),
		ReservationCancelled(soldOut), ReservationCancelled(cancelledOne(t)), HoldRanOut(anExpired(t)), RequestAdded(asked),
		ReservationModified(modifiedOne(t)), DatesChanged(movedOne(t), aHeld(t).Stay), CheckInBegun(checkedInOne(t)), GuestCheckedIn(checkedInOne(t)),
		ItemsCheckedIn(checkedInOne(t), saga(), noon),
		GuestMissed(missedOne(t)), CheckOutBegun(checkedOutOne(t)), GuestLeftEarly(checkedOutOne(t)), GuestCheckedOut(checkedOutOne(t)),
		GuestOverstayed(overstayedOne(t)),
	} {
		t.Run(d.Subject.Name, func(t *testing.T) {
			raw, err := d.Seal(noon, event.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			if err := contract.ValidateOutgoing(d.Subject.Name, raw.Payload); err != nil {
				t.Errorf("error = %v, want nil for\n%s", err, raw.Payload)
			}
			published[d.Subject.Name] = true
		})
	}
	for _, s := range Publishes() {
		if !published[s.Name] {
			t.Errorf("%s is not tested", s.Name)
		}
	}
}

func TestEvents_members(t *testing.T) {
	t.Parallel()
	q, held, confirmed, soldOut := quotestest.Quote(t, id.New[id.Tenant]()), aHeld(t), confirmedOne(t), anExpired(t)
	capture := aCapture(soldOut)
	if err := soldOut.CancelSoldOut(capture, noon); err != nil {
		t.Fatal(err)
	}
	rejected := quotes.Requested(id.New[id.Request](), q.Tenant, q.Region, quotestest.Ask(), noon)
	for _, test := range []struct {
		name string
		d    event.Draft
		want string
	}{
		{"infants asked for", quotes.RequestedEvent(q), `"occupants":{"adults":1,"children":0,"infants":0}`},
		{"infants asked for in vain", quotes.RequestedEvent(rejected), `"occupants":{"adults":1,"children":0,"infants":0}`},
		{"infants quoted", quotes.CreatedEvent(q), `"occupants":{"adults":1,"children":0,"infants":0}`},
		{"infants held", HoldPlaced(held), `"occupants":{"adults":1,"children":0,"infants":0}`},
		{"nights", quotes.CreatedEvent(q), `"nights":[{"date":"2037-12-01","amountMicro":"102500000","roomMicro":"100000000"},{"date":"2037-12-02","amountMicro":"102500000","roomMicro":"100000000"}]`},
		{"lines", quotes.CreatedEvent(q), `"lines":[{"kind":"room","description":"Room","amountMicro":"205000000"}`},
		{"the tenant's own currency", ReservationConfirmed(confirmed), `"inTenantCurrencyMicro":"28700000000","tenantCurrency":"AFN"`},
		{"what a cancellation reacts to", ReservationCancelled(soldOut), `"causationEventId":"` + capture.CaptureEvent.String() + `"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			raw, err := test.d.Seal(noon, event.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(raw.Payload), test.want) {
				t.Errorf("%s = %s, want %s in it", test.d.Subject.Name, raw.Payload, test.want)
			}
		})
	}
}

func TestEvents_captureWithoutEvent(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	r.Code, r.Payment.CaptureEvent = newCode(), nil
	raw, err := ReservationConfirmed(r).Seal(noon, event.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if contract.ValidateOutgoing(ConfirmedV1.Name, raw.Payload) == nil {
		t.Errorf("accepted: %s", raw.Payload)
	}
}

func TestEvents_orderingKey(t *testing.T) {
	t.Parallel()
	r, q := confirmedOne(t), quotestest.Quote(t, id.New[id.Tenant]())
	for _, test := range []struct {
		name string
		d    event.Draft
		want string
	}{
		{"a reservation", ReservationConfirmed(r), r.Tenant.String() + ":" + r.ID.String()},
		{"a quote", quotes.CreatedEvent(q), q.Tenant.String() + ":" + q.ID.String()},
		{"who asks for one", quotes.RequestedEvent(q), q.Tenant.String() + ":" + q.Session.String()},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.d.OrderingKey != test.want {
				t.Errorf("%s: %s, want %s", test.name, test.d.OrderingKey, test.want)
			}
		})
	}
	d := ReservationConfirmed(r)
	if d.AggregateVersion != r.Version {
		t.Errorf("d.AggregateVersion = %v, want %v", d.AggregateVersion, r.Version)
	}
	if d.Residency != r.Region {
		t.Errorf("d.Residency = %v, want %v", d.Residency, r.Region)
	}
	if d.Session != r.Session.String() {
		t.Errorf("d.Session = %v, want %v", d.Session, r.Session.String())
	}
}

func TestView_effectiveState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		r       *Reservation
		state   State
		pending Step
		paid    bool
	}{
		{r: aHeld(t), state: Held, pending: AwaitInventory, paid: false},
		{r: anExpired(t), state: ExpiredHold, pending: "", paid: false},
		{r: confirmedOne(t), state: Confirmed, pending: "", paid: true},
		{r: cancelledOne(t), state: Cancelled, pending: "", paid: false},
	} {
		t.Run(string(test.state), func(t *testing.T) {
			v := test.r.View()
			if v.State != test.state {
				t.Errorf("v.State = %v, want %v", v.State, test.state)
			}
			if v.Pending != test.pending {
				t.Errorf("v.Pending = %v, want %v", v.Pending, test.pending)
			}
			if (v.Payment != nil) != test.paid {
				t.Errorf("(v.Payment != nil) = %v, want %v", (v.Payment != nil), test.paid)
			}
			if (v.Cancellation != nil) != (test.state == Cancelled) {
				t.Errorf("(v.Cancellation != nil) = %v, want %v", (v.Cancellation != nil), (test.state == Cancelled))
			}
		})
	}
	v := aHeld(t).View()
	if v.Stay.Nights != 2 {
		t.Errorf("v.Stay.Nights = %v, want 2", v.Stay.Nights)
	}
	if len(v.Items) != 2 {
		t.Fatalf("len(v.Items) = %v, want 2", len(v.Items))
	}
	if v.Hold.ExpiresAt != noon.Add(10*time.Minute) {
		t.Errorf("v.Hold.ExpiresAt = %v, want %v", v.Hold.ExpiresAt, noon.Add(10*time.Minute))
	}
}
