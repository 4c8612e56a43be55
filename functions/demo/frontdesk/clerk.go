package frontdesk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A Clerk is a person at the desk with a browser, in one request to the site.
type Clerk struct {
	At        time.Time
	Localizer page.Localizer
	Hotel     *Hotel // nil until it is read
	Back      string // the address of this page, for the language form
	session   session
	browser   *page.Browser
	site      *site
}

func (c *Clerk) speak(tag locale.Tag, zone *time.Location) {
	c.Localizer = c.site.translations.Localizer(tag, zone)
}

// SignedIn reports whether there is a session that has not ended.
func (c *Clerk) SignedIn() bool { return c.session.token != "" }

// IsManager reports whether the session is that of a manager.
func (c *Clerk) IsManager() bool { return slices.Contains(c.session.Roles, manager) }

// Enter reads the hotel of the session. Dates and times are those of the hotel afterwards.
func (c *Clerk) Enter(ctx context.Context) error {
	hotel, err := c.site.hotels.Get(ctx, c.session.property())
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation(hotel.TimeZone)
	if err != nil {
		return err
	}
	c.Hotel = hotel
	c.speak(c.Localizer.Tag, zone)
	return nil
}

// Today returns the calendar date at the hotel.
func (c *Clerk) Today() stay.Date { return stay.DateOf(c.At.In(c.Localizer.Zone)) }

// reservations calls the reservation service with the token of the session.
func (c *Clerk) reservations(ctx context.Context, method, path, key string, in, out any) error {
	return c.call(ctx, page.Request{Method: method, URL: "/api/v1/reservations" + path, Key: key, In: in, Out: out})
}

func (c *Clerk) call(ctx context.Context, r page.Request) error {
	r.URL, r.Token, r.Tenant = c.site.public+r.URL, c.session.token, c.session.Tenant.String()
	return c.browser.Call(ctx, r)
}

// rooms returns the physical rooms of the hotel, by number.
func (c *Clerk) rooms(ctx context.Context) ([]Room, error) {
	var out struct {
		Rooms []Room `json:"rooms"`
	}
	err := c.call(ctx, page.Request{Method: http.MethodGet, URL: "/sandbox/property/v1/properties/" + c.session.property().String() + "/rooms", Out: &out})
	return out.Rooms, err
}

// To redirects to a page of the site.
func (c *Clerk) To(path string, query url.Values) fn.Page {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return fn.Page{Reply: fn.SeeOther.At(Home + path)}
}

// ToLogin redirects to the first page, which is the login without a session, with the problem in err.
func (c *Clerk) ToLogin(err error) fn.Page { return c.To("", problem(err)) }

// ToReservation redirects to a reservation, with a notice or with the problem in err. Both may be empty.
func (c *Clerk) ToReservation(r id.Reservation, notice string, err error) fn.Page {
	query := problem(err)
	if notice != "" && err == nil {
		query.Set("notice", notice)
	}
	return c.To("/reservations/"+r.String(), query)
}

// problem returns the query parameters of an error: its code, and what is still to pay if the error is about that.
func problem(err error) url.Values {
	query := url.Values{}
	if err != nil {
		failed := page.ServiceErrorOf(err)
		query.Set("problem", failed.Code)
		if failed.Due != "" {
			query.Set("due", failed.Due)
		}
	}
	return query
}

// Failed returns the answer to a page that could not be read: the login if the session has ended or its hotel is not accessible any more,
// and otherwise a page that says why.
func (c *Clerk) Failed(err error) fn.Page {
	failed := page.ServiceErrorOf(err)
	c.Back = Home // an error page repeats nothing of the address
	switch {
	case failed.Status == http.StatusUnauthorized:
		return c.ToLogin(err)
	case c.SignedIn() && (failed.Status == http.StatusForbidden || errors.Is(err, fault.ErrNotFound)):
		// ErrNotFound is about the hotel or its tenant. About all else the site asks with the token, and the error is a ServiceError.
		return c.Forget(problem(&page.ServiceError{Code: noHotel}))
	case failed.Status == http.StatusNotFound:
		return c.Show(View{Step: "missing", Answer: fn.NotFound})
	case failed.Status == http.StatusTooManyRequests:
		return c.Show(View{Step: "busy", Answer: fn.TooMany})
	case failed.Status == http.StatusBadRequest || errors.Is(err, fault.ErrValidation): // such as a scenario that the sandbox does not know
		return c.Show(View{Step: "wrong", Answer: fn.BadRequest})
	}
	return c.Show(View{Step: "down", Answer: fn.Unavailable})
}

// LogOut ends the session.
func (c *Clerk) LogOut() fn.Page { return c.Forget(url.Values{"notice": {"left"}}) }

// Forget redirects to the login without the session, with a notice or a problem.
func (c *Clerk) Forget(query url.Values) fn.Page {
	p := c.To("", query)
	p.Reply = p.Reply.Forget(c.browser.Cookie(tokenCookie, "", Home))
	return p
}

// Choose redirects to a page of the site and keeps the language that the clerk has chosen.
func (c *Clerk) Choose(tag locale.Tag, back string) fn.Page {
	if back != Home && !strings.HasPrefix(back, Home+"/") && !strings.HasPrefix(back, Home+"?") {
		back = Home // no open redirect
	}
	p := fn.Page{Reply: fn.SeeOther.At(back)}
	if slices.Contains(languages, tag) {
		p.Reply = p.Reply.Keep(c.browser.Cookie(languageCookie, string(tag), Home))
	}
	return p
}
