package marketplace

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Visitor is the guest's browser in one request to the site.
type Visitor struct {
	At        time.Time
	Localizer page.Localizer
	Locale    locale.Tag     // of the session, once it is known
	Currency  money.Currency // of the session, once it is known
	browser   *page.Browser
	market    *market
	kept      string     // the value of preferencesCookie in the request
	address   string     // the path of the request
	query     url.Values // of a page
	response  string     // to a challenge, for the next call
}

func (v *Visitor) speak(tag locale.Tag) {
	v.Locale, v.Localizer = tag, v.market.translations.Localizer(tag, time.UTC)
}

// preferencesCookie keeps the language and the currency of the session in the browser, for pages that the consumer service does not say
// them for: the suggestions of places, and errors such as a challenge.
const preferencesCookie = "preferences"

// preferences returns the value of preferencesCookie.
func (v *Visitor) preferences() string { return string(v.Locale) + "." + string(v.Currency) }

// remember takes the language and the currency from the value of preferencesCookie. It ignores those that the site does not have.
func (v *Visitor) remember(value string) {
	tag, currency, _ := strings.Cut(value, ".")
	if l, c := locale.Tag(tag), money.Currency(currency); slices.Contains(page.Languages, l) && slices.Contains(View{}.Currencies(), c) {
		v.speak(l)
		v.Currency, v.kept = c, value
	}
}

// keep adds preferencesCookie to a reply if the browser has another one.
func (v *Visitor) keep(r fn.Reply) fn.Reply {
	if v.Currency == "" || v.preferences() == v.kept {
		return r
	}
	return r.Keep(v.browser.Cookie(preferencesCookie, v.preferences(), Home))
}

// Forget removes the site's own cookies with a page.
func (v *Visitor) Forget(p fn.Page) fn.Page {
	for _, name := range []string{lastTripCookie, savedCookie, preferencesCookie} {
		c := v.browser.Cookie(name, "", Home)
		c.MaxAge = -1
		p.Reply = p.Reply.Keep(c)
	}
	return p
}

// get reads a part of the consumer service.
func (v *Visitor) get(ctx context.Context, path string, out any) error {
	return v.call(ctx, page.Request{Method: http.MethodGet, URL: path, Out: out})
}

// call sends a request. The first one carries the response to a challenge.
func (v *Visitor) call(ctx context.Context, r page.Request) error {
	r.URL, r.Challenge, v.response = v.market.consumer+r.URL, v.response, ""
	return v.browser.Call(ctx, r)
}

// Session reads what the consumer service knows of the visit, and begins a visit if there is none. With cards, each hotel has its
// card.
func (v *Visitor) Session(ctx context.Context, cards bool) (s Session, err error) {
	path := "/session"
	if cards {
		path += "?expand=card"
	}
	if err = v.get(ctx, path, &s); err != nil {
		return s, err
	}
	v.settle(s.Locale, s.Currency)
	return s, nil
}

// settle follows the language and the currency of an answer.
func (v *Visitor) settle(l locale.Tag, c money.Currency) {
	if l != "" && l != v.Locale {
		v.speak(l)
	}
	v.Currency = c
}

// Destinations returns the cities that the guest may mean.
func (v *Visitor) Destinations(ctx context.Context, text string) ([]Destination, error) {
	var out struct {
		Destinations []Destination `json:"destinations"`
	}
	err := v.get(ctx, "/destinations?"+url.Values{"q": {text}}.Encode(), &out)
	return out.Destinations, err
}

// Town returns a city with its name in the language of the page. If the consumer service does not know it, or cannot be reached, the
// name is the city's own, and its place is unknown.
func (v *Visitor) Town(ctx context.Context, city string) Destination {
	own := Destination{City: city, Name: Text{Default: city, Display: city}}
	if city == "" {
		return own
	}
	found, err := v.Destinations(ctx, city)
	if err != nil {
		return own
	}
	for _, d := range found {
		if strings.EqualFold(d.City, city) {
			if d.Name.Display == "" || v.Localizer.Tag.Language() == locale.English.Language() {
				d.Name = own.Name
			}
			return d
		}
	}
	return own
}

// Search returns a page of hotels.
func (v *Visitor) Search(ctx context.Context, t Trip) (*Results, error) {
	if err := page.CheckDays(t.CheckIn, t.CheckOut); err != nil {
		return nil, err
	}
	var out Results
	err := v.call(ctx, page.Request{Method: http.MethodPost, URL: "/search", In: t.search(), Out: &out})
	if err != nil {
		return nil, err
	}
	v.settle(out.Locale, out.Currency)
	return &out, nil
}

// Pins returns the hotels of a search where those of the cards are, and between them. Those of the cards have prices.
func (v *Visitor) Pins(ctx context.Context, t Trip, cards []Card) (*Pins, error) {
	in := t.search()
	in.Sort, in.Page, in.Geo = "", nil, geo{Mode: "bounding-box", Box: around(cards)}
	for _, c := range cards {
		in.Spotlight = append(in.Spotlight, c.Property)
	}
	var out Pins
	if err := v.call(ctx, page.Request{Method: http.MethodPost, URL: "/search/map", In: in, Out: &out}); err != nil {
		return nil, err
	}
	return &out, nil
}

