// Package platform has the clients of the services that the reservation service calls.
package platform

import (
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Open opens the clients. A client connects when it is used, so a function opens them all and calls those that its Spec names.
func Open(e env.Env) booking.Upstreams {
	return booking.Upstreams{
		Inventory: OpenInventory(e), Payments: OpenPayments(e), Locks: OpenLocks(e), Rooms: OpenRooms(e).Of,
		Sources: quotes.Sources{Price: OpenPricing(e).Price, Local: OpenProperties(e).Local, Settings: OpenTenants(e).Settings},
	}
}
