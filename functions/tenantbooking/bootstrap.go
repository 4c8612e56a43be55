package tenantbooking

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
)

// A Bootstrap is all that a hotel's site needs to begin.
type Bootstrap struct {
	Facade
	Moment
}

// A Facade is the part of a Bootstrap that is the same for all visitors with one language and one currency. It is encoded once
// for all of them.
type Facade struct {
	Tenant       id.Tenant            `json:"tenantId"`
	Slug         string               `json:"tenantSlug"`
	BrandName    string               `json:"brandName"`
	BrandTagline string               `json:"brandTagline,omitzero"`
	Theme        *Theme               `json:"theme"` // null where it could not be had: then Degraded names it
	Flow         FlowConfig           `json:"flowConfig"`
	Locale       locale.Tag           `json:"locale"`
	Locales      []locale.Conventions `json:"locales"`
	Currency     money.Currency       `json:"currency"`
	Currencies   []CurrencyView       `json:"currencies"`
	Methods      []Method             `json:"paymentMethods"`
	Policies     []PolicyView         `json:"policies"`
}

// A Moment is the part of a Bootstrap that is made for each answer. Its nonce and its time are fresh, also where the Facade
// comes from memory.
type Moment struct {
	Handoff      *Arrival           `json:"handoffPayload,omitzero"`
	Arrival      *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
	Degraded     []string           `json:"degraded,omitempty"` // what is missing and may come later
	ServerTime   time.Time          `json:"serverTime"`
	CSP          CSP                `json:"csp"`
	ComposedAt   time.Time          `json:"composedAt"`
	ComposedFrom ComposedFrom       `json:"composedFrom"`
	Version      string             `json:"bootstrapVersion"` // ComposedFrom as a client says it back, in X-Bootstrap-Version
}

// A FlowConfig is how a booking goes at the hotel.
type FlowConfig struct {
	Steps          []State `json:"steps"`
	HoldTTLSeconds int     `json:"holdTtlSeconds"`
	MaxRooms       int     `json:"maxRooms"`
	MaxNights      int     `json:"maxNights"`
}

// A CurrencyView is a currency as a site shows it. The exponent is the contract's: browsers know another one for some.
type CurrencyView struct {
	Code      money.Currency `json:"code"`
	Symbol    string         `json:"symbol"`
	Exponent  int            `json:"exponent"`
	IsPrimary bool           `json:"isPrimary"`
}

// A CSP is what the page's own policy is made with.
type CSP struct {
	Nonce string `json:"nonce"`
}

// ComposedFrom says which versions a bootstrap shows.
type ComposedFrom struct {
	Theme  string `json:"themeVersion"`
	Config string `json:"tenantConfigVersion"`
}

const usualHold = 600 // seconds, where the hotel does not say

// Facade returns the part that the visitor shares with all who have chosen the same language and currency.
func (f Storefront) Facade(v Visitor) Facade {
	t := v.Tenant
	shown := Facade{
		Tenant: t.ID, Slug: t.Slug, BrandName: t.BrandName, BrandTagline: t.BrandTagline, Theme: f.Theme,
		Flow: FlowConfig{
			Steps:          funnel,
			HoldTTLSeconds: t.Settings.HoldTTLSeconds,
			MaxRooms:       maxRooms,
			MaxNights:      t.Settings.MaxNights(),
		},
		Locale: v.Locale, Currency: v.Currency, Methods: t.PaymentMethods, Policies: f.Policies(v.Locale),
	}
	if shown.Flow.HoldTTLSeconds == 0 {
		shown.Flow.HoldTTLSeconds = usualHold
	}
	for _, l := range t.Locales {
		shown.Locales = append(shown.Locales, l.Conventions())
	}
	for _, c := range t.Currencies {
		shown.Currencies = append(shown.Currencies, CurrencyView{
			Code:      c,
			Symbol:    symbols[c],
			Exponent:  c.Exponent(),
			IsPrimary: c == t.Currency,
		})
	}
	return shown
}

