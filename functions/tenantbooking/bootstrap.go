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

// A Bootstrap is the first response that a hotel's site reads.
type Bootstrap struct {
	Facade
	Moment
}

// A Facade is the part of a Bootstrap that is the same for all visitors with the same language and currency. It is
// encoded once for all of them.
type Facade struct {
	Tenant       id.Tenant            `json:"tenantId"`
	Slug         string               `json:"tenantSlug"`
	BrandName    string               `json:"brandName"`
	BrandTagline string               `json:"brandTagline,omitzero"`
	Theme        *Theme               `json:"theme"` // null if it could not be read: then Degraded lists it
	Flow         FlowConfig           `json:"flowConfig"`
	Locale       locale.Tag           `json:"locale"`
	Locales      []locale.Conventions `json:"locales"`
	Currency     money.Currency       `json:"currency"`
	Currencies   []CurrencyView       `json:"currencies"`
	Methods      []Method             `json:"paymentMethods"`
	Policies     []PolicyView         `json:"policies"`
}

// A Moment is the part of a Bootstrap that is created for each response. Its nonce and time are new, even if the Facade
// comes from the cache.
type Moment struct {
	Handoff      *Arrival           `json:"handoffPayload,omitzero"`
	Arrival      *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
	Degraded     []string           `json:"degraded,omitempty"` // parts that could not be read
	ServerTime   time.Time          `json:"serverTime"`
	CSP          CSP                `json:"csp"`
	ComposedAt   time.Time          `json:"composedAt"`
	ComposedFrom ComposedFrom       `json:"composedFrom"`
	Version      string             `json:"bootstrapVersion"` // ComposedFrom in the form of the X-Bootstrap-Version header
}

// A FlowConfig holds the steps and limits of a booking at the hotel.
type FlowConfig struct {
	Steps          []State `json:"steps"`
	HoldTTLSeconds int     `json:"holdTtlSeconds"`
	MaxRooms       int     `json:"maxRooms"`
	MaxNights      int     `json:"maxNights"`
}

// A CurrencyView is the representation of a currency. The exponent is the API's: browsers use another one for some
// currencies.
type CurrencyView struct {
	Code      money.Currency `json:"code"`
	Symbol    string         `json:"symbol"`
	Exponent  int            `json:"exponent"`
	IsPrimary bool           `json:"isPrimary"`
}

// A CSP holds the nonce of the page's content security policy.
type CSP struct {
	Nonce string `json:"nonce"`
}

// ComposedFrom holds the versions of the parts of a bootstrap.
type ComposedFrom struct {
	Theme  string `json:"themeVersion"`
	Config string `json:"tenantConfigVersion"`
}

const usualHold = 600 // seconds, if the hotel has no setting

// Facade returns the part that all visitors with the same language and currency share.
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

// Moment returns the visitor's own part; a is nil unless the visitor has just arrived by a handoff.
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

// A PolicyView is a house rule of a property in the guest's language.
type PolicyView struct {
	Property id.Property `json:"propertyId"`
	Kind     string      `json:"kind"`
	Title    string      `json:"title"`
	Text     string      `json:"text"`
}

// Policies returns the house rules in a language; empty if they could not be read.
func (f Storefront) Policies(l locale.Tag) []PolicyView { return ShowRules(f.Rules, l) }

// ShowRules returns house rules in a language.
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

// version returns the theme's version, or "none" without a theme, because events require a value.
func (f Storefront) version() string {
	if f.Theme == nil {
		return "none"
	}
	return f.Theme.Named()
}

func (t Tenant) version() string { return "v" + strconv.Itoa(t.ConfigVersion) }

// terms returns a hash of the settings that a booking depends on: currencies, languages, payment methods and limits.
func (t Tenant) terms() string {
	text, _ := json.Marshal([]any{t.Currency, t.Currencies, t.Locales, t.PaymentMethods, t.Settings}) // cannot fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// outdated reports whether the client's version has an older configuration of the tenant with other terms. A new tagline
// or theme does not make a client outdated. A client with a newer configuration is not outdated either: the cached
// tenant is.
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
