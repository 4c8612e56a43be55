package tenantbooking

import (
	"context"
	"net/http"
	"slices"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Schema is where the tables of this service are.
const Schema = "bff_tenant_booking"

// Base is what every route of this service begins with. On a tenant's own host the same routes lie below /api.
const Base = "/bff/tenant-booking/v1/{tenantSlug}"

// A Visitor is who visits a hotel's site: the hotel, the session, and what the visit is read and counted in.
type Visitor struct {
	Tenant   Tenant
	Called   string  // what the browser calls the hotel by: its slug, a domain or its id
	Session  Session // zero where there is none, which only functions opened [WithoutSession] meet
	Locale   locale.Tag
	Currency money.Currency
	Campaign attribution.Campaign
	Device   attribution.Device

	seen document.Prefetched // what the middleware has looked at, for whoever is behind it
}

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	Visitor
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Rule changes what the middleware of one function does.
type Rule int

// The rules.
const (
	WithoutSession Rule = iota // lets in who has no session yet
	WhileSuspended             // stays open when the hotel is suspended: what was begun can be ended
	FromBootstrap              // rejects a request from a site that shows other prices or choices than the hotel has now
	ShowsFront                 // also reads ahead what Storefronts.Compose and Visits.Served are going to look at
)

// HTTP makes an HTTP function for browsers on one hotel's site.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error), rules ...Rule) fn.Function {
	s.Access = fn.Public
	s.Uses = slices.Concat(s.Uses, fn.Uses{fn.Upstream("tenant")})
	open := func(e env.Env) (fn.Middleware[Visitor], error) { return openMiddleware(e, s, rules) }
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, Visitor, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, v Visitor, c fn.Call[In]) (Out, error) {
			return serve(v.seen.WithPrefetched(ctx), Call[In]{c, v})
		}, nil
	})
}

// Event makes an event function for what happens to one hotel. What can never succeed goes to the dead letters of its
// subject; an event that names no hotel is such.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	return PlatformEvent(s, func(e env.Env) (fn.Handle[P], error) {
		handle, err := build(e)
		return func(ctx context.Context, e event.Event[P]) error {
			if e.Delivery.Tenant == nil {
				return fn.DeadLetter(fault.ErrValidation.Saying("The event names no tenant."))
			}
			return handle(ctx, e)
		}, err
	})
}

// PlatformEvent makes an event function for what need not be about any hotel.
func PlatformEvent[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "bff-tenant-dlq." + s.Subject
	s.Attempts = 5
	return fn.Event(s, build)
}

// A middleware knows the hotel and the session before a body is read.
type middleware struct {
	env      env.Env
	tenants  *Tenants
	sessions *Sessions
	flags    *flags.Flags
	spec     fn.Spec
	rules    []Rule
	fronts   *Storefronts // nil where no front is shown
	served   document.Collection[bool]
}

// openMiddleware opens the ledger only for those who need it: to read, no key is needed.
func openMiddleware(e env.Env, s fn.Spec, rules []Rule) (fn.Middleware[Visitor], error) {
	sessions, err := OpenSessions(e)
	if err != nil {
		return fn.Middleware[Visitor]{}, err
	}
	d := &middleware{env: e, tenants: OpenTenants(e), sessions: sessions, flags: OpenFlags(e), spec: s, rules: rules, served: openServed(e)}
	if slices.Contains(rules, ShowsFront) {
		d.fronts = OpenStorefronts(e)
	}
	opened := fn.Middleware[Visitor]{Resolve: d.enter, ContinueAs: d.continueAs, Origins: d.origins, Path: []string{"tenantSlug"}, Headers: []string{"X-Currency"}}
	if s.Idempotent {
		opened.Ledger, err = idempotency.Open(e, postgres.Open(e, Schema))
	}
	return opened, err
}

