package frontdesk

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"time"
	_ "time/tzdata" // local times of a hotel need it; a base image may lack it

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

//go:embed pages
var files embed.FS

// Home is the path of the first page. All pages are below it.
const Home = "/desk"

// languages are the languages of the site. English is the default.
var languages = []locale.Tag{locale.English, locale.Dari, locale.Pashto}

// A site holds the templates, texts and clients of all pages.
type site struct {
	public       string // the base URL of the services that accept the token of staff
	transport    http.RoundTripper
	hotels       hotels
	translations page.Translations
	pages        *template.Template
	sheet        string
}

// openSite returns the site. The reservation service and the sandbox are below PUBLIC_URL.
func openSite(e env.Env) (*site, error) {
	var c struct {
		Public string `env:"PUBLIC_URL"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("frontdesk: %w", err)
	}
	s, err := readPages()
	if err != nil {
		return nil, err
	}
	s.public, s.hotels = c.Public, openHotels(e)
	s.transport, err = page.OpenTransport(e)
	return s, err
}

// readPages returns the site with the embedded templates and texts, and without a service to call.
func readPages() (*site, error) {
	s := &site{}
	texts, err := files.ReadFile("pages/texts.json")
	if err != nil {
		return nil, fmt.Errorf("frontdesk: %w", err)
	}
	if s.translations, err = page.ReadTranslations(texts); err != nil {
		return nil, err
	}
	sheet, err := files.ReadFile("pages/desk.css")
	if err != nil {
		return nil, fmt.Errorf("frontdesk: %w", err)
	}
	s.sheet = string(sheet)
	if s.pages, err = page.Templates(files); err != nil {
		return nil, fmt.Errorf("frontdesk: pages: %w", err)
	}
	return s, nil
}

// openUpstream returns a client of one of the sandbox's services.
func openUpstream(e env.Env, name string) *upstream.Client {
	return upstream.Open(e, name, upstream.Policy{Timeout: 2 * time.Second, Retries: 1})
}

const languageCookie = "language" // what the clerk has chosen

// clerk returns the Clerk of a request.
func (s *site) clerk(r *http.Request, at time.Time) *Clerk {
	c := &Clerk{At: at, site: s, browser: page.NewBrowser(s.transport, r, Home, nil)}
	if r.Method == http.MethodGet {
		c.Back = r.URL.RequestURI()
	}
	tag := locale.Negotiate(r.Header.Get("Accept-Language"), languages)
	if chosen, err := r.Cookie(languageCookie); err == nil && slices.Contains(languages, locale.Tag(chosen.Value)) {
		tag = locale.Tag(chosen.Value)
	}
	c.speak(tag, time.UTC)
	if kept, err := r.Cookie(tokenCookie); err == nil {
		c.session = readSession(kept.Value, at)
	}
	return c
}
