// Package tenantbooking lets a guest book on one hotel's own site: a price, rooms held for minutes, who stays, a payment,
// a confirmation.
//
// A [Draft] is a booking in the making. It moves through these states by these acts and no others; any other act is refused
// and changes nothing:
//
//	quoting ────────────▶ asks quoting · keeps holding · abandons abandoned
//	holding ────────────▶ asks quoting · names collecting_details · abandons abandoned
//	collecting_details ─▶ asks quoting · names collecting_details · pays paying · abandons abandoned · fails failed
//	paying ─────────────▶ pays paying · settles confirming · converts confirmed · abandons abandoned · fails failed
//	confirming ─────────▶ settles confirming · converts confirmed · fails failed
//
// The truth of a draft is its row: state, version and events change in one transaction, and whoever saves second what two
// have read has changed nothing and begins again ([Again]). Neighbours are asked before, with no transaction open, under
// keys that derive from the act, so that an attempt that goes on after one cut off does everything once.
//
// A draft lapses when its guest was not seen for half an hour, or with the rooms that it stands on. The sweep then closes
// it. One that is being paid for is asked about first: a guest who closed the tab after paying has a booking.
//
// What this service never does:
//
//   - It never decides about rooms or money: the reservation and the payment service do, and are asked.
//   - It never believes a browser that a payment was made.
//   - It never computes a price: it shows what was quoted, in units that it converts exactly or not at all.
//   - It never tells a draft, a reservation or a hotel that is not the visitor's from one that does not exist.
//   - It never puts a name, an address or a telephone number into an event, and keeps none of a draft that is over.
package tenantbooking