// continueAs returns the cookie of the session that the visitor's goes on as.
func (d *middleware) continueAs(r *http.Request, v Visitor, caller string) (*http.Cookie, error) {
	session, err := id.Parse[id.TenantSession](caller)
	if err != nil {
		return nil, err
	}
	v.Session.ID = session
	return d.sessions.Cookie(v, d.spec.Site(r))
}

// A prefetch is what the middleware knows before the hotel's entry is read: whose name is called, which session the cookie names, and
// the documents of both.
type prefetch struct {
	tenant id.Tenant
	pass   Pass
	known  bool // whether there is a session
	seen   document.Prefetched
}

// prefetch reads at once what the middleware will look at, and whoever is behind it.
func (d *middleware) prefetch(ctx context.Context, r *http.Request, t id.Tenant) prefetch {
	g := prefetch{tenant: t}
	g.pass, g.known = d.sessions.FromCookie(r, t, d.spec.Site(r))
	names := d.tenants.namesOf(t)
	if d.fronts != nil {
		names = append(names, d.fronts.names(t)...)
	}
	if g.known {
		names = append(names, d.sessions.docs.Name(d.sessions.key(g.pass.Session)))
	}
	if g.known && d.fronts != nil {
		names = append(names, d.served.Name(document.KeyOf(g.pass.Session.String())))
	}
	g.seen = document.Prefetch(ctx, d.env, names...)
	return g
}

// enter refuses an unknown hotel, a suspended one, a visitor without a session and one who was shown what is no longer so,
// in this order: what lies behind a middleware is not told to those before it.
func (d *middleware) enter(ctx context.Context, r *http.Request, _ identity.Identity) (v Visitor, s fn.Scope, err error) {
	var g prefetch
	v.Called = r.PathValue("tenantSlug")
	v.Tenant, err = d.tenants.find(ctx, v.Called, func(t id.Tenant) document.Prefetched {
		g = d.prefetch(ctx, r, t)
		return g.seen
	})
	if err != nil {
		return v, s, err
	}
	if g.tenant != v.Tenant.ID { // the name was another hotel's
		g = d.prefetch(ctx, r, v.Tenant.ID)
	}
	s.Tenant, v.seen = v.Tenant.ID, g.seen
	d.flags.Refresh(ctx)
	if v.Tenant.Suspended() && !slices.Contains(d.rules, WhileSuspended) {
		return v, s, ErrSuspended
	}
	v.Device = deviceOf(r.Header)
	if err := d.resume(g.seen.WithPrefetched(ctx), r, g, &v, &s); err != nil {
		return v, s, err
	}
	if slices.Contains(d.rules, FromBootstrap) && v.Tenant.outdated(r.Header.Get("X-Bootstrap-Version")) {
		return v, s, ErrOutdated
	}
	v.Locale, v.Currency = prefers(r.Header, v)
	v.Campaign = v.Session.Campaign.Or(attribution.CampaignOf(r.Header))
	return v, s, nil
}

// resume continues the session of the request's cookie, and renews a cookie that is a day old. A session that was revoked is
// none: its cookie reads and writes nothing, and the browser may begin a new session.
func (d *middleware) resume(ctx context.Context, r *http.Request, g prefetch, v *Visitor, s *fn.Scope) error {
	if g.known {
		v.Session = d.sessions.Get(ctx, v.Tenant, g.pass.Session, birthOf(r, v.Tenant))
	}
	if !v.Session.RevokedAt.IsZero() {
		v.Session = Session{}
	}
	if v.Session.ID.IsZero() {
		if !slices.Contains(d.rules, WithoutSession) {
			return ErrNoSession
		}
		return nil
	}
	s.Caller = v.Session.ID.String()
	if slices.Contains(d.rules, WithoutSession) || d.env.Now().Sub(g.pass.IssuedAt) < renewal {
		return nil // those functions send a cookie of their own
	}
	cookie, err := d.sessions.Cookie(*v, d.spec.Site(r))
	s.Cookies = append(s.Cookies, cookie)
	return err
}
