package booking

import "slices"

// A State is the state of a reservation.
type State string

// The states. A Quoted reservation exists in memory only, between a quote and its hold.
const (
	Quoted          State = "quoted"
	Held            State = "held"
	Confirmed       State = "confirmed"
	CheckInStarted  State = "check_in_started"
	CheckedIn       State = "checked_in"
	CheckoutStarted State = "checkout_started"
	CheckedOut      State = "checked_out"
	Cancelled       State = "cancelled"
	NoShow          State = "no_show"
	ExpiredHold     State = "expired_hold"
)

// next returns the possible next states. Final states have none.
func (s State) next() []State {
	switch s {
	case Quoted:
		return []State{Held}
	case Held:
		return []State{Confirmed, Cancelled, ExpiredHold}
	case ExpiredHold: // a late payment can still confirm it
		return []State{Confirmed, Cancelled}
	case Confirmed:
		return []State{CheckInStarted, Cancelled, NoShow}
	case CheckInStarted:
		return []State{CheckedIn}
	case CheckedIn:
		return []State{CheckoutStarted}
	case CheckoutStarted:
		return []State{CheckedOut}
	case CheckedOut, Cancelled, NoShow: // final
	}
	return nil
}

func (s State) leadsTo(to State) bool { return slices.Contains(s.next(), to) }

// inside reports whether the guest is in the house.
func (s State) inside() bool { return s == CheckInStarted || s == CheckedIn || s == CheckoutStarted }
