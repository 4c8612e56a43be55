package booking

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

func TestNewQuote_priceMismatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		spoil func(*Price)
		want  error
	}{
		{"what was asked for", func(*Price) {}, nil},
		{"a room too few", func(p *Price) { p.Items = p.Items[:1] }, fault.ErrUpstreamUnavailable},
		{"another currency", func(p *Price) { p.Totals.Currency = money.AFN }, fault.ErrUpstreamUnavailable},
		{"nothing to pay", func(p *Price) { p.Totals.Grand = 0 }, fault.ErrUpstreamUnavailable},
		{"another room", func(p *Price) { p.Items[1].RoomType = id.New[id.RoomType]() }, fault.ErrUpstreamUnavailable},
		{"no policy", func(p *Price) { p.Policy = Policy{} }, fault.ErrUpstreamUnavailable},
		{"a policy without ref", func(p *Price) { p.Policy.Ref = "" }, fault.ErrUpstreamUnavailable},
		{"an item's policy without ref", func(p *Price) { p.Items[1].Policy = &Policy{PenaltyPercent: 50} }, fault.ErrUpstreamUnavailable},
		{"a penalty above the price", func(p *Price) { p.Policy.PenaltyPercent = 101 }, fault.ErrUpstreamUnavailable},
		{"a penalty below nothing", func(p *Price) { p.Items[0].Policy = &Policy{Ref: "p", PenaltyNights: -1} }, fault.ErrUpstreamUnavailable},
		{"a policy for centuries", func(p *Price) { p.Policy.FreeUntil = 3_000_000 }, fault.ErrUpstreamUnavailable},
		{"a no-show above the price", func(p *Price) { over := 101; p.Policy.NoShowPercent = &over }, fault.ErrUpstreamUnavailable},
		{"lines above the total", func(p *Price) { p.Lines[0].Amount++ }, fault.ErrUpstreamUnavailable},
		{"no lines", func(p *Price) { p.Lines = nil }, fault.ErrUpstreamUnavailable},
		{"lines beyond all numbers", func(p *Price) { p.Lines = append(p.Lines, Line{Amount: math.MaxInt64}) }, fault.ErrUpstreamUnavailable},
		{"an item below nothing", func(p *Price) { p.Items[0].Total = -1 }, fault.ErrUpstreamUnavailable},
		{"an FX snapshot without rate", func(p *Price) { p.FX = &FX{Base: "USD", Quote: "AFN", Source: "bank"} }, fault.ErrUpstreamUnavailable},
		{"half a total in the tenant's currency", func(p *Price) { p.Totals.OwnCurrency = nil }, fault.ErrUpstreamUnavailable},
		{"another rate", func(p *Price) { p.Items[0].RatePlan = id.New[id.RatePlan]() }, fault.ErrUpstreamUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ask := anAsk(t)
			price := aPrice(ask, noon)
			test.spoil(&price)
			if _, err := NewQuote(id.New[id.Request](), id.New[id.Tenant](), aBasis(), ask, price); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestNewQuote_basis(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		spoil func(*Basis)
		want  error
	}{
		{"complete", func(*Basis) {}, nil},
		{"no region", func(b *Basis) { b.Region = "" }, fault.ErrUpstreamUnavailable},
		{"no time zone", func(b *Basis) { b.TimeZone = "" }, fault.ErrUpstreamUnavailable},
		{"a time zone that does not exist", func(b *Basis) { b.TimeZone = "Asia/Nowhere" }, fault.ErrUpstreamUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ask, basis := anAsk(t), aBasis()
			test.spoil(&basis)
			q, err := NewQuote(id.New[id.Request](), id.New[id.Tenant](), basis, ask, aPrice(ask, noon))
			if !errors.Is(err, test.want) {
				t.Fatalf("NewQuote() error = %v, want %v", err, test.want)
			}
			if err == nil {
				if q.Local != basis.Local {
					t.Errorf("q.Local = %v, want %v", q.Local, basis.Local)
				}
				if q.NoShowGrace != basis.NoShowGrace {
					t.Errorf("q.NoShowGrace = %v, want %v", q.NoShowGrace, basis.NoShowGrace)
				}
				if q.Region != basis.Region {
					t.Errorf("q.Region = %v, want %v", q.Region, basis.Region)
				}
			}
		})
	}
}

