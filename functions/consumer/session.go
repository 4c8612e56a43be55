package consumer

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Session is an anonymous traveller's visit, over weeks. What it chose and agreed to is mirrored in SQL; what it looked at
// and searched for is in its hot document only, and is lost with that.
type Session struct {
	ID             id.GuestSession      `json:"guestSessionId"`
	Version        int64                `json:"version"`
	Chosen         int64                `json:"chosenVersion"` // of what the mirror has too
	CreatedAt      time.Time            `json:"createdAt"`
	LastSeenAt     time.Time            `json:"lastSeenAt"`
	Locale         locale.Tag           `json:"localePreference"`
	LocaleBy       Trigger              `json:"localeTrigger"`
	Currency       money.Currency       `json:"currencyPreference"`
	CurrencyBy     Trigger              `json:"currencyTrigger"`
	Fingerprint    pseudonym.Hash       `json:"cookieFingerprintHash"`
	IP             pseudonym.Hash       `json:"ipHash"`
	Campaign       attribution.Campaign `json:"campaignAttribution"`
	CampaignAt     time.Time            `json:"campaignCapturedAt,omitzero"`
	Consent        Consent              `json:"flags"`
	RecentlyViewed []RecentlyViewed     `json:"recentlyViewed"`
	SearchHistory  []SearchHistory      `json:"searchHistory"`

	begun   bool // by this very request; not stored
	passing bool // for this one answer: nothing of it is stored or published
}

// Consent is what a guest has agreed to.
type Consent struct {
	Telemetry bool `json:"consentTelemetry"`
	Marketing bool `json:"consentMarketing"`
}

// A RecentlyViewed is a hotel that the guest has looked at.
type RecentlyViewed struct {
	Property id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	ViewedAt time.Time   `json:"viewedAt"`
	Source   ViewSource  `json:"source"`
}

// A ViewSource is how a guest came to look at a hotel.
type ViewSource string

// The sources of views.
const (
	FromList     ViewSource = "search-list"
	FromMap      ViewSource = "search-map"
	FromLink     ViewSource = "detail-link"
	FromWishlist ViewSource = "wishlist"
)

// UnmarshalText refuses a source that does not exist.
func (s *ViewSource) UnmarshalText(text []byte) error {
	switch read := ViewSource(text); read {
	case FromList, FromMap, FromLink, FromWishlist:
		*s = read
		return nil
	}
	return errors.New("is not a way to come to a hotel")
}

// A SearchHistory is one search that the guest has made.
type SearchHistory struct {
	Search     id.SearchSession `json:"searchSessionId"`
	QueryHash  string           `json:"queryHash"`
	Geo        GeoQuery         `json:"geo"`
	Dates      DateRange        `json:"dates"`
	Occupancy  Occupancy        `json:"occupancy"`
	ExecutedAt time.Time        `json:"executedAt"`
	Order      Order            `json:"order,omitzero"` // that its pages are cut from
}

// How much of a visit is remembered: the oldest goes when one more comes.
const (
	MaxViewed   = 50
	MaxSearches = 25
)

// Viewed notes that the guest has looked at a hotel. The newest is first; one that was seen before moves there.
func (s *Session) Viewed(v RecentlyViewed) {
	others := slices.DeleteFunc(slices.Clone(s.RecentlyViewed), func(r RecentlyViewed) bool { return r.Property == v.Property })
	s.RecentlyViewed = newest(v, others, MaxViewed)
}

// Searched notes a search. The newest is first.
func (s *Session) Searched(h SearchHistory) {
	s.SearchHistory = newest(h, s.SearchHistory, MaxSearches)
}

// follow notes the result that further pages of the newest search of a query are cut from.
func (s *Session) follow(queryHash string, o Order) {
	i := slices.IndexFunc(s.SearchHistory, func(h SearchHistory) bool { return h.QueryHash == queryHash })
	if i >= 0 && o != (Order{}) {
		s.SearchHistory[i].Order = o
	}
}

// newest puts one before the others and leaves out the oldest beyond most.
func newest[T any](one T, others []T, most int) []T {
	all := append([]T{one}, others...)
	return all[:min(len(all), most)]
}

// sessionTTL is how long a session lives on after it was seen last.
const sessionTTL = 30 * 24 * time.Hour

// over reports whether the session was not seen for so long that it has ended by itself.
func (s Session) over(now time.Time) bool { return !now.Before(s.LastSeenAt.Add(sessionTTL)) }

// born is the session that a sight begins.
func born(seen browser, h http.Header, now time.Time) Session {
	v := seen.visitor
	silent := h.Get("DNT") == "1" || h.Get("Sec-GPC") == "1"
	s := Session{
		ID: id.New[id.GuestSession](), Version: 1, Chosen: 1, CreatedAt: now, LastSeenAt: now, Fingerprint: v.Fingerprint, IP: v.IP,
		Consent: Consent{Telemetry: !silent}, RecentlyViewed: []RecentlyViewed{}, SearchHistory: []SearchHistory{},
	}
	s.Locale, s.LocaleBy = firstLanguage(h, v.Country)
	s.Currency, s.CurrencyBy = firstCurrency(v.Country, s.Locale)
	s.attribute(v.Campaign, now)
	return s
}

// attribute notes the campaign that brought the guest, if none did before.
func (s *Session) attribute(c attribution.Campaign, now time.Time) {
	if s.Campaign == (attribution.Campaign{}) && c != (attribution.Campaign{}) {
		s.Campaign, s.CampaignAt = c, now
	}
}

// Preferences are what a guest has chosen and agreed to, as they are shown it.
type Preferences struct {
	Locale   locale.Tag     `json:"localePreference"`
	Currency money.Currency `json:"currencyPreference"`
	Consent  Consent        `json:"flags"`
}

// Preferences are the session's.
func (s Session) Preferences() Preferences {
	return Preferences{Locale: s.Locale, Currency: s.Currency, Consent: s.Consent}
}

// A Capture is the campaign that brought a guest, and when.
type Capture struct {
	event.Attributed
	At time.Time `json:"capturedAt"`
}

// Captured is the session's campaign, nil where there is none.
func (s Session) Captured() *Capture {
	if s.Campaign == (attribution.Campaign{}) {
		return nil
	}
	return &Capture{event.Attributed(s.Campaign), s.CampaignAt}
}
