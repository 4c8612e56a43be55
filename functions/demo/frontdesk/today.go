package frontdesk

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Listing is one list of the page of today.
type Listing struct {
	Name         string // of its texts
	Reservations []Reservation
	More         bool
	Concerns     []Concern // of a list of concerns
}

// ReasonsFor returns the names of the concerns of a reservation.
func (l Listing) ReasonsFor(r Reservation) (all []string) {
	for _, c := range l.Concerns {
		if c.Reservation == r.ID {
			all = append(all, c.Reason)
		}
	}
	return all
}

const (
	pageSize = 50 // reservations of one list on the page of today
	minQuery = 2  // characters that a search needs
)

// LoginPage returns the page on which a clerk chooses a hotel and a role.
func (c *Clerk) LoginPage(ctx context.Context, notice, problem string) fn.Page {
	all, err := c.site.hotels.All(ctx, c.At, c.Localizer.Tag)
	if err != nil {
		return c.Failed(err)
	}
	return c.Show(View{Step: "login", Hotels: all, Notice: notice, Problem: problem})
}

// TodayPage returns arrivals, guests in house, departures and concerns, and before them the result of a search, if there is one.
func (c *Clerk) TodayPage(ctx context.Context, query, notice, problem string) fn.Page {
	view := View{Step: "today", Query: query, Notice: notice, Problem: problem}
	if err := c.Enter(ctx); err != nil {
		return c.Failed(err)
	}
	rooms, err := c.rooms(ctx)
	if err != nil {
		return c.Failed(err)
	}
	view.Rooms = rooms
	if query != "" {
		c.Back = Home // so that no form repeats a name
	}
	if query = strings.TrimSpace(query); utf8.RuneCountInString(query) >= minQuery {
		found, err := c.list(ctx, "propertyId", pageSize, url.Values{"q": {query}})
		if err != nil {
			return c.Failed(err)
		}
		view.Lists = append(view.Lists, Listing{Name: "found", Reservations: found.Reservations, More: found.Next != nil})
	}
	for _, name := range []string{"attention", "arrivals", "departures", "inHouse"} {
		found, err := c.list(ctx, name, pageSize, nil)
		if err != nil {
			return c.Failed(err)
		}
		view.Lists = append(view.Lists, Listing{Name: name, Reservations: found.Reservations, More: found.Next != nil, Concerns: found.Attention})
	}
	return c.Show(view)
}
