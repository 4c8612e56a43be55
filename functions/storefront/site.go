package storefront

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A site is the pages of every hotel.
type site struct {
	booking    string // where the booking service is, without the hotel
	wire       http.RoundTripper
	properties Properties
	dictionary dictionary
	pages      *template.Template
}

// openSite opens the pages. TENANT_BOOKING_URL says where the booking service is, if not below PUBLIC_URL.
func openSite(e env.Env) (*site, error) {
	var c struct {
		Booking string `env:"TENANT_BOOKING_URL"`
		Public  string `env:"PUBLIC_URL"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("storefront: %w", err)
	}
	if c.Booking == "" {
		c.Booking = c.Public + "/bff/tenant-booking/v1"
	}
	words, err := readDictionary()
	if err != nil {
		return nil, err
	}
	pages, err := parsePages()
	if err != nil {
		return nil, err
	}
	wire, err := openWire(e)
	return &site{
		booking:    strings.TrimSuffix(c.Booking, "/"),
		wire:       wire,
		properties: OpenProperties(e),
		dictionary: words,
		pages:      pages,
	}, err
}

// openWire is the connection to the booking service: the one that was given, else one for all pages.
func openWire(e env.Env) (http.RoundTripper, error) {
	if given, ok := env.Given[http.RoundTripper](e); ok {
		return given, nil
	}
	return env.Once(e, "storefront", func() (http.RoundTripper, error) {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.Proxy = nil // where calls go is configuration's to say
		e.OnClose(func(context.Context) error { t.CloseIdleConnections(); return nil })
		return t, nil
	})
}

// sessionCookies are the names that the booking service gives its session's cookie, by how it is called.
var sessionCookies = []string{"tnt_id", "__Secure-tnt_id", "__Host-tnt_id"}

// visit is a guest's request. One that acts and then sends them on needs to know nothing of the hotel.
func (s *site) visit(slug string, h http.Header, at time.Time) *Visit {
	v := &Visit{Slug: slug, At: at, site: s, header: h}
	for _, c := range (&http.Request{Header: h}).Cookies() {
		if slices.Contains(sessionCookies, c.Name) {
			v.cookies = append(v.cookies, c)
		}
	}
	v.Words = s.dictionary.in(locale.Negotiate(strings.Join(h.Values("Accept-Language"), ","), languages), time.UTC)
	return v
}

// Enter reads what the hotel shows of itself, for a page. It begins the visit where there is none.
func (v *Visit) Enter(ctx context.Context) error { return v.enter(ctx, nil, nil) }

// Arrive enters with an invitation from the consumer site, or with the campaign that has brought the guest.
func (v *Visit) Arrive(ctx context.Context, from Coming) error {
	query := url.Values{}
	if from.Token != "" {
		query.Set("h", from.Token)
	}
	return v.enter(ctx, query, http.Header{"X-Campaign-Source": {from.Source}, "X-Campaign-Medium": {from.Medium}, "X-Campaign-Name": {from.Campaign}})
}

// A Coming is how a guest has come, as their link says.
type Coming struct{ Token, Source, Medium, Campaign string }

func (v *Visit) enter(ctx context.Context, query url.Values, campaign http.Header) error {
	path := "/bootstrap"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	for name, value := range campaign {
		if value[0] != "" {
			v.header = v.header.Clone()
			v.header[name] = value
		}
	}
	if _, err := v.do(ctx, wish{method: http.MethodGet, path: path, out: &v.Front}); err != nil {
		return err
	}
	houses, err := v.houses(ctx)
	v.Front.Houses = houses
	v.Words = v.site.dictionary.in(v.Front.Locale, v.zone())
	return err
}

// zone is the hotel's; a hotel company's houses that are far from each other would need one each.
func (v *Visit) zone() *time.Location {
	for _, house := range v.Front.Houses {
		if zone, err := time.LoadLocation(house.TimeZone); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Lost is the page of a visit that could not begin: there is no such hotel, it takes no bookings, or it cannot be reached.
func (v *Visit) Lost(err error) fn.Page {
	step, answer := "down", fn.Unavailable
	switch RefusalOf(err).Code {
	case unknownTenant:
		step, answer = "unknown", fn.NotFound
	case suspendedTenant:
		step = "away"
	case fault.ErrValidation.Code: // a header or a campaign that cannot be: not the hotel's trouble
		answer = fn.BadRequest
	}
	return v.Show(View{Step: step, Answer: answer, Title: v.Words.T(step + ".title")})
}