func TestAsk_Validate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		spoil func(*Ask)
		want  string
	}{
		{"two rooms", func(*Ask) {}, ""},
		{"no night", func(a *Ask) { a.Stay.End = a.Stay.Start }, "/stayWindow"},
		{"no room", func(a *Ask) { a.Items = nil }, "/items"},
		{"a whole town", func(a *Ask) { a.Items = make([]AskedItem, maxItems+1) }, "/items"},
		{"a code that is an address", func(a *Ask) { a.Promo = "z@example.com" }, "/promoCode"},
		{"a code with a hidden character", func(a *Ask) { a.Promo = "SPRING\u202e" }, "/promoCode"},
		{"a code that is none", func(a *Ask) { a.Promo = strings.Repeat("x", maxPromoLength+1) }, "/promoCode"},
		{"children alone", func(a *Ask) { a.Items[1].Occupants = stay.Occupants{Children: 2} }, "/items/1/occupants"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ask := anAsk(t)
			test.spoil(&ask)
			var got string
			if err := ask.Validate(); err != nil {
				got = fault.From(err).Violations[0].Pointer
			}
			if got != test.want {
				t.Errorf("got a violation at %q, want %q", got, test.want)
			}
		})
	}
}

func TestReserve_expiry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		asOf time.Duration // before the quote's end
		want error
	}{
		{"in time", time.Millisecond, nil},
		{"at the very end", 0, ErrQuoteExpired},
		{"late", -time.Second, ErrQuoteExpired},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := aQuote(t, id.New[id.Tenant]())
			q.AsOf = q.ValidUntil.Add(-test.asOf)
			if _, err := q.Reserve(Details{Act: id.New[id.Request](), TTL: defaultHold}); err != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestReserve_idempotentIDs(t *testing.T) {
	t.Parallel()
	q, act := aQuote(t, id.New[id.Tenant]()), id.New[id.Request]()
	one, err := q.Reserve(Details{Act: act, TTL: defaultHold})
	if err != nil {
		t.Fatal(err)
	}
	again, err := q.Reserve(Details{Act: act, TTL: defaultHold})
	if err != nil {
		t.Fatal(err)
	}
	other, err := q.Reserve(Details{Act: id.New[id.Request](), TTL: defaultHold})
	if err != nil {
		t.Fatal(err)
	}
	if one.ID != again.ID {
		t.Errorf("repeated: one.ID = %v, want %v", one.ID, again.ID)
	}
	if one.Hold.Allocations[1] != again.Hold.Allocations[1] {
		t.Errorf("repeated: one.Hold.Allocations[1] = %v, want %v", one.Hold.Allocations[1], again.Hold.Allocations[1])
	}
	if one.Items[1].ID != again.Items[1].ID {
		t.Errorf("repeated: one.Items[1].ID = %v, want %v", one.Items[1].ID, again.Items[1].ID)
	}
	if one.ID == other.ID {
		t.Errorf("two acts, or two rooms, have the same ids: one.ID = %v, want a different value", one.ID)
	}
	if one.Hold.Allocations[0] == other.Hold.Allocations[0] {
		t.Errorf("two acts, or two rooms, have the same ids: one.Hold.Allocations[0] = %v, want a different value", one.Hold.Allocations[0])
	}
	if one.Hold.Allocations[0] == one.Hold.Allocations[1] {
		t.Errorf("two acts, or two rooms, have the same ids: one.Hold.Allocations[0] = %v, want a different value", one.Hold.Allocations[0])
	}
}

func TestNewCode(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 2000 {
		code := newCode()
		if len(code) != len("GM-")+codeLength {
			t.Fatalf("len(code) = %v, want %v", len(code), len("GM-")+codeLength)
		}
		if strings.Trim(code[3:], letters) != "" {
			t.Fatalf(`strings.Trim(code[3:], letters) = %q, want ""`, strings.Trim(code[3:], letters))
		}
		if !strings.HasPrefix(code, "GM-") {
			t.Fatalf("code = %q, want %q at its start", code, "GM-")
		}
		seen[code] = true
	}
	if len(seen) < 1990 { // of 244 million
		t.Errorf("2000 draws gave %d codes", len(seen))
	}
}

func TestPerson_canonicalLocale(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]locale.Tag{"fa-AF": locale.Dari, "prs": locale.Dari, "fa-AF-u-nu-latn": locale.Dari, "PS-af": locale.Pashto,
		"en_US": "en-US", "": "", "x-mine": "", "not a tag": ""} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			var p Person
			if err := json.Unmarshal([]byte(`{"locale":"`+text+`"}`), &p); p.Locale != want || (err == nil) != (want != "") {
				t.Errorf("%q: got %q, %v; want %q", text, p.Locale, err, want)
			}
		})
	}
}
