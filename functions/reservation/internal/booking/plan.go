package booking

import (
	"slices"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Plan is a change of a booked reservation that needs the inventory service. It is stored before inventory is asked, so that
// the change is completed or dropped even if this process ends in between: see [Changer].
type Plan struct {
	Modification
	Takes     []Take          `json:"takes"`    // allocations that inventory is asked for
	Releases  []id.Allocation `json:"releases"` // allocations that inventory releases in the same step
	Reserved  Reserved        `json:"reserved"` // the reservation after the change
	RoomsFrom stay.Date       `json:"roomsFrom,omitzero"`
	Refunds   []Refund        `json:"refunds,omitzero"`
}

// A Take is a request for one room.
type Take struct {
	Allocation id.Allocation `json:"allocationId"`
	RoomType   id.RoomType   `json:"roomTypeId"`
	Units      int           `json:"units"`
	Stay       Stay          `json:"stayWindow"`
}

// Reserved are the members of a reservation that a Plan can change.
type Reserved struct {
	State       State           `json:"state"`
	Stay        Stay            `json:"stayWindow"`
	Items       []Item          `json:"items"`
	Allocations []id.Allocation `json:"allocationIds"` // one per item, in the same order
	Total       money.Micro     `json:"grandTotalMicro"`
	Own         Own             `json:"own"`
	FX          *FX             `json:"fxSnapshot,omitzero"`
}

// reserved returns the present state of the members that a Plan can change.
func (r *Reservation) reserved() Reserved {
	return Reserved{
		State: r.State, Stay: r.Stay, Items: slices.Clone(r.Items), Allocations: slices.Clone(r.Allocations),
		Total: r.Total, Own: r.Own, FX: r.FX,
	}
}
