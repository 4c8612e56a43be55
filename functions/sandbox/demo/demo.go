// Package demo furnishes the sandbox with two fictional hotels whose ids never change.
package demo

import (
	"encoding"

	"melmastoon.ghasi.io/functions/sandbox"
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
	Methods    []sandbox.Method
	Theme      sandbox.Theme // its ids, its tokens and nothing else

	Property      id.Property
	Name          sandbox.Name
	TimeZone      string
	City, Country string
	Geo           sandbox.Geo
	Stars         int
	Rooms         []Room
	Charges       []sandbox.Charge
	Promo         sandbox.Promo
}

// A Room is a room type with the two ways in which it is sold.
type Room struct {
	ID          id.RoomType
	Name        string
	Description string
	Texts       sandbox.RoomTexts // in other languages
	Sleeps      int
	Units       int
	Flexible    Plan
	Saver       Plan
}

// A Plan is a rate plan: what it costs from Sunday to Wednesday, and from Thursday to Saturday, when people travel.
type Plan struct {
	ID          id.RatePlan
	Name        string
	Meals       string
	Quiet, Busy money.Micro
	Policy      sandbox.Policy
}

// Hotels are all there are.
func Hotels() []Hotel { return []Hotel{KabulGrand, HeratGarden} }

// KabulGrand is the hotel that examples book.
var KabulGrand = Hotel{
	Tenant: known[id.Tenant]("tnt_01J8KABG000000000000000TNT"), Slug: "kabul-grand-hotel", Brand: "Kabul Grand Hotel", Tagline: "A quiet house below the mountains",
	Domain: "kabul-grand.example", Region: "gcp-me-central1",
	Currency: money.AFN, Currencies: []money.Currency{money.AFN, money.USD, money.EUR},
	Locales: []locale.Tag{locale.Pashto, locale.Dari, locale.English},
	Methods: []sandbox.Method{sandbox.Card, sandbox.MFS, sandbox.CashOnArrival},
	Theme: sandbox.Theme{
		ID: known[sandbox.ThemeID]("thm_01J8KABG000000000000000THM"), Published: known[sandbox.ThemeVersion]("thv_01J8KABG000000000000000THV"),
		Tokens: sandbox.Tokens{Primary: "#1f4e79", OnPrimary: "#ffffff", Accent: "#c8963e", Background: "#f4f1ea",
			Surface: "#ffffff", Text: "#1d2530", Font: "system-ui", Corner: 10},
	},

	Property: known[id.Property]("ppt_01J8KABG000000000000000PPT"),
	Name: sandbox.Name{Default: "Kabul Grand Hotel", Localized: map[string]string{
		"ps-AF": "کابل ګرانډ هوټل", "fa-AF": "هتل گرند کابل", "en": "Kabul Grand Hotel"}},
	TimeZone: "Asia/Kabul", City: "Kabul", Country: "AF", Geo: sandbox.Geo{Lat: 34.5333, Lng: 69.1667}, Stars: 4,
	Rooms: []Room{
		{
			ID: known[id.RoomType]("rmt_01J8KABG00000000000000RMT1"), Name: "Standard room",
			Description: "A quiet double room to the courtyard.",
			Texts: texts("معیاري کوټه", "د انګړ په لور یوه ارامه دوه‌کسیزه کوټه.",
				"اتاق معیاری", "یک اتاق دونفرهٔ آرام رو به حیاط."),
			Sleeps: 2, Units: 12,
			Flexible: flexible("rate_01J8KABG00000000000000RT1F", 4500, 5200), Saver: saver("rate_01J8KABG00000000000000RT1S", 3900, 4600),
		},
		{
			ID: known[id.RoomType]("rmt_01J8KABG00000000000000RMT2"), Name: "Deluxe room",
			Description: "A large room with a view of the mountains.",
			Texts: texts("ډېلکس کوټه", "یوه لویه کوټه چې غرونو ته کتلی شئ.",
				"اتاق دیلوکس", "یک اتاق بزرگ با چشم‌انداز کوه‌ها."),
			Sleeps: 3, Units: 6,
			Flexible: flexible("rate_01J8KABG00000000000000RT2F", 6800, 7900), Saver: saver("rate_01J8KABG00000000000000RT2S", 5900, 6900),
		},
		{
			ID: known[id.RoomType]("rmt_01J8KABG00000000000000RMT3"), Name: "Family suite",
			Description: "Two bedrooms and a sitting room.",
			Texts: texts("کورنۍ سویټ", "دوه د خوب کوټې او یوه د ناستې کوټه.",
				"سویت خانوادگی", "دو اتاق خواب و یک اتاق نشیمن."),
			Sleeps: 5, Units: 2,
			Flexible: flexible("rate_01J8KABG00000000000000RT3F", 12500, 14000), Saver: saver("rate_01J8KABG00000000000000RT3S", 11000, 12500),
		},
	},
	Charges: []sandbox.Charge{
		{Kind: "tax", Description: "Business receipts tax 10 %", BasisPoints: 1000},
		{Kind: "fee", Description: "City fee", Amount: units(50)},
	},
	Promo: sandbox.Promo{Code: "NAWROZ", Percent: 15},
}

