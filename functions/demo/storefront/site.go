package storefront

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // local times of a hotel need it; a base image may lack it

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A site holds the templates, texts and clients of all hotels' pages.
type site struct {
	booking      string // the base URL of the booking service, without the tenant
	public       string // the base URL of the pages on which guests pay
	transport    http.RoundTripper
	properties   Properties
	translations page.Translations
	places       map[string]map[string]string // names by language
	pages        *template.Template
}

// openSite returns the site. TENANT_BOOKING_URL is the base URL of the booking service; the default is below PUBLIC_URL,
// where the payment pages are, too.
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
	translated, err := page.ReadTranslations(texts)
	if err != nil {
		return nil, err
	}
	places, err := readPlaces()
	if err != nil {
		return nil, err
	}
	pages, err := parsePages()
	if err != nil {
		return nil, err
	}
	wire, err := page.OpenTransport(e)
	return &site{
		booking:      strings.TrimSuffix(c.Booking, "/"),
		public:       c.Public,
		transport:    wire,
		properties:   OpenProperties(e),
		translations: translated,
		places:       places,
		pages:        pages,
	}, err
}

// sessionCookies are the names of the booking service's session cookie: over plain HTTP, on a shared host and on a
// hotel's own host.
var sessionCookies = []string{"tnt_id", "__Secure-tnt_id", "__Host-tnt_id"}

// visitor returns a Visitor for a request. Requests that act and redirect need no bootstrap.
func (s *site) visitor(slug string, r *http.Request, at time.Time) *Visitor {
	v := &Visitor{Slug: slug, At: at, site: s}
	v.browser = page.NewBrowser(s.transport, r, v.Home(), sessionCookies)
	accepted := acceptLanguage(r.Header)
	v.Localizer = s.translations.Localizer(locale.Negotiate(accepted, page.Languages), time.UTC)
	if accepted != "" && !english.MatchString(accepted) {
		v.browser.With("Accept-Language", accepted+", en;q=0.001")
	}
	return v
}

// english matches an Accept-Language header that says how much the visitor wants English. For other visitors the site asks for English as
// the last resort: without it the booking service would answer in the hotel's first language, which they may not read at all.
var english = regexp.MustCompile(`(?i)\ben\b`)

// Enter reads the hotel's bootstrap for a page. It begins a session if there is none.
func (v *Visitor) Enter(ctx context.Context) error { return v.enter(ctx, nil, nil) }

// EnterByLink is Enter with a handoff from the consumer site, or with the campaign of the guest's link.
func (v *Visitor) EnterByLink(ctx context.Context, from EntryLink) error {
	query := url.Values{}
	if from.Token != "" {
		query.Set("h", from.Token)
	}
	return v.enter(ctx, query, http.Header{"X-Campaign-Source": {from.Source}, "X-Campaign-Medium": {from.Medium}, "X-Campaign-Name": {from.Campaign}})
}

// An EntryLink holds the parameters of the link that the guest followed.
type EntryLink struct{ Token, Source, Medium, Campaign string }

func (v *Visitor) enter(ctx context.Context, query url.Values, campaign http.Header) error {
	path := "/bootstrap"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	for name, value := range campaign {
		if value[0] != "" {
			v.browser.With(name, value[0])
		}
	}
	if err := v.call(ctx, apiRequest{method: http.MethodGet, path: path, out: &v.Bootstrap}); err != nil {
		return err
	}
	properties, err := v.properties(ctx)
	v.Bootstrap.Properties = properties
	v.Localizer = v.site.translations.Localizer(v.Bootstrap.Locale, v.zone())
	if reader := v.reader(); !v.Bootstrap.offers(reader) { // a guest who prefers an offered tag to another one has chosen its calendar
		v.Localizer = v.Localizer.For(reader)
	}
	return err
}

// readerCookie is the cookie with the language that the guest chose on the consumer site, if the hotel does not offer it.
const readerCookie = "reader"

// reader returns the language that the guest reads best: the one chosen on the consumer site, or the browser's.
func (v *Visitor) reader() locale.Tag {
	if c, err := (&http.Request{Header: v.browser.Header}).Cookie(readerCookie); err == nil && slices.Contains(page.Languages, locale.Tag(c.Value)) {
		return locale.Tag(c.Value)
	}
	return locale.Negotiate(acceptLanguage(v.browser.Header), slices.Concat([]locale.Tag{v.Bootstrap.Locale}, page.Languages))
}

func acceptLanguage(h http.Header) string { return strings.Join(h.Values("Accept-Language"), ",") }

// KeepReader adds the cookie of a guest whose language the hotel does not offer to a page.
func (v *Visitor) KeepReader(p fn.Page) fn.Page {
	if a := v.Bootstrap.Arrival; a != nil && !v.Bootstrap.offers(a.Locale) {
		p.Reply = p.Reply.Keep(v.browser.Cookie(readerCookie, string(a.Locale), v.Home()))
	}
	return p
}

// offers reports whether the hotel offers a language.
func (b Bootstrap) offers(tag locale.Tag) bool {
	return slices.ContainsFunc(b.Locales, func(c locale.Conventions) bool { return c.Tag == tag })
}

// zone returns the time zone of the first property. Properties in several time zones are not supported.
func (v *Visitor) zone() *time.Location {
	for _, p := range v.Bootstrap.Properties {
		if zone, err := time.LoadLocation(p.TimeZone); err == nil {
			return zone
		}
	}
	return time.UTC
}

// UnavailablePage returns the page of a hotel that cannot be shown: the hotel is unknown, suspended or unavailable, or the visitor asks too
// often.
func (v *Visitor) UnavailablePage(err error) fn.Page {
	step, answer := "down", fn.Unavailable
	failed := ServiceErrorOf(err)
	switch failed.Code {
	case unknownTenant:
		step, answer = "unknown", fn.NotFound
	case suspendedTenant:
		step = "away"
	case fault.ErrValidation.Code: // an invalid header or campaign of the request
		answer = fn.BadRequest
	}
	if failed.Status == http.StatusTooManyRequests {
		step, answer = "busy", fn.TooMany
	}
	shown := v.Show(View{Step: step, Answer: answer, Title: v.Localizer.T(step + ".title")})
	shown.Reply = failed.RetryIn(shown.Reply, answer)
	return shown
}
