package frontdesk

import (
	"context"
	"fmt"
	"net/url"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

const (
	rackPath = "/rooms"
	weeks    = 2
	week     = 7 // nights of one table, which fits a telephone
)

// A Week is one table of the rack.
type Week struct {
	Nights []stay.Date
	Groups []Group
}

// A Group is the rooms of one type. Booked and held rooms have no number until the check-in, so that they are counted for each night.
type Group struct {
	Type               id.RoomType
	Free, Booked, Held []int
	Rooms              []RackRow
}

// A RackRow is the nights of one room.
type RackRow struct {
	Room  id.Room
	Cells []Cell
}

// A Cell is one night of a room.
type Cell struct {
	State       string // free, inHouse or out
	Reservation id.Reservation
}

// A rackData is what the rack is made of.
type rackData struct {
	today    stay.Date
	rooms    []Room
	inHouse  []Reservation
	expected []Reservation         // all of their guests, or those of some items
	free     []map[id.RoomType]int // what inventory sells, by night from today on
	roomType []RoomType
}

// RackPage returns the rooms over fourteen nights. Inventory says what it sells; what neither it nor a booking has is held for guests who
// have not paid yet.
func (c *Clerk) RackPage(ctx context.Context) fn.Page {
	if err := c.Enter(ctx); err != nil {
		return c.Failed(err)
	}
	d := rackData{today: c.Today(), roomType: c.Hotel.RoomTypes, free: make([]map[id.RoomType]int, weeks*week)}
	var err error
	if d.rooms, err = c.rooms(ctx); err != nil {
		return c.Failed(err)
	}
	last := d.today.AddDays(weeks*week - 1)
	inHouse, err := c.list(ctx, "inHouse", maxListed, nil)
	if err != nil {
		return c.Failed(err)
	}
	expected, err := c.list(ctx, "arrivals", maxListed, url.Values{"date": {last.String()}})
	if err != nil {
		return c.Failed(err)
	}
	d.inHouse, d.expected = inHouse.Reservations, expected.Reservations
	nights, within := errgroup.WithContext(ctx)
	for n := range d.free {
		nights.Go(func() (err error) {
			d.free[n], err = c.site.hotels.free(within, c.session.property(), d.today.AddDays(n))
			return err
		})
	}
	if err := nights.Wait(); err != nil {
		return c.Failed(err)
	}
	view := View{Step: "rack", Rooms: d.rooms, More: inHouse.Next != nil || expected.Next != nil}
	for n := range weeks {
		view.Weeks = append(view.Weeks, d.week(n*week))
	}
	return c.Show(view)
}

// free returns how many rooms of each type inventory sells for a night.
func (h hotels) free(ctx context.Context, p id.Property, night stay.Date) (map[id.RoomType]int, error) {
	var out struct {
		RoomTypes []struct {
			ID    id.RoomType `json:"roomTypeId"`
			Units int         `json:"unitsLeft"`
		} `json:"roomTypes"`
	}
	query := url.Values{"propertyId": {p.String()}, "start": {night.String()}, "end": {night.AddDays(1).String()}}
	if err := h.inventory.Get(ctx, "/availability", query, &out); err != nil {
		return nil, fmt.Errorf("frontdesk: free rooms of %s: %w", p, err)
	}
	free := map[id.RoomType]int{}
	for _, t := range out.RoomTypes {
		free[t.ID] = t.Units
	}
	return free, nil
}

// week returns the table that begins that many nights after today.
func (d rackData) week(first int) (w Week) {
	for n := range week {
		w.Nights = append(w.Nights, d.today.AddDays(first+n))
	}
	for _, t := range d.roomType {
		g := Group{Type: t.ID}
		for _, r := range d.rooms {
			if r.RoomType != t.ID {
				continue
			}
			row := RackRow{Room: r.ID}
			for _, night := range w.Nights {
				row.Cells = append(row.Cells, d.cell(r, night))
			}
			g.Rooms = append(g.Rooms, row)
		}
		for n, night := range w.Nights {
			free, booked := d.free[first+n][t.ID], count(d.expected, t.ID, night)
			held := len(g.Rooms) - free - booked
			for _, row := range g.Rooms {
				if row.Cells[n].State != freeState {
					held--
				}
			}
			g.Free, g.Booked, g.Held = append(g.Free, free), append(g.Booked, booked), append(g.Held, max(0, held))
		}
		w.Groups = append(w.Groups, g)
	}
	return w
}

const freeState = "free"

// cell returns one night of a room. A guest who should have left still has the room tonight.
func (d rackData) cell(r Room, night stay.Date) Cell {
	for _, guest := range d.inHouse {
		late := night == d.today && !d.today.Before(guest.Stay.End)
		if !late && (night.Before(guest.Stay.Start) || !night.Before(guest.Stay.End)) {
			continue
		}
		for _, item := range guest.Items {
			if room, _ := guest.Room(item.ID); item.ArrivedAt != nil && room == r.ID {
				return Cell{State: "inHouse", Reservation: guest.ID}
			}
		}
	}
	if r.IsOut(night, night.AddDays(1)) {
		return Cell{State: "out"}
	}
	return Cell{State: freeState}
}

// count returns how many rooms of a type are booked for guests who are expected, for a night.
func count(expected []Reservation, t id.RoomType, night stay.Date) (n int) {
	for _, r := range expected {
		if night.Before(r.Stay.Start) || !night.Before(r.Stay.End) {
			continue
		}
		for _, i := range r.Items {
			if i.RoomType == t && i.ArrivedAt == nil {
				n++
			}
		}
	}
	return n
}
