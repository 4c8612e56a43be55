// Package reservation keeps rooms for guests: a price is quoted, rooms are held for minutes, money or the promise of it
// confirms them.
//
// A [Reservation] moves through these states and no others; any other move is refused and changes nothing:
//
//	quoted ──────────▶ held
//	held ────────────▶ confirmed · cancelled · expired_hold
//	expired_hold ────▶ confirmed · cancelled
//	confirmed ───────▶ check_in_started · cancelled · no_show
//	check_in_started ▶ checked_in
//	checked_in ──────▶ checkout_started
//	checkout_started ▶ checked_out
//
// Whether a hold is over is decided by the database's clock whenever a reservation is read: a row that still says held
// reads as expired_hold from that moment on. The sweep only writes down what is already so, and tells the world.
//
// A use case works in three steps. It reads and decides; it asks its neighbours, in calls that may be repeated because
// the ids in them derive from the act; it writes rows and events in one transaction that fails when the reservation was
// changed meanwhile, and then the use case begins again ([Again]). No transaction is open while a neighbour is asked.
//
// What this service never does:
//
//   - It never counts rooms: the inventory service decides, and a hold without its word does not exist.
//   - It never computes a price: a quote keeps what the pricing service said, and nobody recomputes it.
//   - It never believes an event or a caller that money has come: it asks the payment service itself.
//   - It never gives up a hold for a failed payment while another one may still pay for it.
//   - It never keeps money without a room: a capture that buys nothing is given back.
//   - It never gives rooms back by property or date, only by allocation id, so that giving back twice frees nobody
//     else's room.
//   - It never tells a reservation of another tenant, or of a property that is not the caller's, from one that does
//     not exist.
//   - It never puts a name, an address or a telephone number into an event.
package reservation
