package frontdesk

import (
	"context"
	"net/http"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A WalkIn is the form of a guest who stands at the desk, as it was typed.
type WalkIn struct {
	Once                       string // the idempotency key
	Room                       string
	Rate                       string // the name of the rate, which each room type has
	CheckIn, CheckOut          string
	Adults, Children           string
	FirstName, LastName, Phone string
}

// WalkInPage returns the form, or the form that has been refused, with the problem. It has a new idempotency key, unless the refused one
// may have booked.
func (c *Clerk) WalkInPage(ctx context.Context, w WalkIn, refused error) fn.Page {
	if c.Hotel == nil {
		if err := c.Enter(ctx); err != nil {
			return c.Failed(err)
		}
	}
	c.Back = Home + walkInPath
	view := View{Step: "walkin", WalkIn: &w, Wrong: map[string]bool{}}
	var err error
	if view.Rooms, err = c.rooms(ctx); err != nil {
		return c.Failed(err)
	}
	if view.Taken, err = c.taken(ctx); err != nil {
		return c.Failed(err)
	}
	if refused != nil {
		failed := page.ServiceErrorOf(refused)
		view.Problem, view.Wrong = failed.Code, failed.InvalidFields()
		if failed.IsAmbiguous() {
			// The guest may have the room already: a repetition with the same key and room books once.
			view.Key = w.Once
			view.Taken = slices.DeleteFunc(view.Taken, func(r id.Room) bool { return r.String() == w.Room })
		}
	}
	if w.CheckIn == "" {
		w.CheckIn, w.CheckOut = c.Today().String(), c.Today().AddDays(1).String()
		w.Adults, w.Children = "1", "0"
	}
	return c.Show(view)
}

const walkInPath = "/walk-in"

// BookWalkIn books the room for a guest without an e-mail address, and starts the check-in. It redirects to the reservation.
func (c *Clerk) BookWalkIn(ctx context.Context, w WalkIn) fn.Page {
	if err := c.Enter(ctx); err != nil {
		return c.Failed(err)
	}
	in, err := c.walkIn(ctx, w)
	if err != nil {
		return c.WalkInPage(ctx, w, err)
	}
	booking, cancel := context.WithTimeout(ctx, bookTime)
	defer cancel()
	var r Reservation
	if err := c.reservations(booking, http.MethodPost, "/walk-ins", w.Once, in, &r); err != nil {
		return c.WalkInPage(ctx, w, err)
	}
	return c.ToReservation(r.ID, "booked", nil)
}

// bookTime is more than the service takes. It leaves time to show the form again if there is no answer.
const bookTime = 6 * time.Second

// walkIn returns the request of the form.
func (c *Clerk) walkIn(ctx context.Context, w WalkIn) (map[string]any, error) {
	nights, err := window(w.CheckIn, w.CheckOut)
	if err != nil {
		return nil, err
	}
	rooms, err := c.rooms(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rooms, func(r Room) bool { return r.ID.String() == w.Room })
	if at < 0 {
		return nil, &page.ServiceError{Code: noRoom}
	}
	plan := slices.IndexFunc(c.Hotel.RatePlans, func(r RatePlan) bool { return r.RoomType == rooms[at].RoomType && r.Name == w.Rate })
	if plan < 0 {
		return nil, &page.ServiceError{Code: invalid}
	}
	currency, err := c.site.hotels.currency(ctx, c.session.Tenant)
	if err != nil {
		return nil, err
	}
	guest := map[string]any{"firstName": w.FirstName, "lastName": w.LastName}
	if w.Phone != "" {
		guest["phone"] = page.International(w.Phone, c.Hotel.Country)
	}
	people := map[string]int{"adults": page.Number(western.Replace(w.Adults)), "children": page.Number(western.Replace(w.Children))}
	return map[string]any{
		"propertyId": c.session.property(), "stayWindow": nights, "currency": currency, "locale": c.Localizer.Tag,
		"guest": guest, "payment": map[string]string{"method": "cash_on_arrival"},
		"items": []any{map[string]any{"roomTypeId": rooms[at].RoomType, "ratePlanId": c.Hotel.RatePlans[plan].ID, "occupants": people}},
		"rooms": []any{map[string]any{"item": 0, "roomId": rooms[at].ID}},
	}, nil
}

// FreeTonight returns the rooms that no guest has and that are in order tonight.
func (v View) FreeTonight() (all []Room) {
	for _, t := range v.Hotel.RoomTypes {
		all = append(all, v.FreeRooms(t.ID, stay.Window{Start: v.Today(), End: v.Today().AddDays(1)}, id.Room{})...)
	}
	return all
}

// Rates returns the names of the hotel's rates, each once.
func (v View) Rates() (all []string) {
	for _, r := range v.Hotel.RatePlans {
		if !slices.Contains(all, r.Name) {
			all = append(all, r.Name)
		}
	}
	return all
}

// Arrivals returns the days on which a walk-in can begin: today, and in the first half of the day the night that has begun before.
func (v View) Arrivals() []stay.Date {
	days := []stay.Date{v.Today()}
	if v.At.In(v.Localizer.Zone).Hour() < noon {
		days = append(days, v.Today().AddDays(-1))
	}
	return days
}

const noon = 12
