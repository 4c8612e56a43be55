package quotes

import (
	"time"

	"melmastoon.ghasi.io/shared/stay"
)

// Settings are a tenant's settings for reservations.
type Settings struct {
	HoldTTL     time.Duration
	NoShowGrace int    // hours
	Region      string // where the tenant's data must stay; empty: unknown
}

// DefaultSettings returns the settings of a tenant that has chosen none, without a region.
func DefaultSettings() Settings {
	return Settings{HoldTTL: stay.DefaultHold, NoShowGrace: stay.DefaultGraceHours}
}

// HoldTTL returns the duration of a hold that a tenant has chosen in seconds, within the platform's bounds. Zero means the default.
func HoldTTL(seconds int) time.Duration {
	if seconds == 0 {
		return stay.DefaultHold
	}
	return min(max(time.Duration(seconds)*time.Second, stay.MinHold), stay.MaxHold)
}

// NoShowGrace returns the no-show grace that a tenant has chosen, in hours and within the platform's bounds.
func NoShowGrace(hours int) int { return min(max(hours, 0), stay.MaxGraceHours) }
