package session

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Session represents an anonymous traveller over several weeks. Preferences and consents are mirrored in SQL. Viewed hotels
// and searches are in the hot document only, and are lost if it is lost.
type Session struct {
	ID                 id.GuestSession      `json:"guestSessionId"`
	Version            int64                `json:"version"`
	PreferencesVersion int64                `json:"chosenVersion"` // version of the mirrored members
	CreatedAt          time.Time            `json:"createdAt"`
	LastSeenAt         time.Time            `json:"lastSeenAt"`
	Locale             locale.Tag           `json:"localePreference"`
	LocaleBy           Trigger              `json:"localeTrigger"`
	Currency           money.Currency       `json:"currencyPreference"`
	CurrencyBy         Trigger              `json:"currencyTrigger"`
	Fingerprint        pseudonym.Hash       `json:"cookieFingerprintHash"`
	IP                 pseudonym.Hash       `json:"ipHash"`
	Campaign           attribution.Campaign `json:"campaignAttribution"`
	CampaignAt         time.Time            `json:"campaignCapturedAt,omitzero"`
	Consent            Consent              `json:"flags"`
	RecentlyViewed     []RecentlyViewed     `json:"recentlyViewed"`
	SearchHistory      []SearchHistory      `json:"searchHistory"`
	HumanUntil         time.Time            `json:"humanUntil,omitzero"` // after a passed challenge

	isNew     bool // started by this request; not stored
	temporary bool // for this request only: nothing is stored or published
	silent    bool // the headers of this request forbid telemetry
}

// isTracked reports whether telemetry of this request may be recorded, as far as the document knows. The row of the session
// decides: see [Publisher].
func (s Session) isTracked() bool { return s.Consent.Telemetry && !s.silent && !s.temporary }

// Consent holds the consents of a guest.
type Consent struct {
	Telemetry bool `json:"consentTelemetry"`
	Marketing bool `json:"consentMarketing"`
}

// A RecentlyViewed is a hotel that the guest has viewed.
type RecentlyViewed struct {
	Property id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	ViewedAt time.Time   `json:"viewedAt"`
	Source   ViewSource  `json:"source"`
}

// A ViewSource is the place from which a guest opened a hotel.
type ViewSource string

// The sources of views.
const (
	FromList     ViewSource = "search-list"
	FromMap      ViewSource = "search-map"
	FromLink     ViewSource = "detail-link"
	FromWishlist ViewSource = "wishlist"
)

// UnmarshalText rejects unknown sources.
func (s *ViewSource) UnmarshalText(text []byte) error {
	switch read := ViewSource(text); read {
	case FromList, FromMap, FromLink, FromWishlist:
		*s = read
		return nil
	}
	return errors.New("is not a view source")
}

// A SearchHistory is one search that the guest has made.
type SearchHistory struct {
	Search     id.SearchSession `json:"searchSessionId"`
	QueryHash  string           `json:"queryHash"`
	Geo        search.GeoQuery  `json:"geo"`
	Dates      search.DateRange `json:"dates"`
	Occupancy  search.Occupancy `json:"occupancy"`
	ExecutedAt time.Time        `json:"executedAt"`
	Orders     []search.Order   `json:"orders,omitempty"` // the results that pages are cut from, one for each sort order
}

// order returns the result in a sort order, or zero if there is none.
func (h SearchHistory) order(sort search.SortKey) search.Order {
	i := slices.IndexFunc(h.Orders, func(o search.Order) bool { return o.Sort == sort })
	if i < 0 {
		return search.Order{}
	}
	return h.Orders[i]
}

// Maximum numbers of remembered hotels and searches. The oldest is dropped first.
const (
	MaxViewed   = 50
	MaxSearches = 25
)

// Viewed records that the guest has viewed a hotel. The newest is first; a hotel that was viewed before moves to the front.
func (s *Session) Viewed(v RecentlyViewed) {
	others := slices.DeleteFunc(slices.Clone(s.RecentlyViewed), func(r RecentlyViewed) bool { return r.Property == v.Property })
	s.RecentlyViewed = newest(v, others, MaxViewed)
}

// Searched records a search. The newest is first. Searched returns the searches that it dropped.
func (s *Session) Searched(h SearchHistory) (dropped []SearchHistory) {
	before := s.SearchHistory
	s.SearchHistory = newest(h, before, MaxSearches)
	return before[len(s.SearchHistory)-1:]
}

// isActive reports whether the search session has not expired.
func (h SearchHistory) isActive(now time.Time) bool { return now.Before(h.ExecutedAt.Add(searchLife)) }

// setOrder records the result that further pages of a query's newest search are cut from. Results in other sort orders are kept.
func (s *Session) setOrder(queryHash string, o search.Order) {
	i := slices.IndexFunc(s.SearchHistory, func(h SearchHistory) bool { return h.QueryHash == queryHash })
	if i < 0 || o == (search.Order{}) {
		return
	}
	h := &s.SearchHistory[i]
	h.Orders = append(slices.DeleteFunc(slices.Clone(h.Orders), func(other search.Order) bool { return other.Sort == o.Sort }), o)
}

// newest returns one followed by others, truncated to limit elements.
func newest[T any](one T, others []T, limit int) []T {
	all := append([]T{one}, others...)
	return all[:min(len(all), limit)]
}

// sessionTTL is the time after LastSeenAt at which a session expires.
const sessionTTL = 30 * 24 * time.Hour

// isExpired reports whether the session has expired.
func (s Session) isExpired(now time.Time) bool { return !now.Before(s.LastSeenAt.Add(sessionTTL)) }

// newSession returns a new session for a browser.
func newSession(seen *browser, h http.Header, now time.Time) Session {
	v := seen.visitor
	s := Session{
		ID: id.New[id.GuestSession](), Version: 1, PreferencesVersion: 1, CreatedAt: now, LastSeenAt: now, Fingerprint: v.Fingerprint, IP: v.IP,
		Consent: Consent{Telemetry: !v.silent}, silent: v.silent, RecentlyViewed: []RecentlyViewed{}, SearchHistory: []SearchHistory{},
	}
	s.Locale, s.LocaleBy = firstLanguage(h, v.Country)
	s.Currency, s.CurrencyBy = firstCurrency(v.Country, s.Locale)
	s.attribute(v.Campaign, now)
	return s
}

// attribute records the first campaign of the session.
func (s *Session) attribute(c attribution.Campaign, now time.Time) {
	if s.Campaign == (attribution.Campaign{}) && c != (attribution.Campaign{}) {
		s.Campaign, s.CampaignAt = c, now
	}
}

// Preferences holds the preferences and consents of a guest.
type Preferences struct {
	Locale   locale.Tag     `json:"localePreference"`
	Currency money.Currency `json:"currencyPreference"`
	Consent  Consent        `json:"flags"`
}

// Preferences returns the session's preferences and consents.
func (s Session) Preferences() Preferences {
	return Preferences{Locale: s.Locale, Currency: s.Currency, Consent: s.Consent}
}

// A CapturedCampaign is the campaign of a session, with the time at which it was recorded.
type CapturedCampaign struct {
	event.Attributed
	At time.Time `json:"capturedAt"`
}

// Captured returns the session's campaign, or nil if it has none.
func (s Session) Captured() *CapturedCampaign {
	if s.Campaign == (attribution.Campaign{}) {
		return nil
	}
	return &CapturedCampaign{event.Attributed(s.Campaign), s.CampaignAt}
}
