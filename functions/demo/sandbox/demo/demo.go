// Package demo fills the sandbox with fictional hotels in real cities. Their ids never change.
package demo

import (
	"encoding"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// A Hotel is a tenant with its one property.
type Hotel struct {
	Tenant     id.Tenant
	Slug       string
	Brand      string
	Tagline    string
	Domain     string
	Region     string
	Currency   money.Currency
	Currencies []money.Currency
	Locales    []locale.Tag
	Methods    []standin.Method
	Theme      directory.Theme // ids and tokens only

	Property      id.Property
	Name          standin.Name
	TimeZone      string
	CityID        string // in the search index
	City, Country string
	Neighbourhood string
	Geo           standin.Geo
	Type          string
	Stars         int
	Rating        standin.Rating
	Amenities     []string
	Badges        []string
	Rooms         []Room
	Charges       []pricing.Charge
	Promo         pricing.Promo
}

// A Room is a room type with its two rate plans.
type Room struct {
	ID          id.RoomType
	Name        string
	Description string
	Texts       directory.RoomTexts // by language
	Sleeps      int
	Units       int
	Flexible    Plan
	Saver       Plan
}

// texts returns the Pashto and Persian translations of a room.
func texts(psName, psDescription, faName, faDescription string) directory.RoomTexts {
	return directory.RoomTexts{"ps-AF": {Name: psName, Description: psDescription}, "fa-AF": {Name: faName, Description: faDescription}}
}

// A Plan is a rate plan: its price from Sunday to Wednesday, and from Thursday to Saturday, when people travel.
type Plan struct {
	ID          id.RatePlan
	Name        string
	Meals       string
	Quiet, Busy money.Micro
	Policy      pricing.Policy
}

// KabulGrand is the hotel in examples.
var KabulGrand = Hotel{
	Tenant: known[id.Tenant]("tnt_01J8KABG000000000000000TNT"), Slug: "kabul-grand-hotel", Brand: "Kabul Grand Hotel", Tagline: "A quiet house below the mountains",
	Domain: "kabul-grand.example", Region: "gcp-me-central1",
	Currency: money.AFN, Currencies: []money.Currency{money.AFN, money.USD, money.EUR},
	Locales: []locale.Tag{locale.Pashto, locale.Dari, locale.English},
	Methods: []standin.Method{standin.Card, standin.MFS, standin.CashOnArrival},
	Theme: directory.Theme{
		ID: known[directory.ThemeID]("thm_01J8KABG000000000000000THM"), Published: known[directory.ThemeVersion]("thv_01J8KABG000000000000000THV"),
		Tokens: directory.Tokens{Primary: "#1f4e79", OnPrimary: "#ffffff", Accent: "#c8963e", Background: "#f4f1ea",
			Surface: "#ffffff", Text: "#1d2530", Font: "system-ui", Corner: 10},
	},

	Property: known[id.Property]("ppt_01J8KABG000000000000000PPT"),
	Name: standin.Name{Default: "Kabul Grand Hotel", Localized: map[string]string{
		"ps-AF": "کابل ګرانډ هوټل", "fa-AF": "هتل گرند کابل", "en": "Kabul Grand Hotel"}},
	TimeZone: "Asia/Kabul", City: "Kabul", Country: "AF", Geo: standin.Geo{Lat: 34.5333, Lng: 69.1667}, Stars: 4,
	CityID: "af-kabul", Neighbourhood: "Shahr-e Naw", Type: "hotel", Rating: standin.Rating{Value: 4.4, Count: 326}, Badges: []string{"shariaCompliant"},
	Amenities: []string{"garden", "breakfast", "restaurant", "halal-kitchen", "prayer-room", "wifi", "parking", "airport-shuttle", "generator", "family-rooms"},
	Rooms: []Room{
		{
			ID: known[id.RoomType]("rmt_01J8KABG00000000000000RMT1"), Name: "Standard room",
			Description: "A quiet double room to the courtyard.",
			Texts: texts("معیاري کوټه", "د انګړ په لور یوه ارامه دوه‌کسیزه کوټه.",
				"اتاق معیاری", "یک اتاق دونفرهٔ آرام رو به حیاط."),
			Sleeps: 2, Units: 12,
			Flexible: flexible(known[id.RatePlan]("rate_01J8KABG00000000000000RT1F"), units(4500), units(5200)), Saver: saver(known[id.RatePlan]("rate_01J8KABG00000000000000RT1S"), units(3900), units(4600)),
		},
		{
			ID: known[id.RoomType]("rmt_01J8KABG00000000000000RMT2"), Name: "Deluxe room",
			Description: "A large room with a view of the mountains.",
			Texts: texts("ډېلکس کوټه", "یوه لویه کوټه چې غرونو ته کتلی شئ.",
				"اتاق دیلوکس", "یک اتاق بزرگ با چشم‌انداز کوه‌ها."),
			Sleeps: 3, Units: 6,
			Flexible: flexible(known[id.RatePlan]("rate_01J8KABG00000000000000RT2F"), units(6800), units(7900)), Saver: saver(known[id.RatePlan]("rate_01J8KABG00000000000000RT2S"), units(5900), units(6900)),
		},
		{
			ID: known[id.RoomType]("rmt_01J8KABG00000000000000RMT3"), Name: "Family suite",
			Description: "Two bedrooms and a sitting room.",
			Texts: texts("کورنۍ سویټ", "دوه د خوب کوټې او یوه د ناستې کوټه.",
				"سویت خانوادگی", "دو اتاق خواب و یک اتاق نشیمن."),
			Sleeps: 5, Units: 2,
			Flexible: flexible(known[id.RatePlan]("rate_01J8KABG00000000000000RT3F"), units(12500), units(14000)), Saver: saver(known[id.RatePlan]("rate_01J8KABG00000000000000RT3S"), units(11000), units(12500)),
		},
	},
	Charges: []pricing.Charge{
		{Kind: "tax", Description: "Business receipts tax 10%", BasisPoints: 1000},
		{Kind: "fee", Description: "City fee", Amount: units(50)},
	},
	Promo: pricing.Promo{Code: "NAWROZ", Percent: 15},
}

// HeratGarden is another tenant's hotel.
var HeratGarden = Hotel{
	Tenant: known[id.Tenant]("tnt_01J8HERT000000000000000TNT"), Slug: "herat-garden-hotel", Brand: "Herat Garden Hotel", Tagline: "Pomegranates, shade and good tea",
	Domain: "herat-garden.example", Region: "gcp-me-central1",
	Currency: money.AFN, Currencies: []money.Currency{money.AFN, money.USD, money.IRR},
	Locales: []locale.Tag{locale.Dari, locale.Pashto, locale.English},
	Methods: []standin.Method{standin.Card, standin.PayPal, standin.CashOnArrival},
	Theme: directory.Theme{
		ID: known[directory.ThemeID]("thm_01J8HERT000000000000000THM"), Published: known[directory.ThemeVersion]("thv_01J8HERT000000000000000THV"),
		Tokens: directory.Tokens{Primary: "#7a1f3d", OnPrimary: "#ffffff", Accent: "#2f6b4f", Background: "#f7f2ee",
			Surface: "#ffffff", Text: "#2a1d1f", Font: "serif", Corner: 4},
	},

	Property: known[id.Property]("ppt_01J8HERT000000000000000PPT"),
	Name: standin.Name{Default: "Herat Garden Hotel", Localized: map[string]string{
		"fa-AF": "هتل باغ هرات", "ps-AF": "د هرات باغ هوټل", "en": "Herat Garden Hotel"}},
	TimeZone: "Asia/Kabul", City: "Herat", Country: "AF", Geo: standin.Geo{Lat: 34.3482, Lng: 62.1997}, Stars: 3,
	CityID: "af-herat", Neighbourhood: "Old Town", Type: "hotel", Rating: standin.Rating{Value: 4.2, Count: 141}, Badges: []string{"shariaCompliant"},
	Amenities: []string{"garden", "breakfast", "tea-house", "halal-kitchen", "prayer-room", "wifi", "parking", "family-rooms"},
	Rooms: []Room{
		{
			ID: known[id.RoomType]("rmt_01J8HERT00000000000000RMT1"), Name: "Garden room",
			Description: "A double room beside the pomegranate trees.",
			Texts: texts("د باغ کوټه", "د انارو د ونو تر څنګ دوه‌کسیزه کوټه.",
				"اتاق باغ", "یک اتاق دونفره در کنار درختان انار."),
			Sleeps: 2, Units: 8,
			Flexible: flexible(known[id.RatePlan]("rate_01J8HERT00000000000000RT1F"), units(3200), units(3700)), Saver: saver(known[id.RatePlan]("rate_01J8HERT00000000000000RT1S"), units(2800), units(3300)),
		},
		{
			ID: known[id.RoomType]("rmt_01J8HERT00000000000000RMT2"), Name: "Courtyard suite",
			Description: "A suite around a small courtyard of its own.",
			Texts: texts("د انګړ سویټ", "یو سویټ د خپل کوچني انګړ شاوخوا.",
				"سویت حیاط", "یک سویت گرد حیاط کوچک خودش."),
			Sleeps: 4, Units: 3,
			Flexible: flexible(known[id.RatePlan]("rate_01J8HERT00000000000000RT2F"), units(6000), units(6900)), Saver: saver(known[id.RatePlan]("rate_01J8HERT00000000000000RT2S"), units(5300), units(6100)),
		},
	},
	Charges: []pricing.Charge{{Kind: "tax", Description: "Business receipts tax 10%", BasisPoints: 1000}},
	Promo:   pricing.Promo{Code: "GARDEN", Percent: 10},
}

// rates are the prices of one afghani. They are constant, so that examples are.
var rates = []struct {
	ID    id.FX
	Quote money.Currency
	Rate  string
}{
	{known[id.FX]("fxs_01J8FXS0000000000000000FX1"), money.USD, "0.0142"},
	{known[id.FX]("fxs_01J8FXS0000000000000000FX2"), money.EUR, "0.0131"},
	{known[id.FX]("fxs_01J8FXS0000000000000000FX3"), money.IRR, "597.5"},
}

func flexible(plan id.RatePlan, quiet, busy money.Micro) Plan {
	return Plan{
		ID:     plan,
		Name:   "flexible",
		Meals:  "breakfast",
		Quiet:  quiet,
		Busy:   busy,
		Policy: pricing.Policy{Ref: "flexible-24h", FreeUntilHoursBefore: 24, PenaltyPercent: 100},
	}
}

func saver(plan id.RatePlan, quiet, busy money.Micro) Plan {
	return Plan{
		ID:     plan,
		Name:   "saver",
		Meals:  "room_only",
		Quiet:  quiet,
		Busy:   busy,
		Policy: pricing.Policy{Ref: "saver-7d", FreeUntilHoursBefore: 168, PenaltyPercent: 100},
	}
}

// units returns an amount of main units.
func units(n int64) money.Micro { return money.Micro(n * 1_000_000) }

// known parses an id that is written in this file.
func known[T id.Any, P interface {
	*T
	encoding.TextUnmarshaler
}](text string) T {
	t, err := id.Parse[T, P](text)
	if err != nil {
		panic("demo: " + text + ": " + err.Error()) // a typo in this file
	}
	return t
}
