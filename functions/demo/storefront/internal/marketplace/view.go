package marketplace

import (
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A View is the data of one page. Show fills in the members that all pages share.
type View struct {
	Step    string // the page: start, places, results, hotel, saved, challenge or an error
	Answer  fn.Answer
	Title   string
	Problem string // the code of an earlier error, if any
	Notice  string // a success message, if any

	Trip         Trip
	Rejected     *Trip // the form of a hotel's page, if its dates or guests were rejected
	Destinations []Destination
	Region       bool // the guest typed a region or a country, and the destinations are its cities
	Results      *Results
	Map          *Map
	NoMap        bool // the map was asked for and is not available
	Session      *Session
	Hotel        *Hotel
	Town         Destination // of the results or of the hotel
	Vacancy      *Vacancy
	Repeat       *Repeat // the request that a challenge interrupted

	*Visitor
	Back   string // the address of this page, for the forms that return to it
	Key    string // the idempotency key of the page's forms
	Style  template.CSS
	Policy string
}

// A Repeat is a request that the form of a challenge repeats.
type Repeat struct {
	Method, Action string
	Fields         url.Values
	Response       string // passes the challenge of the sandbox
}

// responseField is the field of a form with the response to a challenge.
const responseField = "response"

// Codes of the consumer service that decide which page the guest sees.
const (
	suspected   = "BFF.CONSUMER.SUSPECTED_BOT"
	notFound    = "GENERAL.RESOURCE_NOT_FOUND"
	rateLimited = "GENERAL.RATE_LIMITED"
	invalid     = "GENERAL.VALIDATION_FAILED"
)

// Show returns the page with the given data.
func (v *Visitor) Show(view View) fn.Page {
	view.Visitor, view.Key = v, id.New[id.Request]().String()
	view.Style, view.Policy = page.Style(nil, v.market.sheet)
	if view.Back == "" {
		view.Back = v.address
		if len(v.query) > 0 {
			view.Back += "?" + v.query.Encode()
		}
	}
	return fn.Page{
		Reply:       v.keep(v.browser.Cookies(view.Answer.Reply().Language(string(v.Localizer.Tag)).Varies("Cookie"))),
		Template:    v.market.pages,
		Data:        view,
		FormTargets: []string{v.market.public}, // the hotel's own site, to which a form leads
	}
}

// ProblemPage returns the page of an error in place of the page that the guest asked for. The form of a challenge repeats the
// guest's form, or asks for the page again.
func (v *Visitor) ProblemPage(err error, form url.Values) fn.Page {
	refused := page.ServiceErrorOf(err)
	view := View{Step: "down", Answer: fn.Unavailable}
	switch {
	case refused.Code == suspected && refused.Challenge:
		view.Step, view.Answer = "challenge", fn.TooMany
		view.Repeat = &Repeat{Method: "get", Action: v.address, Fields: v.query,
			Response: "pass." + strconv.FormatInt(v.At.Unix(), 10) + "." + id.New[id.Request]().String()}
		if form != nil {
			view.Repeat.Method, view.Repeat.Fields = "post", form
		}
	case refused.Code == suspected, refused.Code == rateLimited:
		view.Step, view.Answer = "slow", fn.TooMany
	case refused.Code == notFound:
		view.Step, view.Answer = "unknown", fn.NotFound
	case refused.Code == invalid:
		view.Step, view.Answer = "unclear", fn.BadRequest
	}
	view.Title = v.Localizer.T(view.Step + ".title")
	view.Back = Home // the page of an error repeats nothing of the request but the form of a challenge
	shown := v.Show(view)
	shown.Reply = refused.RetryIn(shown.Reply, view.Answer)
	return shown
}

// T returns a text in the visitor's language.
func (v View) T(about string, args ...any) string { return v.Localizer.T(about, args...) }

// SavedURL returns the address of the page with the saved hotels.
func (View) SavedURL() string { return Home + "?view=saved" }

// Home returns the path of the first page.
func (View) Home() string { return Home }

// ProblemText returns the message for the page's problem.
func (v View) ProblemText() string {
	return v.Localizer.TextOr("problem."+v.Problem, v.T("problem.other"))
}

// Languages returns the languages of the site.
func (v View) Languages() (all []locale.Conventions) {
	for _, tag := range page.Languages {
		all = append(all, tag.Conventions())
	}
	return all
}

// Currencies returns the currencies of the site.
func (View) Currencies() []money.Currency {
	return []money.Currency{"AFN", "IRR", "PKR", "AED", "USD", "EUR", "GBP"}
}

// SortKeys returns the orders of a list.
func (View) SortKeys() []string {
	return []string{"recommended", "price-asc", "price-desc", "rating-desc"}
}

// Types returns the types of hotels that the form offers.
func (View) Types() []string { return []string{"hotel", "guesthouse", "hostel", "apartment"} }

// Options returns the amenities that the form offers.
func (View) Options() []Option { return options }

// ImageURL allows images in data URLs only. Other images are not loaded.
func (View) ImageURL(address string) template.URL {
	if strings.HasPrefix(address, "data:image/svg+xml;base64,") {
		return template.URL(address) //nolint:gosec // a data URL
	}
	return ""
}

// Decimal returns a number with one decimal.
func (v View) Decimal(n float64) string {
	const decimals, bits = 1, 64
	return v.Localizer.Numerals(strconv.FormatFloat(n, 'f', decimals, bits))
}

// Repeated returns n elements, to range over.
func (View) Repeated(n int) []struct{} { return make([]struct{}, max(0, min(n, maxStars))) }

// HotelURL returns the address of a hotel's page for the page's trip. Where the cards come from the session, it is tomorrow night for
// two adults, because their prices are of that night.
func (v View) HotelURL(p id.Property, from string) string {
	if v.OfSession() {
		tomorrow := stay.DateOf(v.At).AddDays(1)
		return v.WithDefaults(Trip{CheckIn: tomorrow.String(), CheckOut: tomorrow.AddDays(1).String()}).HotelURL(p, from)
	}
	return v.WithDefaults(v.Trip).HotelURL(p, from)
}

// OfSession reports whether the cards come from the session. Their prices are those of one night.
func (v View) OfSession() bool { return v.Step == "start" || v.Step == "saved" }

// ForStay returns what a price of the trip is for: "for 2 nights, taxes included". Cards of the session have the price of one night.
func (v View) ForStay() string {
	if d := v.Dates(); d != nil && !v.OfSession() {
		if nights := (stay.Window{Start: d[0], End: d[1]}).Nights(); nights != 1 {
			return v.T("price.nights", nights)
		}
	}
	return v.T("price.night")
}

// Distance returns how far a hotel is from the middle of its town, or "" if that is unknown.
func (v View) Distance(to Position) string {
	from := v.Town.Geo
	if from == (Position{}) || to == (Position{}) {
		return ""
	}
	km := kilometresPerDegree * math.Hypot(to.Lat-from.Lat, (to.Lng-from.Lng)*math.Cos(from.Lat*math.Pi/180))
	return v.T("card.distance", v.Decimal(km))
}

// RoomPicture returns the picture of a room type, which the service has with the hotel and not with the prices.
func (v View) RoomPicture(r id.RoomType) template.URL {
	for _, room := range v.Hotel.Rooms {
		if room.ID == r && len(room.Photos) > 0 {
			return v.ImageURL(room.Photos[0].URL)
		}
	}
	return ""
}

// PlaceURL returns the address of the search in a suggested city.
func (v View) PlaceURL(d Destination) string {
	t := v.Trip
	t.Place, t.City, t.Page = d.Name.Display, d.City, 0
	return Home + "?" + t.fields().Encode()
}

// PageURL returns the address of another page of the results, n pages further.
func (v View) PageURL(n int) string {
	query := v.Trip.fields()
	query.Set("page", strconv.Itoa(v.Trip.Page+n))
	return Home + "?" + query.Encode()
}

// ViewURL returns the address of the results as a list or with a map.
func (v View) ViewURL(view string) string {
	t := v.Trip
	t.View = view
	return Home + "?" + t.fields().Encode()
}

// HasNext reports whether there is a further page of results.
func (v View) HasNext() bool { return v.Results.Page.Offset+pageSize < v.Results.Page.Total }

// Missing reports whether a response lacks a part.
func (View) Missing(degraded []string, part string) bool { return slices.Contains(degraded, part) }

// Typed returns what the form shows: a rejected form, or the trip.
func (v View) Typed() Trip {
	if v.Rejected != nil {
		return *v.Rejected
	}
	return v.Trip
}

// DateChoice returns the selectors of the solar calendar for a field with its current value.
func (v View) DateChoice(field, value string) page.DateChoice {
	return v.Localizer.DateChoice(field, v.T("search."+field), value, stay.DateOf(v.At))
}

// Dates returns the dates of the trip, or nil if they are not dates.
func (v View) Dates() *[2]stay.Date {
	var d [2]stay.Date
	if d[0].UnmarshalText([]byte(v.Trip.CheckIn)) != nil || d[1].UnmarshalText([]byte(v.Trip.CheckOut)) != nil {
		return nil
	}
	return &d
}

// HandoffHint returns what goes along to the hotel's own site. If that lacks the guest's language or currency, the text names those that
// the site has.
func (v View) HandoffHint() string {
	site := v.Hotel.Site
	switch {
	case site == nil:
		return v.T("hotel.goUnknown")
	case slices.Contains(site.Locales, v.Locale) && slices.Contains(site.Currencies, v.Currency):
		return v.T("hotel.goHint")
	}
	var languages, currencies []string
	for _, tag := range site.Locales {
		languages = append(languages, tag.Conventions().Name)
	}
	for _, c := range site.Currencies {
		currencies = append(currencies, v.Localizer.TextOr("currency."+string(c), string(c)))
	}
	return v.T("hotel.goOffers", strings.Join(languages, v.T("list.comma")), strings.Join(currencies, v.T("list.comma")))
}

// A CalendarDay is a night of the calendar, with its price if a room is left.
type CalendarDay struct {
	Date  stay.Date
	Price *money.Minor
}

// calendarNights is the number of nights in the consumer service's calendar.
const calendarNights = 7

// Calendar returns the nights from the arrival on, or nil if they are unknown.
func (v View) Calendar() (all []CalendarDay) {
	d := v.Dates()
	if d == nil || v.Missing(v.Hotel.Degraded, "calendar") || v.Missing(v.Hotel.Degraded, "pricing") {
		return nil
	}
	for n := range calendarNights {
		night := CalendarDay{Date: d[0].AddDays(n)}
		for _, known := range v.Hotel.Calendar {
			if known.Date == night.Date {
				price := known.Minor()
				night.Price = &price
			}
		}
		all = append(all, night)
	}
	return all
}

// RoomsShown returns the rooms with prices, or those without if no price is known.
func (v View) RoomsShown() []Room {
	if v.Vacancy != nil && len(v.Vacancy.Rooms) > 0 {
		return v.Vacancy.Rooms
	}
	return v.Hotel.Rooms
}

// Foreign returns the attributes of a text that may be in another language than the page.
func (v View) Foreign(text string) template.HTMLAttr {
	return v.Localizer.Foreign(text, v.Localizer.Tag, "")
}

// StarChoices returns the lowest numbers of stars that the form offers.
func (View) StarChoices() []int { return []int{3, 4, 5} }

// RatingChoices returns the lowest ratings that the form offers.
func (View) RatingChoices() []int { return []int{3, 4} }

// Amenity returns the name of an amenity, or "" if the site has none.
func (v View) Amenity(code string) string { return v.Localizer.TextOr("amenity."+code, "") }

// Count returns the number that the guest typed, or 0.
func (View) Count(text string) int { return page.Number(text) }

// Stay returns the dates and the guests as fields of a form.
func (v View) Stay() url.Values { return v.Trip.stay() }

// A CardList is a list of cards on a page. The URL of each card carries from, the list in which the guest found the hotel.
type CardList struct {
	page  View
	cards []Card
	from  string
	first int // the number of the first card on the map
}

// A ListedCard is a card of a page, with the address of its hotel's page.
type ListedCard struct {
	Page   View
	Card   Card
	URL    string
	Number int // on the map, or 0
}

// List returns cards after the first offset ones, for the template.
func (v View) List(cards []Card, from string, offset int) CardList {
	return CardList{page: v, cards: cards, from: from, first: offset + 1}
}

// One returns a card outside of a list.
func (v View) One(c Card, from string) ListedCard {
	return ListedCard{Page: v, Card: c, URL: v.HotelURL(c.Property, from)}
}

// All returns the cards with their URLs. If the page has a map, the cards of search results are numbered like their pins.
func (l CardList) All() (all []ListedCard) {
	for i, c := range l.cards {
		one := l.page.One(c, l.from)
		if l.page.Map != nil && l.from == "search-list" {
			one.Number = l.first + i
		}
		all = append(all, one)
	}
	return all
}

// A StarList is the stars of a hotel on a page.
type StarList struct {
	Page  View
	Stars int
}

// Stars returns stars for the template.
func (v View) Stars(n int) StarList { return StarList{v, n} }

// maxRemembered is the number of hotels of each list on the first page.
const maxRemembered = 4

// CardsOf returns the cards of remembered hotels that still exist.
func (v View) CardsOf(all []Remembered) (cards []Card) {
	for _, r := range all {
		if r.Card != nil && (v.Step != "start" || len(cards) < maxRemembered) {
			cards = append(cards, *r.Card)
		}
	}
	return cards
}