// HeratGarden is another tenant's hotel.
var HeratGarden = Hotel{
	Tenant: known[id.Tenant]("tnt_01J8HERT000000000000000TNT"), Slug: "herat-garden-hotel", Brand: "Herat Garden Hotel", Tagline: "Pomegranates, shade and good tea",
	Domain: "herat-garden.example", Region: "gcp-me-central1",
	Currency: money.AFN, Currencies: []money.Currency{money.AFN, money.USD, money.IRR},
	Locales: []locale.Tag{locale.Dari, locale.Pashto, locale.English},
	Methods: []sandbox.Method{sandbox.Card, sandbox.PayPal, sandbox.CashOnArrival},
	Theme: sandbox.Theme{
		ID: known[sandbox.ThemeID]("thm_01J8HERT000000000000000THM"), Published: known[sandbox.ThemeVersion]("thv_01J8HERT000000000000000THV"),
		Tokens: sandbox.Tokens{Primary: "#7a1f3d", OnPrimary: "#ffffff", Accent: "#2f6b4f", Background: "#f7f2ee",
			Surface: "#ffffff", Text: "#2a1d1f", Font: "serif", Corner: 4},
	},

	Property: known[id.Property]("ppt_01J8HERT000000000000000PPT"),
	Name: sandbox.Name{Default: "Herat Garden Hotel", Localized: map[string]string{
		"fa-AF": "هتل باغ هرات", "ps-AF": "د هرات باغ هوټل", "en": "Herat Garden Hotel"}},
	TimeZone: "Asia/Kabul", City: "Herat", Country: "AF", Geo: sandbox.Geo{Lat: 34.3482, Lng: 62.1997}, Stars: 3,
	Rooms: []Room{
		{
			ID: known[id.RoomType]("rmt_01J8HERT00000000000000RMT1"), Name: "Garden room",
			Description: "A double room beside the pomegranate trees.",
			Texts: texts("د باغ کوټه", "د انارو د ونو تر څنګ دوه‌کسیزه کوټه.",
				"اتاق باغ", "یک اتاق دونفره در کنار درختان انار."),
			Sleeps: 2, Units: 8,
			Flexible: flexible("rate_01J8HERT00000000000000RT1F", 3200, 3700), Saver: saver("rate_01J8HERT00000000000000RT1S", 2800, 3300),
		},
		{
			ID: known[id.RoomType]("rmt_01J8HERT00000000000000RMT2"), Name: "Courtyard suite",
			Description: "A suite around a small courtyard of its own.",
			Texts: texts("د انګړ سویټ", "یو سویټ د خپل کوچني انګړ شاوخوا.",
				"سویت حیاط", "یک سویت گرد حیاط کوچک خودش."),
			Sleeps: 4, Units: 3,
			Flexible: flexible("rate_01J8HERT00000000000000RT2F", 6000, 6900), Saver: saver("rate_01J8HERT00000000000000RT2S", 5300, 6100),
		},
	},
	Charges: []sandbox.Charge{{Kind: "tax", Description: "Business receipts tax 10 %", BasisPoints: 1000}},
	Promo:   sandbox.Promo{Code: "GARDEN", Percent: 10},
}

// rates are what one afghani costs. They stand still, so that examples do.
var rates = []struct {
	ID    id.FX
	Quote money.Currency
	Rate  string
}{
	{known[id.FX]("fxs_01J8FXS0000000000000000FX1"), money.USD, "0.0142"},
	{known[id.FX]("fxs_01J8FXS0000000000000000FX2"), money.EUR, "0.0131"},
	{known[id.FX]("fxs_01J8FXS0000000000000000FX3"), money.IRR, "597.5"},
}

func flexible(plan string, quiet, busy int64) Plan {
	return Plan{known[id.RatePlan](plan), "flexible", "breakfast", units(quiet), units(busy), sandbox.Policy{
		Ref: "flexible-24h", FreeUntilHoursBefore: 24, PenaltyPercent: 100,
		Description: "Free of charge until 24 hours before arrival, then the whole price."}}
}

func saver(plan string, quiet, busy int64) Plan {
	return Plan{known[id.RatePlan](plan), "saver", "room_only", units(quiet), units(busy), sandbox.Policy{
		Ref: "saver-7d", FreeUntilHoursBefore: 168, PenaltyPercent: 50,
		Description: "Free of charge until 7 days before arrival, then half the price."}}
}

// units is an amount in the currency's main unit.
func units(n int64) money.Micro { return money.Micro(n * 1_000_000) }

// known reads an id that is written in this file.
func known[T id.Any, P interface {
	*T
	encoding.TextUnmarshaler
}](text string) T {
	t, err := id.Parse[T, P](text)
	if err != nil {
		panic("demo: " + text + ": " + err.Error()) // a slip of the pen: no test can pass with it
	}
	return t
}
