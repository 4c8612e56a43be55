package booking

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const minute = time.Minute

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func aVisitor() session.Visitor {
	t := id.New[id.Tenant]()
	return session.Visitor{
		Tenant:  hotel.Tenant{ID: t},
		Session: session.Session{ID: id.New[id.TenantSession](), Tenant: t, Consent: session.Consent{Telemetry: true}},
		Locale:  "ps-AF", Currency: money.AFN, Device: attribution.Mobile, Campaign: attribution.Campaign{Source: "google"},
	}
}

func aQuote() Quote {
	day := stay.DateOf(noon)
	return Quote{
		ID: id.New[id.Quote](), Total: money.Minor{Amount: 12_500, Currency: money.AFN, Exponent: 2}, ExpiresAt: noon.Add(15 * minute),
		Selection: Selection{Property: id.New[id.Property](), RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](),
			Stay: hotel.Stay{CheckIn: day.AddDays(3), CheckOut: day.AddDays(5)}, Occupancy: hotel.Occupancy{Adults: 2, Children: 1, Rooms: 1}},
	}
}

func names(events []event.Draft) (short []string) {
	for _, e := range events {
		short = append(short, strings.TrimSuffix(strings.TrimPrefix(e.Subject.Name, "melmastoon.bff.tenant."), ".v1"))
	}
	return short
}

func TestDraft_events(t *testing.T) {
	t.Parallel()
	d := NewDraft(id.New[id.Request](), aVisitor(), aQuote(), noon)
	intent := Intent{ID: id.New[id.Intent](), Method: hotel.Card, Provider: "bank", RedirectURL: "https://bank.example", Amount: d.Quote.Total}
	hold := func(code string) Hold { return Hold{id.New[id.Reservation](), code, d.Quote.ID, noon.Add(10 * minute)} }
	for _, step := range []struct {
		name string
		act  func(time.Time) ([]event.Draft, error)
		want []string
	}{
		{"first hold creates the draft", func(at time.Time) ([]event.Draft, error) { return d.SetHold(hold("GM-1"), at) }, []string{"booking.draft.created", "flow.step_completed"}},
		{"new quote", func(at time.Time) ([]event.Draft, error) { return d.SetQuote(aQuote(), aVisitor(), at) }, nil},
		{"second hold", func(at time.Time) ([]event.Draft, error) { return d.SetHold(hold("GM-2"), at) }, []string{"flow.step_completed"}},
		{"guest details", func(at time.Time) ([]event.Draft, error) { return d.SetGuest(Guest{FirstName: "Z"}, Hashes{}, at) }, []string{"flow.step_completed"}},
		{"corrected guest details", func(at time.Time) ([]event.Draft, error) {
			return d.SetGuest(Guest{FirstName: "Zarghona"}, Hashes{}, at)
		}, nil},
		{"payment", func(at time.Time) ([]event.Draft, error) { return d.Pay(intent, at) }, []string{"flow.step_completed", "payment_intent.created"}},
		{"same payment", func(at time.Time) ([]event.Draft, error) { return d.Pay(intent, at) }, nil},
		{"confirming", d.StartConfirming, []string{"flow.step_completed"}},
		{"confirming again", d.StartConfirming, nil},
		{"confirmed", func(now time.Time) ([]event.Draft, error) { return d.Convert(Reservation{}, now) }, []string{"flow.step_completed", "booking.draft.converted"}},
	} {
		t.Run(step.name, func(t *testing.T) { // each step continues the one before it
			events, err := step.act(noon.Add(minute))
			check.Must(t, err)
			check.Equal(t, names(events), step.want)
		})
	}
	check.Equal(t, d.Guest, nil, "an ended draft has the guest")
	check.NotEqual(t, d.EndedAt, nil, "an ended draft has no time of its end")
	check.Equal(t, d.ExpiresAt, noon.Add(minute+keepEnded), "an ended draft expires at")
}

func TestDraft_lapses(t *testing.T) {
	t.Parallel()
	d := NewDraft(id.New[id.Request](), aVisitor(), aQuote(), noon)
	want := func(after string, err error, expiry time.Time) {
		t.Helper()
		check.Must(t, err, "%s", after)
		check.Equal(t, d.ExpiresAt, expiry, "expiry after %s", after)
	}
	want("the first quote", nil, noon.Add(30*minute))
	_, err := d.SetHold(Hold{id.New[id.Reservation](), "GM-1", d.Quote.ID, noon.Add(10 * minute)}, noon.Add(minute))
	want("the hold", err, noon.Add(10*minute))
	_, err = d.SetGuest(Guest{FirstName: "Z"}, Hashes{}, noon.Add(9*minute)) // does not extend the hold
	want("the guest's details", err, noon.Add(10*minute))
	_, err = d.SetQuote(aQuote(), aVisitor(), noon.Add(9*minute))
	want("another quote", err, noon.Add(39*minute))
}

func TestMay_lapsedDraft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state State
		act   Act
		want  error
	}{
		{state: Quoting, act: Quotes, want: nil},
		{state: Quoting, act: Holds, want: ErrQuoteExpired},
		{state: Quoting, act: Abandons, want: nil},
		{state: Holding, act: SetsGuest, want: ErrHoldExpired},
		{state: Holding, act: Quotes, want: nil},
		{state: CollectingDetails, act: Pays, want: ErrHoldExpired},
		{state: Paying, act: Pays, want: ErrHoldExpired},
		{state: Paying, act: Confirms, want: nil},
		{state: Paying, act: Converts, want: nil},
		{state: Confirming, act: Converts, want: nil},
	} {
		t.Run(string(test.act)+" while "+string(test.state), func(t *testing.T) {
			d := aDraft(test.state)
			d.AsOf = d.ExpiresAt // the limit itself counts as expired
			check.Error(t, d.May(test.act), test.want)
			d.AsOf = d.ExpiresAt.Add(-time.Microsecond)
			check.NoError(t, d.May(test.act), "just before")
		})
	}
}

func TestCheckHold_quotedPriceOnly(t *testing.T) {
	t.Parallel()
	shown := func(amount int64, c money.Currency) (m fn.Maybe[money.Minor]) {
		check.Must(t, json.Unmarshal(fmt.Appendf(nil, `{"amountMinor":%d,"currency":%q,"exponent":2}`, amount, c), &m))
		return m
	}
	var unseen fn.Maybe[money.Minor]
	d := aDraft(Quoting)
	for _, test := range []struct {
		name  string
		quote id.Quote
		shown fn.Maybe[money.Minor]
		at    time.Time
		want  error
	}{
		{"just before its end", d.Quote.ID, unseen, d.Quote.ExpiresAt.Add(-1), nil},
		{"at its end", d.Quote.ID, unseen, d.Quote.ExpiresAt, ErrQuoteExpired},
		{"another quote", id.New[id.Quote](), unseen, noon, ErrPriceChanged},
		{"the total that was shown", d.Quote.ID, shown(12_500, money.AFN), noon, nil},
		{"one unit more", d.Quote.ID, shown(12_501, money.AFN), noon, ErrPriceChanged},
		{"a higher one was shown", d.Quote.ID, shown(12_499, money.AFN), noon, ErrPriceChanged},
		{"another currency", d.Quote.ID, shown(12_500, money.USD), noon, ErrPriceChanged},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Error(t, d.CheckHold(test.quote, test.shown, test.at), test.want)
		})
	}
}
