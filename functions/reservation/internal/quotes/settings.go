package quotes

import (
	"time"
)

// Bounds and default of a hold's duration.
const (
	MinHold     = 120 * time.Second
	DefaultHold = 600 * time.Second
	MaxHold     = 1800 * time.Second
)

// Default and maximum of the no-show grace, in hours.
const (
	defaultGrace = 6
	maxGrace     = 720
)

// Settings are a tenant's settings for reservations.
type Settings struct {
	HoldTTL     time.Duration
	NoShowGrace int    // hours
	Region      string // where the tenant's data must stay; empty: unknown
}

// DefaultSettings returns the settings of a tenant that has chosen none, without a region.
func DefaultSettings() Settings { return Settings{HoldTTL: DefaultHold, NoShowGrace: defaultGrace} }

// HoldTTL returns the duration of a hold that a tenant has chosen in seconds, within the platform's bounds. Zero means the default.
func HoldTTL(seconds int) time.Duration {
	if seconds == 0 {
		return DefaultHold
	}
	return min(max(time.Duration(seconds)*time.Second, MinHold), MaxHold)
}

// NoShowGrace returns the no-show grace that a tenant has chosen, in hours and within the platform's bounds.
func NoShowGrace(hours int) int { return min(max(hours, 0), maxGrace) }
