package search

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
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
				check.Equal(t, got, nil)
				return
			}
			want := RateSnapshot{Nightly: 4550, Total: 9100, Currency: test.preview.Currency, Exponent: 2, Policy: test.want, FX: test.preview.FX,
				CapturedAt: noon, ExpiresAt: noon.Add(time.Minute), Stale: true}
			check.MustNotEqual(t, got, nil)
			check.Equal(t, *got, want)
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
			check.Equal(t, card.Name.Display, want, "%s", string(tag))
			check.Equal(t, card.Name.Default, "Kabul Grand", "%s", string(tag))
			check.Equal(t, len(card.Name.Localized), 2, "%s", string(tag))
			check.Equal(t, len(card.Amenities), 5)
			check.Equal(t, card.Rating, nil)
		})
	}
	text, err := json.Marshal(l.show(locale.English))
	check.Must(t, err)
	check.Contains(t, string(text), `"rateSnapshot":null,"badges":[]`)
}

func TestListing_badges(t *testing.T) {
	t.Parallel()
	l := Listing{Badges: []Badge{"bestseller", NewProperty, "", "newproperty", ShariaCompliant, CrossRegionDelivery}}
	want := []Badge{NewProperty, ShariaCompliant, CrossRegionDelivery}
	check.Equal(t, l.show(locale.English).Badges, want)
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
			check.Equal(t, got.Color, test.color)
			check.Equal(t, got.LogoURL, test.logo)
			check.Equal(t, got.Name.Display, test.shown)
		})
	}
	check.Equal(t, colorPattern.MatchString(neutralColor), true, "neutralColor = %q", neutralColor)
}

func TestCalendar_inexactAmounts(t *testing.T) {
	t.Parallel()
	c := Calendar{[]DayPrice{{night(0, 1).CheckIn, 10_000_000}, {night(1, 1).CheckIn, 10_000_001}, {night(2, 1).CheckIn, 0}}, money.AFN}
	days := c.show()
	check.MustEqual(t, len(days), 1)
	check.Equal(t, days[0], CalendarDay{night(0, 1).CheckIn, 1000, money.AFN, 2})
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	h := Property{CheckIn: "14:00", CheckOut: "11:00"}
	rules := []PropertyRule{{Kind: "cancellation", Text: locale.Text{Default: "Free", Localized: map[string]string{"ps": "وړیا"}}}, {Kind: "check_in", Text: locale.Text{Default: "From 15:00"}}}
	check.Equal(t, h.policies(rules, locale.Pashto), PolicyTexts{"وړیا", "From 15:00", "11:00"})
}
