package quotes

import (
	"melmastoon.ghasi.io/shared/stay"
)

// A StayView represents a stay with its number of nights.
type StayView struct {
	Start  stay.Date `json:"start"`
	End    stay.Date `json:"end"`
	Nights int       `json:"nights"`
}

// ViewStay returns the view of a stay.
func ViewStay(s stay.Window) StayView {
	return StayView{Start: s.Start, End: s.End, Nights: s.Nights()}
}
