package bootstrap

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// A Bootstrap is the first response that a hotel's site reads.
type Bootstrap struct {
	Tenant       id.Tenant            `json:"tenantId"`
	Slug         string               `json:"tenantSlug"`
	BrandName    string               `json:"brandName"`
	BrandTagline string               `json:"brandTagline,omitzero"`
	Theme        *hotel.Theme         `json:"theme"` // null if it could not be read: then Degraded lists it
	Flow         FlowConfig           `json:"flowConfig"`
	Locale       locale.Tag           `json:"locale"`
	Locales      []locale.Conventions `json:"locales"`
	Currency     money.Currency       `json:"currency"`
	Currencies   []CurrencyView       `json:"currencies"`
	Methods      []hotel.Method       `json:"paymentMethods"`
	Policies     []hotel.PolicyView   `json:"policies"`

	// The following members are new for each response.

	Handoff      *session.Arrival   `json:"handoffPayload,omitzero"`
	Arrival      *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
	Active       *id.Draft          `json:"activeBookingDraftId,omitzero"` // the booking in progress of this session
	Degraded     []string           `json:"degraded,omitempty"`            // parts that could not be read
	ServerTime   time.Time          `json:"serverTime"`
	CSP          CSP                `json:"csp"`
	ComposedAt   time.Time          `json:"composedAt"`
	ComposedFrom ComposedFrom       `json:"composedFrom"`
	Version      string             `json:"bootstrapVersion"` // ComposedFrom in the form of the X-Bootstrap-Version header
}

// A FlowConfig holds the steps and limits of a booking at the hotel.
type FlowConfig struct {
	Steps          []booking.State `json:"steps"`
	HoldTTLSeconds int             `json:"holdTtlSeconds"`
	MaxRooms       int             `json:"maxRooms"`
	MaxNights      int             `json:"maxNights"`
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
