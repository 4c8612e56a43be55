package quotes

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/stay"
)

// A Basis holds the terms that a quote freezes besides the price.
type Basis struct {
	Settings // of the tenant
	Local    // of the property
}

// BusinessDate returns the business date of the property.
func (b Basis) BusinessDate(now time.Time) stay.Date { return b.Local.BusinessDate(now, b.NoShowGrace) }

// firstNight returns the first night that the caller can buy.
func (b Basis) firstNight(by access.Principal, now time.Time) stay.Date {
	if by.ActsForStaff() {
		return b.BusinessDate(now)
	}
	return b.Local.Date(now)
}
