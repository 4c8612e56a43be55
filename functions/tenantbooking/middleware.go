package tenantbooking

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	session.Visitor
}

// Trace returns the caller's address and headers.
func (c Call[In]) Trace() session.Trace {
	return session.Trace{
		Address:   c.Address,
		Agent:     c.Header.Get("User-Agent"),
		Languages: strings.Join(c.Header.Values("Accept-Language"), ","),
	}
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Rule is an option of the middleware of one function.
type Rule int

// Options of the middleware.
const (
	WithoutSession  Rule = iota // also accepts requests without a session
	WhileSuspended              // also serves suspended tenants, so that guests can finish a booking that they have begun
	FromBootstrap               // rejects an X-Bootstrap-Version with other prices or choices than the current ones
	NewBookings                 // rejects requests while the feature readOnly is on
	WithViewToken               // without a session, a valid view token identifies the caller, so that idempotency keys count
	SetsCookie                  // the act sets the session's cookie itself
	ReadsStorefront             // also prefetches the documents that Storefronts.Compose and Manager.Served read
)

// slugWildcard is the part of a route that names the tenant.
const slugWildcard = "tenantSlug"

// pageHeaders are the headers that a hotel's own pages may send.
var pageHeaders = []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name", "X-Client-Surface", "X-Bootstrap-Version"}

// HTTP returns an HTTP function for browsers on one hotel's site.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error), rules ...Rule) fn.Function {
	s.Access, s.HostWildcard = fn.Public, slugWildcard
	s.Uses = slices.Concat(s.Uses, fn.Uses{fn.Upstream("tenant")})
	open := func(e env.Env) (fn.Middleware[resolved], error) { return openMiddleware(e, s, rules) }
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, resolved, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		refusals := openRefusals(e, s)
		return func(ctx context.Context, r resolved, c fn.Call[In]) (Out, error) {
			ctx, call := r.prefetched.WithPrefetched(ctx), Call[In]{c, r.Visitor}
			if refusals == nil {
				return serve(ctx, call)
			}
			ctx = refusals.Watch(ctx)
			out, err := serve(ctx, call)
			if err != nil {
				refusals.Publish(ctx, r.Visitor, c.Header, err, c.Now)
				err = refusals.Explain(ctx, r.Session, err)
			}
			return out, err
		}, nil
	})
}

// Internal returns an HTTP function that only other services of the platform may call, with an identity token. It has no session, and
// its request names the tenant.
func Internal[In, Out any](s fn.Spec, build func(env.Env) (fn.Serve[In, Out], error)) fn.Function {
	s.Access = fn.Internal
	return fn.HTTP(s, fn.Open, func(e env.Env) (func(context.Context, fn.Nothing, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, _ fn.Nothing, c fn.Call[In]) (Out, error) { return serve(ctx, c) }, nil
	})
}

// openRefusals returns the publisher of errors that guests are shown, or nil for a function outside of the booking flow.
func openRefusals(e env.Env, s fn.Spec) *booking.Refusals {
	for _, published := range s.Publishes {
		if published.Name == subject.ErrorEncounteredV1.Name {
			return booking.OpenRefusals(e)
		}
	}
	return nil
}

// Event returns an event function for events of one tenant. Permanent failures are dead-lettered to the dead-letter
// topic of the subject; an event without a tenant is a permanent failure.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	return PlatformEvent(s, fn.OfTenant(build))
}

// PlatformEvent returns an event function for events that need not have a tenant.
func PlatformEvent[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.Subscription = "bff-tenant-booking." + s.Subject
	s.DeadLetter = "bff-tenant-dlq." + s.Subject
	s.Attempts = 5
	return fn.Event(s, build)
}

// A resolved is the visitor of a request, and the documents that the middleware has prefetched for the act.
type resolved struct {
	session.Visitor
	prefetched document.Prefetched
}

