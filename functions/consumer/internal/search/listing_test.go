package search

import (
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
		{"half a cent in all", Preview{Nightly: 45_500_000, Total: 91_005_000, Currency: money.USD}, ""},
		{"nothing", Preview{Total: 91_000_000, Currency: money.USD}, ""},
		{"less than nothing", Preview{Nightly: -1_000_000, Total: 91_000_000, Currency: money.USD}, ""},
		{"a currency that is none", Preview{Nightly: 45_500_000, Total: 91_000_000, Currency: "XXX"}, ""},
	} {
		test.preview.CapturedAt = noon
		got := test.preview.show(money.USD, true)
		switch {
		case test.want == "" && got == nil:
		case got == nil || test.want == "":
			t.Errorf("%s: got %+v", test.name, got)
		case got.Nightly != 4550 || got.Total != 9100 || got.Exponent != 2 || got.Policy != test.want || got.FX != test.preview.FX ||
			got.ExpiresAt != noon.Add(time.Minute) || !got.Stale:
			t.Errorf("%s: got %+v", test.name, got)
		}
	}
}

func TestListing_language(t *testing.T) {
	t.Parallel()
	l := Listing{Name: locale.Text{Default: "Kabul Grand", Localized: map[string]string{"ps": "کابل ګرانډ", "fa-AF": "کابل گراند"}}, Rating: &GuestRating{},
		Amenities: []string{"a", "b", "c", "d", "e", "f"}}
	for tag, want := range map[locale.Tag]string{
		locale.Pashto: "کابل ګرانډ", locale.Dari: "کابل گراند", locale.Persian: "Kabul Grand", locale.English: "Kabul Grand",
	} {
		card := l.show(tag)
		if card.Name.Display != want || card.Name.Default != "Kabul Grand" || len(card.Name.Localized) != 2 {
			t.Errorf("%s: got %+v", tag, card.Name)
		}
		if len(card.Amenities) != 5 || card.Rating != nil {
			t.Errorf("got %v, %v", card.Amenities, card.Rating)
		}
	}
	text, err := json.Marshal(l.show(locale.English))
	if err != nil || !strings.Contains(string(text), `"brandPeek":null,"rateSnapshot":null,"badges":[]`) {
		t.Errorf("got %s, %v: what is missing is null", text, err)
	}
}

func TestCalendar_inexactAmounts(t *testing.T) {
	t.Parallel()
	c := Calendar{[]DayPrice{{night(0, 1).CheckIn, 10_000_000}, {night(1, 1).CheckIn, 10_000_001}, {night(2, 1).CheckIn, 0}}, money.AFN}
	if days := c.show(); len(days) != 1 || days[0] != (CalendarDay{night(0, 1).CheckIn, 1000, money.AFN, 2}) {
		t.Errorf("got %+v", days)
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
