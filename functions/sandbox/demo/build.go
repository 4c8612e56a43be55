package demo

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A draft is a hotel in few words.
type draft struct {
	number        int // of a hotel that was drawn; 0 of one that was thought up
	city          string
	noun, kind    string
	stars         int
	at            sandbox.Geo
	neighbourhood string
	rating        sandbox.Rating
	currency      money.Currency // its country's where empty
	extras        []string       // amenities besides those of its stars; new says that the house is
}

// slug tells the hotel from all others: all its ids follow from it.
func (d draft) slug(a *atlas, c city) string {
	s := kebab(a.nouns[d.noun][0] + " " + a.types[d.kind][0] + " " + c.Names[0])
	if d.number > 0 {
		s += fmt.Sprintf("-%05d", d.number)
	}
	return s
}

func kebab(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "-") }

// origin is where the ids of all hotels here begin.
var origin = known[id.Tenant]("tnt_01J8DEM0000000000000000TNT")

// build makes the whole hotel.
func (a *atlas) build(d draft) (Hotel, error) {
	n := slices.IndexFunc(a.cities, func(c city) bool { return c.ID == d.city })
	if n < 0 || a.nouns[d.noun] == (said{}) || a.types[d.kind] == (said{}) {
		return Hotel{}, fmt.Errorf("demo: %s %s in %s: no such word or city", d.noun, d.kind, d.city)
	}
	c := a.cities[n]
	land, slug := a.countries[c.country()], d.slug(a, c)
	named := a.call(d, c)
	h := Hotel{
		Tenant: id.Derive[id.Tenant](origin, slug+" tenant"), Slug: slug, Brand: named[0], Domain: slug + ".example", Region: land.Region,
		Tagline:  a.taglines[pick(slug, len(a.taglines))],
		Currency: land.Currency, Currencies: land.Currencies, Locales: land.Locales, Methods: land.Methods,
		Theme: sandbox.Theme{ID: id.Derive[sandbox.ThemeID](origin, slug+" theme"),
			Published: id.Derive[sandbox.ThemeVersion](origin, slug+" look"), Tokens: a.looks[pick(slug, len(a.looks))]},
		Property: id.Derive[id.Property](origin, slug+" property"), Name: named.name(),
		TimeZone: c.Zone, CityID: c.ID, City: c.Names[0], Country: c.country(), Neighbourhood: d.neighbourhood, Geo: d.at,
		Type: d.kind, Stars: d.stars, Rating: d.rating, Amenities: amenities(d), Badges: badges(d, c),
		Charges: []sandbox.Charge{{Kind: "tax", Description: land.Tax, BasisPoints: land.BasisPoints}},
		Promo:   sandbox.Promo{Code: "WELCOME", Percent: 10},
	}
	if d.currency != "" {
		h.Currency = d.currency
		h.Currencies = append([]money.Currency{d.currency}, slices.DeleteFunc(slices.Clone(land.Currencies), func(c money.Currency) bool { return c == d.currency })...)
	}
	if land.Fee != "" {
		fee, err := a.price(float64(land.FeeUnits)/a.rate(land.Currency), h.Currency)
		if err != nil {
			return h, err
		}
		h.Charges = append(h.Charges, sandbox.Charge{Kind: "fee", Description: land.Fee, Amount: fee})
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

// call composes the hotel's name as each language orders it.
func (a *atlas) call(d draft, c city) (name said) {
	for i := range name {
		name[i] = strings.NewReplacer("{noun}", a.nouns[d.noun][i], "{type}", a.types[d.kind][i], "{city}", c.Names[i]).Replace(a.order[i])
	}
	return name
}

// pick chooses one of n by a text: always the same, and evenly over many.
func pick(text string, n int) int {
	chosen := id.Derive[id.Tenant](origin, "pick "+text)
	return int(chosen[15]) % n
}

// amenities are the hotel's own, then what its stars promise, the rarest first.
func amenities(d draft) []string {
	all := slices.DeleteFunc(slices.Clone(d.extras), func(s string) bool { return s == "new" })
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

// promised is what a house of so many stars has besides what one of fewer has.
var promised = map[int][]string{
	5: {"pool", "spa", "concierge"},
	4: {"airport-shuttle", "gym", "conference-room"},
	3: {"breakfast", "restaurant", "air-conditioning", "parking"},
	2: {"tea-house", "family-rooms"},
	1: {"wifi", "halal-kitchen", "prayer-room"},
}

// badges are known of the house or of where it stands: nobody serves alcohol in these countries, nor in Sharjah.
func badges(d draft, c city) []string {
	all := []string{}
	if c.country() != "AE" || c.ID == "ae-sharjah" {
		all = append(all, "shariaCompliant")
	}
	if slices.Contains(d.extras, "new") {
		all = append(all, "newProperty")
	}
	return all
}

// rooms are the kinds that such a house lets.
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

// houses are how many standard rooms a house has per star.
var houses = map[string]float64{"hotel": 4, "guesthouse": 2, "hostel": 6, "apartment": 2}

// dollars are what a standard room with so many stars costs in Kabul.
var dollars = map[int]float64{1: 12, 2: 18, 3: 34, 4: 62, 5: 118}

const (
	busier  = 1.15 // on the days when people travel
	fixed   = 0.88 // for those who promise to come
	smaller = 0.85 // of houses that are no hotels
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

func (k kind) texts() sandbox.RoomTexts {
	all := sandbox.RoomTexts{}
	var names, descriptions said
	for i, text := range k.Texts {
		names[i], descriptions[i] = text[0], text[1]
	}
	described := descriptions.name()
	for locale, name := range names.name().Localized {
		all[locale] = sandbox.RoomText{Name: name, Description: described.Localized[locale]}
	}
	return all
}

// steps are what prices are multiples of, in main units.
var steps = map[money.Currency]float64{money.AFN: 50, money.PKR: 100, money.IRR: 100_000, money.AED: 5, money.USD: 1, money.EUR: 1, money.GBP: 1}

const (
	finer = 10 // what costs little is not rounded to as much
	micro = 1_000_000
)

// price is a round amount near so many dollars.
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

// rate is what a dollar costs, near enough to make prices of.
func (a *atlas) rate(c money.Currency) float64 {
	rate, err := strconv.ParseFloat(a.perDollar[c], 64)
	if err != nil {
		return math.NaN() // Load refuses such a table
	}
	return rate
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