// A middleware resolves the tenant and the session before the request body is read.
type middleware struct {
	env         env.Env
	tenants     *hotel.Tenants
	sessions    *session.Sessions
	flags       *flags.Flags
	spec        fn.Spec
	rules       []Rule
	storefronts *hotel.Storefronts // nil unless the function has ReadsStorefront
	served      document.Collection[bool]
	refusals    *booking.Refusals // nil unless the function publishes errors

	confirmations booking.Confirmations // zero unless the function has WithViewToken
}

// openMiddleware opens the idempotency ledger only if the function is idempotent: reads need no idempotency key.
func openMiddleware(e env.Env, s fn.Spec, rules []Rule) (fn.Middleware[resolved], error) {
	sessions, err := session.OpenSessions(e)
	if err != nil {
		return fn.Middleware[resolved]{}, err
	}
	d := &middleware{env: e, tenants: hotel.OpenTenants(e), sessions: sessions, flags: subject.OpenFlags(e), spec: s, rules: rules, served: session.OpenServed(e),
		refusals: openRefusals(e, s)}
	if slices.Contains(rules, ReadsStorefront) {
		d.storefronts = hotel.OpenStorefronts(e)
	}
	if slices.Contains(rules, WithViewToken) {
		if d.confirmations, err = booking.OpenConfirmations(e); err != nil {
			return fn.Middleware[resolved]{}, err
		}
	}
	opened := fn.Middleware[resolved]{Resolve: d.resolve, ContinueAs: d.continueAs, Path: []string{slugWildcard}, Headers: []string{"X-Currency"},
		CORS: fn.CORS{Origins: d.origins, Allow: pageHeaders, Expose: []string{"X-Bootstrap-Version"}}}
	if s.Idempotent {
		opened.Ledger, err = idempotency.Open(e, postgres.Open(e, session.Schema))
	}
	return opened, err
}

// continueAs returns the cookie of the session under which the visitor's session continues.
func (d *middleware) continueAs(r *http.Request, v resolved, caller string) (*http.Cookie, error) {
	session, err := id.Parse[id.TenantSession](caller)
	if err != nil {
		return nil, err
	}
	v.Session.ID = session
	return d.sessions.Cookie(v.Visitor, d.spec.Site(r))
}

// A prefetch holds the documents that the middleware reads in one round trip: those of the tenant and of the session
// that the cookie names.
type prefetch struct {
	tenant    id.Tenant
	cookie    session.CookieValue
	hasCookie bool // reports whether the request has a valid session cookie
	documents document.Prefetched
}

// prefetch reads the documents that the middleware and the act need in one round trip.
func (d *middleware) prefetch(ctx context.Context, r *http.Request, t id.Tenant) prefetch {
	g := prefetch{tenant: t}
	g.cookie, g.hasCookie = d.sessions.FromCookie(r, t, d.spec.Site(r))
	names := d.tenants.DocumentNames(t)
	if d.storefronts != nil {
		names = append(names, d.storefronts.DocumentNames(t)...)
	}
	if g.hasCookie {
		names = append(names, d.sessions.DocumentName(g.cookie.Session))
	}
	if g.hasCookie && d.storefronts != nil {
		names = append(names, d.served.Name(document.KeyOf(g.cookie.Session.String())))
	}
	g.documents = document.Prefetch(ctx, d.env, names...)
	return g
}

// resolve returns the visitor of a request. If it returns an error to a guest with a session, it also publishes the error.
func (d *middleware) resolve(ctx context.Context, r *http.Request, _ identity.Identity) (resolved, fn.Scope, error) {
	v, s, err := d.visit(ctx, r)
	if err != nil && d.refusals != nil && !v.Session.ID.IsZero() {
		d.refusals.Publish(ctx, v.Visitor, r.Header, err, d.env.Now())
	}
	return v, s, err
}

