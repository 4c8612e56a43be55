// Package checkin checks guests in.
package checkin

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /desk/reservations/{reservationId}/check-in.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-checkin",
	Route:   "POST " + frontdesk.Home + "/reservations/{reservationId}/check-in",
	Uses:    fn.Uses{},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, checkIn)

// A Request is the form of the page: for each booked room its item and a physical room, separated by a dot, or nothing for one that is
// not taken now. A reservation has at most 20 rooms.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Once        string         `form:"once"`
	Room1       string         `form:"room1,optional"`
	Room2       string         `form:"room2,optional"`
	Room3       string         `form:"room3,optional"`
	Room4       string         `form:"room4,optional"`
	Room5       string         `form:"room5,optional"`
	Room6       string         `form:"room6,optional"`
	Room7       string         `form:"room7,optional"`
	Room8       string         `form:"room8,optional"`
	Room9       string         `form:"room9,optional"`
	Room10      string         `form:"room10,optional"`
	Room11      string         `form:"room11,optional"`
	Room12      string         `form:"room12,optional"`
	Room13      string         `form:"room13,optional"`
	Room14      string         `form:"room14,optional"`
	Room15      string         `form:"room15,optional"`
	Room16      string         `form:"room16,optional"`
	Room17      string         `form:"room17,optional"`
	Room18      string         `form:"room18,optional"`
	Room19      string         `form:"room19,optional"`
	Room20      string         `form:"room20,optional"`
}

func (r Request) rooms() []string {
	return []string{r.Room1, r.Room2, r.Room3, r.Room4, r.Room5, r.Room6, r.Room7, r.Room8, r.Room9, r.Room10,
		r.Room11, r.Room12, r.Room13, r.Room14, r.Room15, r.Room16, r.Room17, r.Room18, r.Room19, r.Room20}
}

func checkIn(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	rooms, err := frontdesk.ParseRooms(c.In.rooms())
	if err == nil {
		err = c.CheckIn(ctx, c.In.Reservation, rooms, c.In.Once)
	}
	return c.ToReservation(c.In.Reservation, "arrived", err), nil
}
