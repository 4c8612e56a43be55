package tenantbooking

import "slices"

// A State is where a booking draft stands.
type State string

// The states.
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

// An Act is what moves a draft.
type Act string

// The acts.
const (
	Asks     Act = "asks"     // for a price, the first or another
	Keeps    Act = "keeps"    // rooms at the quoted price
	Names    Act = "names"    // who stays
	Pays     Act = "pays"     // begins to pay, or begins again in another way
	Settles  Act = "settles"  // money has come or is promised: the reservation is being confirmed
	Converts Act = "converts" // the reservation is confirmed
	Abandons Act = "abandons" // the guest has walked away
	Fails    Act = "fails"    // the booking cannot come about any more
)

// transitions is the whole state machine: from a state an act leads to one state. An act that is not here is no step, and a
// state that is not here is an end.
var transitions = map[State]map[Act]State{
	Quoting:           {Asks: Quoting, Keeps: Holding, Abandons: Abandoned},
	Holding:           {Asks: Quoting, Names: CollectingDetails, Abandons: Abandoned},
	CollectingDetails: {Asks: Quoting, Names: CollectingDetails, Pays: Paying, Abandons: Abandoned, Fails: Failed},
	Paying:            {Pays: Paying, Settles: Confirming, Converts: Confirmed, Abandons: Abandoned, Fails: Failed},
	Confirming:        {Settles: Confirming, Converts: Confirmed, Fails: Failed},
}

// funnel is the way forward.
var funnel = []State{Quoting, Holding, CollectingDetails, Paying, Confirming, Confirmed}

// Ended reports whether nothing leads on.
func (s State) Ended() bool { return transitions[s] == nil }

// after is where the act leads, or why it does not.
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

// forward reports whether a move brings the guest nearer to a room.
func forward(from, to State) bool {
	i, j := slices.Index(funnel, from), slices.Index(funnel, to)
	return i >= 0 && j > i
}

// unpaid reports whether no payment can have begun.
func (s State) unpaid() bool { return s == Quoting || s == Holding || s == CollectingDetails }