// visit returns an error for an unknown tenant, a suspended tenant, a request without a session, a site closed to new
// bookings and an outdated client, in this order. A later check never reveals anything to a caller that fails an earlier one.
func (d *middleware) visit(ctx context.Context, r *http.Request) (v resolved, s fn.Scope, err error) {
	var g prefetch
	v.Called = r.PathValue(slugWildcard)
	began := d.env.Now()
	v.Tenant, err = d.tenants.FindPrefetching(ctx, v.Called, func(t id.Tenant) document.Prefetched {
		g = d.prefetch(ctx, r, t)
		return g.documents
	})
	if err != nil {
		return v, s, err
	}
	v.Took = max(0, d.env.Now().Sub(began))
	if g.tenant != v.Tenant.ID { // the cached tenant id of this name was out of date
		g = d.prefetch(ctx, r, v.Tenant.ID)
	}
	s.Tenant, v.prefetched = v.Tenant.ID, g.documents
	d.flags.Refresh(ctx)
	v.Device = session.DeviceOf(r.Header)
	noSession := d.resume(g.documents.WithPrefetched(ctx), r, g, &v.Visitor, &s)
	if v.Tenant.Suspended() && !slices.Contains(d.rules, WhileSuspended) {
		return v, s, ErrSuspended
	}
	if noSession != nil {
		return v, s, noSession
	}
	if slices.Contains(d.rules, NewBookings) && d.flags.On(subject.ReadOnly) {
		return v, s, ErrReadOnly
	}
	if slices.Contains(d.rules, FromBootstrap) && v.Tenant.Outdated(r.Header.Get("X-Bootstrap-Version")) {
		return v, s, ErrOutdated
	}
	v.Locale, v.Currency = session.Preferences(r.Header, v.Visitor)
	s.Language = string(v.Locale)
	v.Campaign = v.Session.Campaign.Or(attribution.CampaignOf(r.Header))
	return v, s, nil
}

// resume loads the session of the request's cookie, extends its life, and renews the cookie if it is older than a day. A revoked session
// counts as missing: its cookie reads and writes nothing, and the browser may begin a new session.
func (d *middleware) resume(ctx context.Context, r *http.Request, g prefetch, v *session.Visitor, s *fn.Scope) error {
	if g.hasCookie {
		v.Session = d.sessions.Get(ctx, v.Tenant, g.cookie.Session, session.FromHeaders(v.Tenant, r.Header))
	}
	if !v.Session.RevokedAt.IsZero() {
		v.Session = session.Session{}
	}
	if v.Session.ID.IsZero() {
		if !slices.Contains(d.rules, WithoutSession) {
			return ErrNoSession
		}
		s.Caller = d.tokenHolder(r, v.Tenant.ID)
		return nil
	}
	s.Caller = v.Session.ID.String()
	v.Session = d.sessions.Renew(ctx, v.Session).WithSignals(r.Header)
	if slices.Contains(d.rules, SetsCookie) || !g.cookie.NeedsRenewal(d.env.Now()) {
		return nil
	}
	cookie, err := d.sessions.Cookie(*v, d.spec.Site(r))
	s.Cookies = append(s.Cookies, cookie)
	return err
}

// tokenHolder returns the caller that a valid view token identifies, or "". All holders of the token are the guest of that booking.
func (d *middleware) tokenHolder(r *http.Request, t id.Tenant) string {
	if !slices.Contains(d.rules, WithViewToken) {
		return ""
	}
	reservation, err := id.Parse[id.Reservation](r.PathValue("reservationId"))
	if err != nil || !d.confirmations.IsToken(r.URL.Query().Get("t"), t, reservation) {
		return ""
	}
	return "guest of " + reservation.String()
}

// origins returns the tenant's own sites, for CORS: their pages may call any host of this service.
func (d *middleware) origins(ctx context.Context, r *http.Request) []string {
	found, err := d.tenants.Find(ctx, r.PathValue(slugWildcard))
	if err != nil {
		return nil
	}
	var origins []string
	for _, domain := range found.Domains {
		origins = append(origins, "https://"+domain)
	}
	return origins
}
