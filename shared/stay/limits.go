package stay

import "time"

// The limits of a booking. A guest who needs more than the limits of a site contacts the hotel.
const (
	MinHold     = 120 * time.Second
	DefaultHold = 600 * time.Second
	MaxHold     = 1800 * time.Second

	DefaultGraceHours = 6 // until a guest who has not come is a no-show
	MaxGraceHours     = 720
	MaxBusinessHours  = 12 // after midnight a business date ends: a grace of days does not keep the nights of yesterday for sale

	MaxRooms      = 20 // of one reservation; it bounds the size of answers and events
	MaxSiteRooms  = 9
	MaxSiteNights = 30 // if the hotel has set no other limit

	MaxDetailsLength = 1000 // of the special requests among a guest's details; of a single one:
	MaxRequestLength = 500
	MaxRequestTags   = 10
)
