package marketplace

import (
	"context"
	"slices"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// StartPage returns the first page: the search, and the hotels that the guest has lately viewed or saved.
func (v *Visitor) StartPage(ctx context.Context, t Trip, problem, notice string) fn.Page {
	session, err := v.Session(ctx, true)
	if err != nil {
		return v.ProblemPage(err, nil)
	}
	return v.keepSaved(v.Show(View{Step: "start", Destinations: v.towns(ctx), Title: v.Localizer.T("search.title"), Problem: problem, Notice: notice, Trip: t, Session: &session}), session)
}

// SavedPage returns the page with the guest's saved hotels and consents.
func (v *Visitor) SavedPage(ctx context.Context, t Trip, problem, notice string) fn.Page {
	session, err := v.Session(ctx, true)
	if err != nil {
		return v.ProblemPage(err, nil)
	}
	return v.keepSaved(v.Show(View{Step: "saved", Title: v.Localizer.T("visit.saved"), Problem: problem, Notice: notice, Trip: t, Session: &session}), session)
}

// PlacesPage returns the suggestions for the place that the guest typed. If only one is meant, it redirects to its hotels.
func (v *Visitor) PlacesPage(ctx context.Context, t Trip) fn.Page {
	found, err := v.Destinations(ctx, t.Place)
	view := View{Step: "places", Title: v.Localizer.T("places.title", t.Place), Trip: t, Destinations: found}
	if err != nil {
		if page.ServiceErrorOf(err).Code != invalid {
			return v.ProblemPage(err, nil)
		}
		view.Problem = invalid
	}
	if len(found) == 1 || len(found) > 1 && found[0].Is(t.Place) {
		t.City, t.Place = found[0].City, found[0].Name.Display
		return v.To("", t.fields())
	}
	if view.Region = isRegion(found, t.Place); view.Region {
		view.Title = v.Localizer.T("results.place", t.Place)
	}
	return v.Show(view)
}

// isRegion reports whether the cities are in the region or the country that the guest typed: none of them has that name.
func isRegion(found []Destination, text string) bool {
	return len(found) > 1 && !slices.ContainsFunc(found, func(d Destination) bool { return d.Begins(text) })
}

// ResultsPage returns the hotels of a city. A search that the consumer service rejects is shown in its form, with the problem.
func (v *Visitor) ResultsPage(ctx context.Context, t Trip) fn.Page {
	if t.Place == "" {
		t.Place = t.City
	}
	view := View{Step: "results", Title: v.Localizer.T("results.place", t.Place), Trip: t}
	results, err := v.Search(ctx, t)
	if err != nil {
		if view.Problem = rejection(err); view.Problem == "" {
			return v.ProblemPage(err, nil)
		}
		return v.Show(view)
	}
	view.Town = v.Town(ctx, t.City)
	t.Place = view.Town.Name.Display
	view.Trip, view.Title, view.Results = t, v.Localizer.T("results.place", t.Place), results
	if t.View == "map" && len(results.Cards) > 0 {
		pins, err := v.Pins(ctx, t, results.Cards)
		if view.NoMap = err != nil; err == nil {
			view.Map = newMap(pins, results.Cards, results.Page.Offset)
		}
	}
	return v.keepTrip(v.Show(view), t)
}

// rejection returns the code of an error that the guest can correct in the form, or "".
func rejection(err error) string {
	if code := page.ServiceErrorOf(err).Code; code == invalid || code == page.NoSuchDay {
		return code
	}
	return ""
}

// A Visit is a request for a hotel's page.
type Visit struct {
	Property        id.Property
	Trip            Trip
	From            string // where the guest has found the hotel
	Problem, Notice string
}

// HotelPage returns the page of a hotel. Without its vacancy, it shows the hotel without prices of rooms. A rejected form is
// shown again with the problem; the rest of the page is that of the default trip.
func (v *Visitor) HotelPage(ctx context.Context, a Visit) fn.Page {
	session, err := v.Session(ctx, false)
	if err != nil {
		return v.ProblemPage(err, nil)
	}
	hotel, err := v.Hotel(ctx, a.Property, a.Trip, a.From)
	var rejected *Trip
	if code := rejection(err); code != "" {
		typed := a.Trip
		rejected, a.Problem, a.Trip = &typed, code, v.WithDefaults(Trip{})
		hotel, err = v.Hotel(ctx, a.Property, a.Trip, a.From)
	}
	if err != nil {
		return v.ProblemPage(err, nil)
	}
	vacancy, err := v.Vacancy(ctx, a.Property, a.Trip)
	if err != nil {
		vacancy = &Vacancy{}
	}
	return v.Show(View{Step: "hotel", Title: hotel.Property.Name.Display, Problem: a.Problem, Notice: a.Notice, Trip: a.Trip, Rejected: rejected, Session: &session,
		Hotel: hotel, Town: v.Town(ctx, hotel.Property.City), Vacancy: vacancy})
}
