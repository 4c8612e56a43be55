// Package booking is the domain of the reservation service. It quotes prices, holds rooms for guests for minutes, confirms
// holds that are paid for or promised in cash, and carries a booking through changes, check-in and check-out.
//
// A [Reservation] has these state transitions and no others; any other transition is rejected and changes nothing:
//
//	quoted ──────────▶ held
//	held ────────────▶ confirmed · cancelled · expired_hold
//	expired_hold ────▶ confirmed · cancelled
//	confirmed ───────▶ check_in_started · cancelled · no_show
//	check_in_started ▶ checked_in
//	checked_in ──────▶ checkout_started
//	checkout_started ▶ checked_out
//
// A manager can override a state: no_show and check_in_started return to confirmed, and checked_out returns to checked_in on
// the same business date.
//
// The front desk works by the business date of the property (decision 285), which ends some hours after midnight. A stay is a number of
// nights with a price each. What the guest pays is the sum of an append-only [account.Account] that follows the nights (decision 286).
//
// The database's clock decides, on each read, whether a hold has expired: a row that still says held reads as
// expired_hold from that moment on ([Reservation.EffectiveState]). The sweep only stores the new state and publishes
// the event.
//
// A use case has three steps. It reads and decides. It calls other services, with calls that may be repeated because
// their ids derive from the act. It writes rows and events in one transaction, under optimistic concurrency control: if
// the reservation changed in the meantime, the use case starts again ([Again]). No transaction is open during a call to
// another service.
//
// Invariants:
//
//   - This service never counts rooms. The inventory service decides, and a hold exists only if inventory has placed it.
//   - It never takes an unpaid booking of a hotel's site out of the guest's [Quota] before it is paid for, cancelled or over.
//   - It never makes a guest's change of a paid booking that costs more before that is paid: see [PendingChange].
//   - It never computes a price. A quote stores the price of the pricing service unchanged, and a night keeps the
//     price of its date.
//   - It never lowers what was retained: a penalty stays a charge, whatever changes later.
//   - It never trusts an event or a caller about payments. It asks the payment service.
//   - It never cancels a hold for a failed payment while another payment may still pay for it.
//   - It never keeps money without a room. A capture that does not pay for a reservation is refunded.
//   - It never sells or assigns a room twice: inventory decides about rooms of a type, a unique key about physical rooms.
//   - It stores a change that needs inventory before it asks, so that each change is completed or dropped.
//   - It releases rooms only by allocation id, never by property or date, so a repeated release frees no other guest's room.
//   - It answers the same for a reservation of another tenant, or of a property out of scope, as for an unknown one.
//   - It never puts a name, an address or a telephone number into an event.
//
// # Rules
//
//   - A day at a property begins with its first moment, also where clocks change at midnight. Deadlines count hours
//     of 60 minutes back from that moment; nights are dates, however long they are.
//   - A hold lists one allocation per item, in the order of the items. Only a reinstated reservation gets a second
//     hold, because a released one keeps its outcome.
//   - Each requested refund has an id, derived from the version of the reservation, under which the payment service
//     executes it. At every moment captured = kept + refunded + requested.
//   - A cancellation asks the payment service for the captured amount that is left, also in a dry run. Without an
//     answer it is unavailable.
//   - A room that is given up, and a stay that is moved, keep the penalty of a cancellation at that time. After a
//     change of dates the earlier deadline of free cancellation counts, so moving a stay gains no time.
//   - cancelled.v1 lists the allocations, and modified.v1 the keys that it revokes, so that a late or repeated event
//     releases nothing that was given out again. A new key is awaited; after five attempts without an answer the desk
//     hands out a manual key.
//   - The guests of each item arrive on their own. The first ones check the reservation in; the others are expected, with their room but
//     without a key, until the no-show time, when their rooms are given up. A check-out is refused while some are expected.
//   - A repeated check-in, check-out or no-show returns the reservation as it is. Another room, folio or penalty is a
//     new act. A forced check-out needs a folio.
//   - A guest leaves nothing due that the folio does not have, unless a manager forces the check-out. The folio is then
//     stored as not settled, and the front desk has the reservation in its list until the amount is paid.
//   - An override takes the rooms again in one step, or fails. Requested refunds stay requested and become due, keys
//     are issued anew, and no second confirmed is published, but modified with manual_state_override.
//   - An assigned room is refused for a guest while its last guest has not left, also without a common night. While a
//     change waits for inventory, the rooms and nights before and after it are both reserved.
//   - A quote needs the time zone of the property and the region of the tenant; both are cached longer while their
//     service is down. Quotes from before these columns use UTC.
//   - The wishes of a guest are one special request with the tag other. Setting the details again replaces it, and an
//     empty text removes it.
package booking
