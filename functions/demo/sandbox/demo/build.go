package demo

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A draft is a short description of a hotel.
type draft struct {
	number        int // of a generated hotel; 0 for a handwritten one
	city          string
	noun, kind    string
	stars         int
	at            standin.Geo
	neighbourhood string
	rating        standin.Rating
	currency      money.Currency // empty: the country's
	extras        []string       // amenities besides those of its stars, and the markers below
}

// slug returns the unique name of the hotel. All its ids derive from it.
func (d draft) slug(a *atlas, c city) string {
	s := kebab(a.nouns[d.noun][0] + " " + a.types[d.kind][0] + " " + c.Names[0])
	if d.number > 0 {
		s += fmt.Sprintf("-%05d", d.number)
	}
	return s
}

func kebab(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "-") }

// origin is the id that all ids of hotels here derive from.
var origin = known[id.Tenant]("tnt_01J8DEM0000000000000000TNT")

// build returns the complete hotel.
func (a *atlas) build(d draft) (Hotel, error) {
	n := slices.IndexFunc(a.cities, func(c city) bool { return c.ID == d.city })
	if n < 0 || a.nouns[d.noun] == (translations{}) || a.types[d.kind] == (translations{}) {
		return Hotel{}, fmt.Errorf("demo: %s %s in %s: unknown word or city", d.noun, d.kind, d.city)
	}
	c := a.cities[n]
	land, slug := a.countries[c.country()], d.slug(a, c)
	named := a.call(d, c)
	h := Hotel{
		Tenant: id.Derive[id.Tenant](origin, slug+" tenant"), Slug: slug, Brand: named[0], Domain: slug + ".example", Region: land.Region,
		Tagline:  a.taglines[pick(slug, len(a.taglines))],
		Currency: land.Currency, Currencies: land.Currencies, Locales: land.Locales, Methods: land.Methods,
		Theme: directory.Theme{ID: id.Derive[directory.ThemeID](origin, slug+" theme"),
			Published: id.Derive[directory.ThemeVersion](origin, slug+" look"), Tokens: a.themes[pick(slug, len(a.themes))]},
		Property: id.Derive[id.Property](origin, slug+" property"), Name: named.name(),
		TimeZone: c.Zone, CityID: c.ID, City: c.Names[0], Country: c.country(), Neighbourhood: d.neighbourhood, Geo: d.at,
		Type: d.kind, Stars: d.stars, Rating: d.rating, Amenities: amenities(d), Badges: badges(d, c),
		Charges: []pricing.Charge{{Kind: "tax", Description: land.Tax, BasisPoints: land.BasisPoints}},
		Promo:   pricing.Promo{Code: "WELCOME", Percent: 10},
	}
	if d.currency != "" {
		h.Currency = d.currency
		h.Currencies = append([]money.Currency{d.currency}, slices.DeleteFunc(slices.Clone(land.Currencies), func(c money.Currency) bool { return c == d.currency })...)
	}
	if slices.Contains(d.extras, finalCleaning) {
		fee, err := a.price(cleaningDollars, h.Currency)
		if err != nil {
			return h, err
		}
		h.Charges = append(h.Charges, pricing.Charge{Kind: "fee", Description: "Final cleaning", Amount: fee, Per: pricing.PerStay})
	}
	if land.Fee != "" {
		fee, err := a.price(float64(land.FeeUnits)/a.rate(land.Currency), h.Currency)
		if err != nil {
			return h, err
		}
		h.Charges = append(h.Charges, pricing.Charge{Kind: "fee", Description: land.Fee, Amount: fee})
	}
	for _, k := range rooms(d) {
		r, err := a.room(d, c, h, k)
		if err != nil {
			return h, err
		}
		h.Rooms = append(h.Rooms, r)
	}
	return h, nil
}

// call returns the hotel's name in the word order of each language.
func (a *atlas) call(d draft, c city) (name translations) {
	for i := range name {
		name[i] = strings.NewReplacer("{noun}", a.nouns[d.noun][i], "{type}", a.types[d.kind][i], "{city}", c.Names[i]).Replace(a.order[i])
	}
	return name
}

// pick maps a text to one of n, deterministically and evenly.
func pick(text string, n int) int {
	chosen := id.Derive[id.Tenant](origin, "pick "+text)
	return int(chosen[15]) % n
}

// The extras that are no amenities.
const (
	newHotel      = "new"
	finalCleaning = "final-cleaning" // charges a fee per room and stay
)

// cleaningDollars is the price of a final cleaning.
const cleaningDollars = 20