// Hotel returns a hotel, with the prices of the trip. The consumer service remembers the view.
func (v *Visitor) Hotel(ctx context.Context, p id.Property, t Trip, from string) (*Hotel, error) {
	if err := page.CheckDays(t.CheckIn, t.CheckOut); err != nil {
		return nil, err
	}
	query := t.stay()
	if from != "" {
		query.Set("source", from)
	}
	var out Hotel
	if err := v.get(ctx, "/hotels/"+p.String()+"?"+query.Encode(), &out); err != nil {
		return nil, err
	}
	v.settle(out.Locale, out.Currency)
	return &out, nil
}

// Vacancy returns whether and for how much a hotel has rooms for the trip.
func (v *Visitor) Vacancy(ctx context.Context, p id.Property, t Trip) (*Vacancy, error) {
	var out Vacancy
	err := v.get(ctx, "/hotels/"+p.String()+"/availability?"+t.stay().Encode(), &out)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// Handoff returns the link to the hotel's own site, with the guest's choice.
func (v *Visitor) Handoff(ctx context.Context, tenant id.Tenant, p id.Property, t Trip, key string) (string, error) {
	in := struct {
		Dates     dates     `json:"dates"`
		Occupancy occupancy `json:"occupancy"`
	}{t.dates(), t.occupancy()}
	var out struct {
		URL string `json:"url"`
	}
	path := "/handoff/" + tenant.String() + "/" + p.String()
	err := v.call(ctx, page.Request{Method: http.MethodPost, URL: path, Key: key, In: in, Out: &out})
	return out.URL, err
}

// SetPreferences sets what is given of the language, the currency and the consents of the visit.
func (v *Visitor) SetPreferences(ctx context.Context, p Preferences, key string) error {
	err := v.call(ctx, page.Request{Method: http.MethodPatch, URL: "/session", Key: key, In: p})
	if err == nil {
		v.settle(p.Locale, cmp.Or(p.Currency, v.Currency))
	}
	return err
}

// Save saves a hotel on the guest's list.
func (v *Visitor) Save(ctx context.Context, p id.Property, key string) error {
	in := struct {
		Property id.Property `json:"propertyId"`
		Source   string      `json:"source"`
	}{p, "detail"}
	return v.call(ctx, page.Request{Method: http.MethodPost, URL: "/wishlist", Key: key, In: in})
}

// Remove removes a hotel from the guest's list. It succeeds if the hotel is not on the list.
func (v *Visitor) Remove(ctx context.Context, p id.Property, key string) error {
	return v.call(ctx, page.Request{Method: http.MethodDelete, URL: "/wishlist/" + p.String(), Key: key})
}

// Clear deletes the data of the visit in the consumer service. Its response deletes the browser's cookie.
func (v *Visitor) Clear(ctx context.Context) error {
	return v.call(ctx, page.Request{Method: http.MethodPost, URL: "/session/clear"})
}

// Answer makes the next call carry the response to a challenge.
func (v *Visitor) Answer(response string) { v.response = response }

// Solve passes the response to a challenge of a page on, and redirects to the page without it, so that no address keeps it.
func (v *Visitor) Solve(ctx context.Context, response string) fn.Page {
	v.Answer(response)
	if _, err := v.Session(ctx, false); err != nil {
		return v.ProblemPage(err, nil)
	}
	return v.To(strings.TrimPrefix(v.address, Home), v.query)
}

// To redirects to a page of the site.
func (v *Visitor) To(path string, query url.Values) fn.Page {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return fn.Page{Reply: v.keep(v.browser.Cookies(fn.SeeOther.At(Home + path)))}
}

// ToHotelSite redirects to the hotel's own site.
func (v *Visitor) ToHotelSite(to string) fn.Page {
	return fn.Page{Reply: v.browser.Cookies(fn.SeeOther.At(to))}
}

// ToBack redirects to a page of this site.
func (v *Visitor) ToBack(back, notice string) fn.Page {
	path, query := pageOf(back)
	if notice != "" {
		query.Set("notice", notice)
	}
	return v.To(path, query)
}

// pageOf returns the path below Home and the query of a page, without an earlier message. Any other address than one of this site
// leads to the first page, to prevent open redirects.
func pageOf(address string) (path string, query url.Values) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || (u.Path != Home && !strings.HasPrefix(u.Path, Home+"/")) {
		return "", url.Values{}
	}
	query = u.Query()
	query.Del("notice")
	query.Del("problem")
	return strings.TrimPrefix(u.EscapedPath(), Home), query
}

// Refused returns the answer to a form that the consumer service has refused: the challenge, whose form repeats this one, or the
// page of the form with the problem.
func (v *Visitor) Refused(err error, back string, form url.Values) fn.Page {
	refused := page.ServiceErrorOf(err)
	if refused.Code == suspected {
		return v.ProblemPage(err, form)
	}
	path, query := pageOf(back)
	query.Set("problem", refused.Code)
	return v.To(path, query)
}
