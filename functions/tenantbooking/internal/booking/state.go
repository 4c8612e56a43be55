package booking

import "slices"

// A State is the state of a booking draft.
type State string

// States of a draft.
const (
	Quoting           State = "quoting"
	Holding           State = "holding"
	CollectingDetails State = "collecting_details"
	Paying            State = "paying"
	Confirming        State = "confirming"
	Confirmed         State = "confirmed"
	Abandoned         State = "abandoned"
	Failed            State = "failed"
)

// An Act is an input of the draft's state machine.
type Act string

// Acts on a draft.
const (
	Quotes    Act = "quotes"     // request a quote, the first or another
	Holds     Act = "holds"      // hold rooms at the quoted price
	SetsGuest Act = "sets_guest" // set the guest's details
	Pays      Act = "pays"       // begin a payment, or begin again with another method
	Confirms  Act = "confirms"   // the money was captured or is due on arrival: confirm the reservation
	Converts  Act = "converts"   // the reservation is confirmed
	Abandons  Act = "abandons"   // the guest gives up
	Fails     Act = "fails"      // the draft can no longer become a booking
)

// transitions is the state machine: the next state for each state and act. An act that is missing is not allowed in that
// state. A state that is missing is final.
var transitions = map[State]map[Act]State{
	Quoting:           {Quotes: Quoting, Holds: Holding, Abandons: Abandoned},
	Holding:           {Quotes: Quoting, SetsGuest: CollectingDetails, Abandons: Abandoned},
	CollectingDetails: {Quotes: Quoting, SetsGuest: CollectingDetails, Pays: Paying, Abandons: Abandoned, Fails: Failed},
	Paying:            {Pays: Paying, Confirms: Confirming, Converts: Confirmed, Abandons: Abandoned, Fails: Failed},
	Confirming:        {Confirms: Confirming, Converts: Confirmed, Fails: Failed},
}

// Funnel returns the states on the way to a booking, in order.
func Funnel() []State { return slices.Clone(funnel) }

var funnel = []State{Quoting, Holding, CollectingDetails, Paying, Confirming, Confirmed}

// Ended reports whether the state is final.
func (s State) Ended() bool { return transitions[s] == nil }

// after returns the state that the act leads to, ErrDraftClosed if s is final, or ErrIllegalStep if s does not allow the
// act.
func (s State) after(a Act) (State, error) {
	to, ok := transitions[s][a]
	switch {
	case ok:
		return to, nil
	case s.Ended():
		return s, ErrDraftClosed
	}
	return s, ErrIllegalStep
}

// forward reports whether a transition moves forward in the funnel.
func forward(from, to State) bool {
	i, j := slices.Index(funnel, from), slices.Index(funnel, to)
	return i >= 0 && j > i
}

// unpaid reports whether the state is before the first payment.
func (s State) unpaid() bool { return s == Quoting || s == Holding || s == CollectingDetails }