// amenities returns the hotel's own amenities, then those of its stars, rarest first.
func amenities(d draft) []string {
	all := slices.DeleteFunc(slices.Clone(d.extras), func(s string) bool { return s == newHotel || s == finalCleaning })
	for stars := d.stars; stars > 0; stars-- {
		all = append(all, promised[stars]...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// promised are the amenities that a number of stars adds to those of fewer stars.
var promised = map[int][]string{
	5: {"pool", "spa", "concierge"},
	4: {"airport-shuttle", "gym", "conference-room"},
	3: {"breakfast", "restaurant", "air-conditioning", "parking"},
	2: {"tea-house", "family-rooms"},
	1: {"wifi", "halal-kitchen", "prayer-room"},
}

// badges returns the badges of the hotel and of its country. No alcohol is served in these countries, nor in Sharjah.
func badges(d draft, c city) []string {
	all := []string{}
	if c.country() != "AE" || c.ID == "ae-sharjah" {
		all = append(all, "shariaCompliant")
	}
	if slices.Contains(d.extras, newHotel) {
		all = append(all, "newProperty")
	}
	return all
}

// rooms returns the kinds of rooms of such a hotel.
func rooms(d draft) []string {
	switch {
	case d.kind == "hostel":
		return []string{"dormitory", "twin"}
	case d.kind == "apartment":
		return []string{"studio", "apartment"}
	case d.kind == "guesthouse":
		return []string{"single", "twin", "family"}
	case d.stars >= 5:
		return []string{"standard", "deluxe", "family", "suite"}
	case d.stars == 4:
		return []string{"standard", "deluxe", "family"}
	}
	return []string{"single", "standard", "family"}
}

// houses are the numbers of standard rooms per star, by type of property.
var houses = map[string]float64{"hotel": 4, "guesthouse": 2, "hostel": 6, "apartment": 2}

// dollars are the prices of a standard room in Kabul, by stars.
var dollars = map[int]float64{1: 12, 2: 18, 3: 34, 4: 62, 5: 118}

const (
	busier  = 1.15 // on days with many travellers
	fixed   = 0.88 // for the non-refundable rate
	smaller = 0.85 // for properties other than hotels
)

func (a *atlas) room(d draft, c city, h Hotel, key string) (r Room, err error) {
	k := a.rooms[key]
	usual := dollars[d.stars] * c.Level * k.Factor
	if d.kind != "hotel" {
		usual *= smaller
	}
	var amounts [4]money.Micro
	for i, dollars := range []float64{usual, usual * busier, usual * fixed, usual * busier * fixed} {
		if amounts[i], err = a.price(dollars, h.Currency); err != nil {
			return r, err
		}
	}
	name := h.Slug + " " + key
	r = Room{ID: id.Derive[id.RoomType](origin, name), Name: k.Texts[0][0], Description: k.Texts[0][1], Texts: k.texts(), Sleeps: k.Sleeps,
		Units:    max(2, int(houses[d.kind]*float64(d.stars)/k.Factor)),
		Flexible: flexible(id.Derive[id.RatePlan](origin, name+" flexible"), amounts[0], amounts[1]),
		Saver:    saver(id.Derive[id.RatePlan](origin, name+" saver"), amounts[2], amounts[3])}
	return r, nil
}

func (k kind) texts() directory.RoomTexts {
	all := directory.RoomTexts{}
	var names, descriptions translations
	for i, text := range k.Texts {
		names[i], descriptions[i] = text[0], text[1]
	}
	described := descriptions.name()
	for locale, name := range names.name().Localized {
		all[locale] = directory.RoomText{Name: name, Description: described.Localized[locale]}
	}
	return all
}

// steps are the units that prices are rounded to, in main units.
var steps = map[money.Currency]float64{money.AFN: 50, money.PKR: 100, money.IRR: 100_000, money.AED: 5, money.USD: 1, money.EUR: 1, money.GBP: 1}

const (
	finer = 10 // low prices have smaller steps
	micro = 1_000_000
)

// price returns a round amount near so many dollars.
func (a *atlas) price(dollars float64, c money.Currency) (money.Micro, error) {
	step, amount := steps[c], dollars*a.rate(c)
	if step == 0 {
		return 0, fmt.Errorf("demo: no prices in %q", c)
	}
	if amount < finer*step {
		step /= finer
	}
	return money.Micro(math.Round(amount/step) * step * micro), nil
}

// rate returns the approximate price of a dollar.
func (a *atlas) rate(c money.Currency) float64 {
	rate, err := strconv.ParseFloat(a.perDollar[c], 64)
	if err != nil {
		return math.NaN() // loading rejects such a table
	}
	return rate
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