// Moment returns the visitor's own part; a is nil unless they have just arrived by a handoff.
func (f Storefront) Moment(v Visitor, a *Arrival, now time.Time) Moment {
	from := ComposedFrom{f.version(), v.Tenant.version()}
	m := Moment{
		Degraded: f.Missing, ServerTime: now, ComposedAt: now, CSP: CSP{rand.Text()}, ComposedFrom: from, Version: from.Config + "-" + v.Tenant.terms() + "." + from.Theme,
	}
	if a != nil {
		m.Handoff, m.Arrival = a, &a.ID
	}
	return m
}

// A PolicyView is a house's rule in the guest's language.
type PolicyView struct {
	Property id.Property `json:"propertyId"`
	Kind     string      `json:"kind"`
	Title    string      `json:"title"`
	Text     string      `json:"text"`
}

// Policies are the rules in a language: empty where they could not be had.
func (f Storefront) Policies(l locale.Tag) []PolicyView { return ShowRules(f.Rules, l) }

// ShowRules are rules in a language.
func ShowRules(rules []HouseRule, l locale.Tag) []PolicyView {
	shown := []PolicyView{}
	for _, r := range rules {
		shown = append(shown, PolicyView{Property: r.Property, Kind: r.Kind, Title: r.Title.In(l), Text: r.Text.In(l)})
	}
	return shown
}

var symbols = map[money.Currency]string{
	money.AFN: "؋", money.IRR: "﷼", money.PKR: "₨", money.AED: "د.إ", money.USD: "$", money.EUR: "€", money.GBP: "£",
}

// version is what is said where there is no theme: an event must name one.
func (f Storefront) version() string {
	if f.Theme == nil {
		return "none"
	}
	return f.Theme.Named()
}

func (t Tenant) version() string { return "v" + strconv.Itoa(t.ConfigVersion) }

// terms returns a hash of what a booking is made on: currencies, languages, ways to pay and settings.
func (t Tenant) terms() string {
	text, _ := json.Marshal([]any{t.Currency, t.Currencies, t.Locales, t.PaymentMethods, t.Settings}) // all of them can be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// outdated reports whether a client that says what it was given knows an older configuration of the hotel, and other terms of a
// booking. Another tagline or theme rejects no client; a client with a newer configuration is ahead of what is remembered here.
func (t Tenant) outdated(given string) bool {
	config, _, _ := strings.Cut(given, ".")
	config, terms, _ := strings.Cut(config, "-")
	version, err := strconv.Atoi(strings.TrimPrefix(config, "v"))
	return given != "" && (err != nil || version < t.ConfigVersion && terms != t.terms())
}

type bootstrapServed struct {
	Tenant  id.Tenant          `json:"tenantId"`
	Slug    string             `json:"tenantSlug"`
	Session id.TenantSession   `json:"sessionId"`
	Locale  locale.Tag         `json:"locale"`
	Money   money.Currency     `json:"currency"`
	Theme   string             `json:"themeVersion"`
	Config  string             `json:"tenantConfigVersion"`
	Fanout  map[string]int64   `json:"fanoutLatencyMs"`
	Cache   cache.State        `json:"cache"`
	Handoff *id.Handoff        `json:"handoffId,omitzero"`
	Arrival *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
}

func servedPayload(v Visitor, f Storefront, a *Arrival) bootstrapServed {
	p := bootstrapServed{
		Tenant:  v.Tenant.ID,
		Slug:    v.Tenant.Slug,
		Session: v.Session.ID,
		Locale:  v.Locale,
		Money:   v.Currency,
		Theme:   f.version(),
		Config:  v.Tenant.version(),
		Fanout:  f.Took,
		Cache:   f.Cache,
		Handoff: nil,
		Arrival: nil,
	}
	if a != nil {
		p.Handoff, p.Arrival = &a.Handoff, &a.ID
	}
	return p
}
