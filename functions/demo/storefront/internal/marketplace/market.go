package marketplace

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

//go:embed pages
var files embed.FS

// Home is the path of the site's first page. All pages are below it.
const Home = "/hotels"

// A market holds the templates, texts and the transport of all pages.
type market struct {
	consumer     string // the base URL of the consumer service
	public       string // the base URL of the hotels' own sites in a demonstration
	transport    http.RoundTripper
	translations page.Translations
	pages        *template.Template
	sheet        string
}

// openMarket returns the site. The consumer service is below PUBLIC_URL.
func openMarket(e env.Env) (*market, error) {
	var c struct {
		Public string `env:"PUBLIC_URL"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	m, err := readPages()
	if err != nil {
		return nil, err
	}
	m.consumer, m.public = c.Public+"/bff/consumer/v1", c.Public
	m.transport, err = page.OpenTransport(e)
	return m, err
}

// readPages returns the site with the embedded templates and texts, and without a service to call.
func readPages() (*market, error) {
	m := &market{}
	texts, err := files.ReadFile("pages/texts.json")
	if err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	if m.translations, err = page.ReadTranslations(texts); err != nil {
		return nil, err
	}
	sheet, err := files.ReadFile("pages/market.css")
	if err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	m.sheet = string(sheet)
	if m.pages, err = page.Templates(files); err != nil {
		return nil, fmt.Errorf("marketplace: pages: %w", err)
	}
	return m, nil
}

// A Call is a request to the site of all hotels.
type Call[In any] struct {
	fn.Call[In]
	*Visitor
}

// HTTP returns an HTTP function for a page or a form. It is public: the consumer service knows the guest by the cookie.
func HTTP[In any](s fn.Spec, serve func(context.Context, Call[In]) (fn.Page, error)) fn.Function {
	s.Access, s.ErrorPage = fn.Public, errorPages()
	s.Uses = fn.Uses{fn.Upstream("consumer")}
	open := func(e env.Env) (fn.Middleware[*Visitor], error) {
		m, err := openMarket(e)
		enter := func(_ context.Context, r *http.Request, _ identity.Identity) (*Visitor, fn.Scope, error) {
			return m.visitor(r, s.Site(r).Plain, e.Now()), fn.Scope{}, nil
		}
		return fn.Middleware[*Visitor]{Resolve: enter}, err
	}
	return fn.HTTP(s, open, func(env.Env) (func(context.Context, *Visitor, fn.Call[In]) (fn.Page, error), error) {
		return func(ctx context.Context, v *Visitor, c fn.Call[In]) (fn.Page, error) {
			return serve(ctx, Call[In]{c, v})
		}, nil
	})
}

// visitor returns the visitor of a request. Until the consumer service has answered, the language is the browser's.
func (m *market) visitor(r *http.Request, plain bool, at time.Time) *Visitor {
	v := &Visitor{At: at, market: m, address: r.URL.Path, query: url.Values{}}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		v.query = r.URL.Query()
		v.query.Del(responseField)
	}
	v.browser = page.NewBrowser(m.transport, r, Home, []string{sessionCookie})
	v.browser.Plain = plain
	v.speak(locale.Negotiate(strings.Join(r.Header.Values("Accept-Language"), ","), page.Languages))
	if c, err := r.Cookie(preferencesCookie); err == nil {
		v.remember(c.Value)
	}
	return v
}

// sessionCookie is the name of the consumer service's cookie.
const sessionCookie = "gms_id"
