package stay

import "time"

// Bounds and default of the duration of a hold.
const (
	MinHold     = 120 * time.Second
	DefaultHold = 600 * time.Second
	MaxHold     = 1800 * time.Second
)

// Default and maximum of the no-show grace. MaxBusinessHours is how long after midnight a business date can end: a grace of days gives a
// guest days to arrive, but does not keep the nights of yesterday for sale.
const (
	DefaultGraceHours = 6
	MaxGraceHours     = 720
	MaxBusinessHours  = 12
)

// Limits of one booking. A guest who needs more than the limits of a site contacts the hotel.
const (
	MaxRooms      = 20 // of one reservation; it bounds the size of answers and events
	MaxSiteRooms  = 9
	MaxSiteNights = 30 // if the hotel has set no other limit
)

// Limits of special requests: characters among the details of a guest, and characters and tags of a single request.
const (
	MaxDetailsLength = 1000
	MaxRequestLength = 500
	MaxRequestTags   = 10
)
