package quotes_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

func TestNew_priceMismatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		spoil func(*quotes.Price)
		want  error
	}{
		{"what was asked for", func(*quotes.Price) {}, nil},
		{"a room too few", func(p *quotes.Price) { p.Items = p.Items[:1] }, fault.ErrUpstreamUnavailable},
		{"another currency", func(p *quotes.Price) { p.Totals.Currency = money.AFN }, fault.ErrUpstreamUnavailable},
		{"nothing to pay", func(p *quotes.Price) { p.Totals.Grand = 0 }, fault.ErrUpstreamUnavailable},
		{"another room", func(p *quotes.Price) { p.Items[1].RoomType = id.New[id.RoomType]() }, fault.ErrUpstreamUnavailable},
		{"no policy", func(p *quotes.Price) { p.Policy = quotes.Policy{} }, fault.ErrUpstreamUnavailable},
		{"a policy without ref", func(p *quotes.Price) { p.Policy.Ref = "" }, fault.ErrUpstreamUnavailable},
		{"an item's policy without ref", func(p *quotes.Price) { p.Items[1].Policy = &quotes.Policy{PenaltyPercent: 50} }, fault.ErrUpstreamUnavailable},
		{"a penalty above the price", func(p *quotes.Price) { p.Policy.PenaltyPercent = 101 }, fault.ErrUpstreamUnavailable},
		{"a penalty below nothing", func(p *quotes.Price) { p.Items[0].Policy = &quotes.Policy{Ref: "p", PenaltyNights: -1} }, fault.ErrUpstreamUnavailable},
		{"a policy for centuries", func(p *quotes.Price) { p.Policy.FreeUntil = 3_000_000 }, fault.ErrUpstreamUnavailable},
		{"a no-show above the price", func(p *quotes.Price) { over := 101; p.Policy.NoShowPercent = &over }, fault.ErrUpstreamUnavailable},
		{"lines above the total", func(p *quotes.Price) { p.Lines[0].Amount++ }, fault.ErrUpstreamUnavailable},
		{"no lines", func(p *quotes.Price) { p.Lines = nil }, fault.ErrUpstreamUnavailable},
		{"lines beyond all numbers", func(p *quotes.Price) { p.Lines = append(p.Lines, quotes.Line{Amount: math.MaxInt64}) }, fault.ErrUpstreamUnavailable},
		{"an item below nothing", func(p *quotes.Price) { p.Items[0].Total = -1 }, fault.ErrUpstreamUnavailable},
		{"an FX snapshot without rate", func(p *quotes.Price) { p.FX = &quotes.FX{Base: "USD", Quote: "AFN", Source: "bank"} }, fault.ErrUpstreamUnavailable},
		{"half a total in the tenant's currency", func(p *quotes.Price) { p.Totals.OwnCurrency = nil }, fault.ErrUpstreamUnavailable},
		{"another rate", func(p *quotes.Price) { p.Items[0].RatePlan = id.New[id.RatePlan]() }, fault.ErrUpstreamUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ask := quotestest.Ask()
			price := quotestest.Price(ask, quotestest.Noon)
			test.spoil(&price)
			if _, err := quotes.New(id.New[id.Request](), id.New[id.Tenant](), quotestest.Basis(), ask, price); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestNew_basis(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		spoil func(*quotes.Basis)
		want  error
	}{
		{"complete", func(*quotes.Basis) {}, nil},
		{"no region", func(b *quotes.Basis) { b.Region = "" }, fault.ErrUpstreamUnavailable},
		{"no time zone", func(b *quotes.Basis) { b.TimeZone = "" }, fault.ErrUpstreamUnavailable},
		{"a time zone that does not exist", func(b *quotes.Basis) { b.TimeZone = "Asia/Nowhere" }, fault.ErrUpstreamUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ask, basis := quotestest.Ask(), quotestest.Basis()
			test.spoil(&basis)
			q, err := quotes.New(id.New[id.Request](), id.New[id.Tenant](), basis, ask, quotestest.Price(ask, quotestest.Noon))
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
		spoil func(*quotes.Ask)
		want  string
	}{
		{"two rooms", func(*quotes.Ask) {}, ""},
		{"no night", func(a *quotes.Ask) { a.Stay.End = a.Stay.Start }, "/stayWindow"},
		{"no room", func(a *quotes.Ask) { a.Items = nil }, "/items"},
		{"twenty rooms", func(a *quotes.Ask) { a.Items = slices.Repeat(a.Items[:1], stay.MaxRooms) }, ""},
		{"a whole town", func(a *quotes.Ask) { a.Items = make([]quotes.AskedItem, stay.MaxRooms+1) }, "/items"},
		{"a code that is an address", func(a *quotes.Ask) { a.Promo = "z@example.com" }, "/promoCode"},
		{"a code with a hidden character", func(a *quotes.Ask) { a.Promo = "SPRING\u202e" }, "/promoCode"},
		{"the longest code", func(a *quotes.Ask) { a.Promo = strings.Repeat("x", 64) }, ""},
		{"a code that is none", func(a *quotes.Ask) { a.Promo = strings.Repeat("x", 65) }, "/promoCode"},
		{"children alone", func(a *quotes.Ask) { a.Items[1].Occupants = stay.Occupants{Children: 2} }, "/items/1/occupants"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ask := quotestest.Ask()
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
