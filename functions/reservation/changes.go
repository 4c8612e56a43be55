package reservation

import (
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Changed is the answer to a change: the whole reservation and its modification.
type Changed struct {
	Whole
	Modification booking.Modification `json:"modification"`
	DryRun       bool                 `json:"dryRun,omitzero"`
}

// ChangeOf returns the change that a call asks for.
func ChangeOf[In any](c Call[In], r id.Reservation, match fn.Maybe[fn.Match], dryRun bool) booking.ChangeCall {
	return booking.ChangeCall{Principal: c.Principal, Act: c.Act, Reservation: r, Allows: match.Or(fn.Match{}).Allows, DryRun: dryRun}
}

// AnswerChange returns the answer to a change from the result of [booking.Changer.Change].
func AnswerChange(call booking.ChangeCall) func(*booking.Reservation, booking.Modification, error) (Changed, error) {
	return func(r *booking.Reservation, m booking.Modification, err error) (Changed, error) {
		if err != nil {
			return Changed{}, err
		}
		return Changed{Whole: Answer(fn.OK, r, call.Principal), Modification: m, DryRun: call.DryRun}, nil
	}
}
