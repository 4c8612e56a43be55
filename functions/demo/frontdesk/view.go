package frontdesk

import (
	"cmp"
	"html/template"
	"strings"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A ChosenDate is a date as a form submits it.
type ChosenDate = page.ChosenDate

// A View is the data of one page. Show fills in the members that all pages share.
type View struct {
	Step    string // the page: login, today, reservation, walkin, rack, receipt, missing, busy, wrong or down
	Answer  fn.Answer
	Title   string
	Problem string      // the code of an error, if any
	Due     money.Micro // what the error is about
	Notice  string      // the name of a success message, if any

	Hotels      []*Hotel // of the login
	Query       string   // of the search
	Lists       []Listing
	Reservation *Reservation
	Rooms       []Room
	Taken       []id.Room // rooms of guests in house and of the rest of their party
	Plan        *Plan
	CheckOut    string // in the form of new dates
	WalkIn      *WalkIn
	Weeks       []Week          // of the rack
	More        bool            // whether there are more reservations than the rack can count
	Wrong       map[string]bool // invalid fields of the walk-in

	*Clerk
	Key    string // the idempotency key of the page's forms: a new one if it is empty
	Style  template.CSS
	Policy string
}

// Show returns the page with the given data.
func (c *Clerk) Show(view View) fn.Page {
	view.Clerk, view.Key = c, cmp.Or(view.Key, id.New[id.Request]().String())
	if view.Title == "" {
		view.Title = c.Localizer.T(view.Step + ".title")
	}
	if view.Reservation != nil {
		view.Title = c.Localizer.T(view.Step+".title", view.Reservation.Code)
	}
	view.Style, view.Policy = page.Style(nil, c.site.sheet)
	return fn.Page{
		Reply:    view.Answer.Reply().Language(string(c.Localizer.Tag)).Varies("Cookie").Cached("no-store"),
		Template: c.site.pages,
		Data:     view,
	}
}

// T returns a text in the clerk's language.
func (v View) T(about string, args ...any) string { return v.Localizer.T(about, args...) }

// Home returns the path of the first page.
func (View) Home() string { return Home }

// Path returns the path of a reservation.
func (View) Path(r id.Reservation) string { return Home + "/reservations/" + r.String() }

// Languages returns the languages of the site.
func (View) Languages() (all []locale.Conventions) {
	for _, tag := range languages {
		all = append(all, tag.Conventions())
	}
	return all
}

// Role returns the name of the role of the session.
func (v View) Role() string {
	if v.IsManager() {
		return v.T("role.manager")
	}
	return v.T("role.front_desk")
}

// HotelName returns the name of a hotel in the clerk's language.
func (v View) HotelName(h *Hotel) string { return h.Name.In(v.Localizer.Tag) }

// Foreign returns the attributes of a text of the hotel or of a guest.
func (v View) Foreign(text string) template.HTMLAttr {
	return v.Localizer.Foreign(text, v.Localizer.Tag, locale.Dari)
}

// Money formats an amount of a reservation.
func (v View) Money(m money.Micro, currency money.Currency) string {
	amount, err := money.Amount{Micro: m, Currency: currency}.Minor()
	if err != nil {
		return ""
	}
	return v.Localizer.Money(amount)
}

// GuestName returns the name of a guest, or a text for a guest without one.
func (v View) GuestName(g Guest) string {
	switch {
	case g.FirstName == "" && g.LastName == "":
		return v.T("guest.unnamed")
	case g.LastName == "":
		return g.FirstName
	}
	return g.FirstName + " " + g.LastName
}

// Masked returns the end of a telephone number or of an e-mail address, because anyone can log in to the demonstration.
func (View) Masked(text string) string {
	const shown = 3
	if _, domain, ok := strings.Cut(text, "@"); ok {
		return "…@" + domain
	}
	return "…" + text[max(0, len(text)-shown):]
}

// RoomTypeName returns the name of a room type in the clerk's language.
func (v View) RoomTypeName(t id.RoomType) string {
	for _, r := range v.Hotel.RoomTypes {
		if r.ID == t {
			return locale.Among(r.Localized, v.Localizer.Tag, roomText{r.Name}).Name
		}
	}
	return v.T("room")
}

// RateName returns the rate and the board of an item, or "" if the rate is unknown.
func (v View) RateName(rate id.RatePlan) string {
	for _, r := range v.Hotel.RatePlans {
		if r.ID == rate {
			return v.Localizer.TextOr("rate."+r.Name, r.Name) + " · " + v.Localizer.TextOr("meal."+r.MealPlan, r.MealPlan)
		}
	}
	return ""
}

// Number returns the number of a room.
func (v View) Number(room id.Room) string {
	for _, r := range v.Rooms {
		if r.ID == room {
			return v.Localizer.Numerals(r.Number)
		}
	}
	return "–"
}

// NumberOf returns the number of the room of an item, or "".
func (v View) NumberOf(item id.Item) string {
	if room, has := v.Reservation.Room(item); has {
		return v.Number(room)
	}
	return ""
}

// Numbers returns the numbers of a reservation's rooms.
func (v View) Numbers(r Reservation) (all []string) {
	for _, a := range r.Rooms {
		all = append(all, v.Number(a.Room))
	}
	return all
}

// State returns the name of a state.
func (v View) State(state string) string { return v.Localizer.TextOr("state."+state, state) }

// LeavesEarly reports whether the guest would leave before the day of departure.
func (v View) LeavesEarly() bool { return v.Today().Before(v.Reservation.Stay.End) }

// DateChoice returns the selectors of a date in the solar calendar.
func (v View) DateChoice(name, label, value string) page.DateChoice {
	return v.Localizer.DateChoice(name, label, value, v.Today())
}

// ProblemText returns the sentence for the page's problem.
func (v View) ProblemText() string {
	about := "problem." + v.Problem
	switch r := v.Reservation; {
	case !v.Localizer.HasText(about):
		return v.T("problem.other")
	case r == nil:
		return v.T(about)
	case v.Problem == "RESERVATION.BEFORE_ARRIVAL":
		return v.T(about, v.Localizer.Date(r.Stay.Start))
	case v.Problem == "RESERVATION.ILLEGAL_TRANSITION":
		return v.T(about, v.State(r.State))
	case v.Problem == "RESERVATION.BALANCE_DUE":
		return v.T(about, v.Money(max(v.Due, 0), r.Balance.Currency))
	}
	return v.T(about)
}

// DateOf formats a date.
func (v View) DateOf(d stay.Date) string { return v.Localizer.Date(d) }

// Now returns the date and the time of day at the hotel.
func (v View) Now() string {
	return v.Localizer.Date(v.Today()) + ", " + v.Localizer.Clock(v.At)
}

// A MenuItem is a page that every page leads to.
type MenuItem struct{ Step, Path string }

// Menu returns the pages of the menu.
func (View) Menu() []MenuItem {
	return []MenuItem{{"today", ""}, {"walkin", walkInPath}, {"rack", rackPath}}
}

// CurrencyName returns the name of a currency in the clerk's language.
func (v View) CurrencyName(c money.Currency) string {
	return v.Localizer.TextOr("currency."+string(c), string(c))
}

// EndPlans returns the ways in which a booking can end without a stay. If some guests have come, the others can only be a no-show.
func (v View) EndPlans() []string {
	switch {
	case v.Reservation.State == checkedIn && v.RoomChoices() != nil:
		return []string{noShow}
	case v.Reservation.State != confirmed:
		return nil
	}
	all := []string{guestCancels}
	if v.IsManager() {
		all = append(all, hotelCancels)
	}
	if !v.Today().Before(v.Reservation.Stay.Start) {
		all = append(all, noShow)
	}
	return all
}

// RackStates returns the states of the rack, for its legend.
func (View) RackStates() []string { return []string{freeState, "inHouse", "out"} }

// Day returns the day of the month of a date.
func (v View) Day(d stay.Date) string {
	day := d.Time().Day()
	if v.Localizer.ChoosesSolar() {
		_, _, day = page.Solar(d)
	}
	return v.Localizer.Number(day)
}
