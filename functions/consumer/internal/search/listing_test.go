package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

func TestPreview_exactAmounts(t *testing.T) {
	t.Parallel()
	fx := id.FX{1}
	for _, test := range []struct {
		name    string
		preview Preview
		want    DisplayPolicy // "" for no price
	}{
		{"in the hotel's own currency", Preview{Nightly: 45_500_000, Total: 91_000_000, Currency: money.USD}, TenantCurrency},
		{"converted", Preview{Nightly: 45_500_000, Total: 91_000_000, Currency: money.USD, FX: fx}, VisitorCurrency},
		{"not converted", Preview{Nightly: 45_500_000, Total: 91_000_000, Currency: money.AED}, FallbackCurrency},
		{"half a cent", Preview{Nightly: 45_505_000, Total: 91_000_000, Currency: money.USD}, ""},
		{"half a cent in total", Preview{Nightly: 45_500_000, Total: 91_005_000, Currency: money.USD}, ""},
		{"nothing", Preview{Total: 91_000_000, Currency: money.USD}, ""},
		{"negative price", Preview{Nightly: -1_000_000, Total: 91_000_000, Currency: money.USD}, ""},
		{"unknown currency", Preview{Nightly: 45_500_000, Total: 91_000_000, Currency: "XXX"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.preview.CapturedAt = noon
			got := test.preview.show(money.USD, true)
			if test.want == "" {
				if got != nil {
					t.Errorf("show() = %+v, want nil", got)
				}
				return
			}
			want := RateSnapshot{Nightly: 4550, Total: 9100, Currency: test.preview.Currency, Exponent: 2, Policy: test.want, FX: test.preview.FX,
				CapturedAt: noon, ExpiresAt: noon.Add(time.Minute), Stale: true}
			if got == nil {
				t.Fatalf("show() = nil, want %+v", want)
			}
			if *got != want {
				t.Errorf("show() = %+v, want %+v", *got, want)
			}
		})
	}
}

func TestListing_language(t *testing.T) {
	t.Parallel()
	l := Listing{Name: locale.Text{Default: "Kabul Grand", Localized: map[string]string{"ps": "کابل ګرانډ", "fa-AF": "کابل گراند"}}, Rating: &GuestRating{},
		Amenities: []string{"a", "b", "c", "d", "e", "f"}}
	for tag, want := range map[locale.Tag]string{
		locale.Pashto: "کابل ګرانډ", locale.Dari: "کابل گراند", locale.Persian: "Kabul Grand", locale.English: "Kabul Grand",
	} {
		t.Run(fmt.Sprint(tag), func(t *testing.T) {
			card := l.show(tag)
			if card.Name.Display != want {
				t.Errorf("%s: card.Name.Display = %q, want %q", tag, card.Name.Display, want)
			}
			if card.Name.Default != "Kabul Grand" {
				t.Errorf(`%s: card.Name.Default = %q, want "Kabul Grand"`, tag, card.Name.Default)
			}
			if len(card.Name.Localized) != 2 {
				t.Errorf("%s: len(card.Name.Localized) = %d, want 2", tag, len(card.Name.Localized))
			}
			if len(card.Amenities) != 5 {
				t.Errorf("len(card.Amenities) = %d, want 5", len(card.Amenities))
			}
			if card.Rating != nil {
				t.Errorf("card.Rating = %v, want nil", card.Rating)
			}
		})
	}
	text, err := json.Marshal(l.show(locale.English))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"rateSnapshot":null,"badges":[]`) {
		t.Errorf("string(text) = %q, want it to contain %q", string(text), `"rateSnapshot":null,"badges":[]`)
	}
}

func TestListing_badges(t *testing.T) {
	t.Parallel()
	l := Listing{Badges: []Badge{"bestseller", NewProperty, "", "newproperty", ShariaCompliant, CrossRegionDelivery}}
	want := []Badge{NewProperty, ShariaCompliant, CrossRegionDelivery}
	if got := l.show(locale.English).Badges; !slices.Equal(got, want) {
		t.Errorf("Badges = %q, want %q", got, want)
	}
}

func TestBrand_neutralParts(t *testing.T) {
	t.Parallel()
	hotel := locale.Text{Default: "Kabul Grand", Localized: map[string]string{"ps": "کابل ګرانډ"}}
	for _, test := range []struct {
		name               string
		brand              Brand
		color, logo, shown string
	}{
		{"none", Brand{}, neutralColor, neutralLogo, "کابل ګرانډ"},
		{"without_logo", Brand{Color: "#112233", Name: locale.Text{Default: "Grand"}}, "#112233", neutralLogo, "Grand"},
		{"without_name", Brand{Color: "#112233", LogoURL: "/logo.svg"}, "#112233", "/logo.svg", "کابل ګرانډ"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := test.brand.show(hotel, locale.Pashto)
			if got.Color != test.color {
				t.Errorf("Color = %q, want %q", got.Color, test.color)
			}
			if got.LogoURL != test.logo {
				t.Errorf("LogoURL = %q, want %q", got.LogoURL, test.logo)
			}
			if got.Name.Display != test.shown {
				t.Errorf("Name.Display = %q, want %q", got.Name.Display, test.shown)
			}
		})
	}
	if !colorPattern.MatchString(neutralColor) {
		t.Errorf("neutralColor = %q, want a colour", neutralColor)
	}
}

func TestCalendar_inexactAmounts(t *testing.T) {
	t.Parallel()
	c := Calendar{[]DayPrice{{night(0, 1).CheckIn, 10_000_000}, {night(1, 1).CheckIn, 10_000_001}, {night(2, 1).CheckIn, 0}}, money.AFN}
	days := c.show()
	if len(days) != 1 {
		t.Fatalf("len(days) = %d, want 1", len(days))
	}
	if days[0] != (CalendarDay{night(0, 1).CheckIn, 1000, money.AFN, 2}) {
		t.Errorf("days[0] = %+v, want %+v", days[0], (CalendarDay{night(0, 1).CheckIn, 1000, money.AFN, 2}))
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	h := Property{CheckIn: "14:00", CheckOut: "11:00"}
	rules := []PropertyRule{{Kind: "cancellation", Text: locale.Text{Default: "Free", Localized: map[string]string{"ps": "وړیا"}}}, {Kind: "check_in", Text: locale.Text{Default: "From 15:00"}}}
	if got := h.policies(rules, locale.Pashto); got != (PolicyTexts{"وړیا", "From 15:00", "11:00"}) {
		t.Errorf("got %+v", got)
	}
}
