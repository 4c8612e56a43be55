package tenantbookingtest

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Surround returns the Env with this service's keys and a store for hot documents.
func Surround(e env.Env) env.Env {
	key := "test:" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	e = e.With("TENANT_SESSION_KEYS", key).With("VIEW_TOKEN_KEYS", key).With("RETURN_LINK_KEYS", key).With("PSEUDONYM_PEPPERS", key)
	return document.StoreKey.With(e, documents.Open(e))
}

// A System is the functions of this service with fake upstream services.
type System struct {
	t        testing.TB
	DB       *pgtest.Database
	Env      env.Env
	Platform *FakePlatform
	Front    *fntest.Front
}

// Build opens functions of this service with new fake services.
func Build(t testing.TB, fs ...fn.Function) *System {
	t.Helper()
	db := pgtest.New(t)
	return BuildOn(t, db, db.Env(), fs...)
}

// BuildOn is Build with a given database and Env.
func BuildOn(t testing.TB, db *pgtest.Database, e env.Env, fs ...fn.Function) *System {
	t.Helper()
	platform := Open(t, db.Env().Now)
	e, issuer := fntest.Surround(t, platform.Around(Surround(e)))
	return &System{t: t, DB: db, Env: e, Platform: platform, Front: fntest.Behind(t, e, issuer, fs...)}
}

// AdvanceTo moves the clock to the next time of day in UTC.
func (s *System) AdvanceTo(hour, minute int) {
	s.t.Helper()
	now := s.Env.Now().UTC()
	next := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC)
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	s.DB.Advance(next.Sub(now))
}

// A Guest is a client with a session on a hotel's site.
type Guest struct {
	*System
	Tenant  hotel.Tenant
	Session session.Session
	Cookie  string
	Draft   id.Draft
	Quote   id.Quote
	Intent  id.Intent
	Stay    id.Reservation
	Version string // the ETag of the draft

	before []id.TenantSession // earlier ids of the session, before the guest's details were set
}

// Guest begins a session at the n-th tenant.
func (s *System) Guest(n int) *Guest { return s.guest(n, true) }

// Silent begins a session at the n-th tenant without consent to telemetry.
func (s *System) Silent(n int) *Guest { return s.guest(n, false) }

func (s *System) guest(n int, telemetry bool) *Guest {
	s.t.Helper()
	sessions, err := session.OpenSessions(s.Env)
	check.Must(s.t, err)
	g := &Guest{System: s, Tenant: s.Platform.Tenants[n]}
	g.Session = session.Begin(session.Session{Tenant: g.Tenant.ID, Consent: session.Consent{Telemetry: telemetry}})
	check.Must(s.t, sessions.Save(s.t.Context(), g.Session, session.Session{}))
	cookie, err := sessions.Cookie(session.Visitor{Tenant: g.Tenant, Called: g.Tenant.Slug, Session: g.Session}, fn.Site{})
	check.Must(s.t, err)
	g.Cookie = cookie.Name + "=" + cookie.Value
	return g
}

// Path returns a path below the tenant's base path.
func (g *Guest) Path(rest string) string {
	return strings.ReplaceAll(tenantbooking.Base, "{tenantSlug}", g.Tenant.Slug) + rest
}

// Key returns a new idempotency key.
func Key() string { return id.New[id.Request]().String() }

// Send sends a request with the guest's cookie.
func (g *Guest) Send(method, rest string, body any, headers ...string) fntest.Answer {
	g.t.Helper()
	headers = append([]string{"Cookie", g.Cookie, "Idempotency-Key", Key(), "User-Agent", "Mobile"}, headers...)
	a := g.Front.As("").Send(method, g.Path(rest), body, headers...)
	g.keep(a)
	return a
}

// keep stores the cookie of a response.
func (g *Guest) keep(a fntest.Answer) {
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		name, _, _ := strings.Cut(c.Value, ".")
		session, err := id.Parse[id.TenantSession](name)
		if err != nil || !strings.HasPrefix(g.Cookie, c.Name+"=") {
			continue
		}
		if g.Cookie = c.Name + "=" + c.Value; session != g.Session.ID {
			g.before = append(g.before, g.Session.ID)
			g.Session.ID = session
		}
	}
}

// Must is Send, and fails the test unless the response has that status.
func (g *Guest) Must(status int, method, rest string, body any, headers ...string) fntest.Answer {
	g.t.Helper()
	a := g.Send(method, rest, body, headers...)
	check.MustEqual(g.t, a.Status, status, "%s: %s", method+" "+rest, string(a.Body))
	g.learn(a)
	return a
}

// learn stores the ids of a response.
func (g *Guest) learn(a fntest.Answer) {
	var known struct {
		Draft  *id.Draft       `json:"draftId"`
		Quote  *id.Quote       `json:"quoteId"`
		Intent *id.Intent      `json:"intentId"`
		Stay   *id.Reservation `json:"reservationId"`
	}
	if len(a.Body) > 0 {
		a.Into(g.t, &known)
	}
	if known.Draft != nil {
		g.Draft = *known.Draft
	}
	if known.Quote != nil {
		g.Quote = *known.Quote
	}
	if known.Intent != nil {
		g.Intent = *known.Intent
	}
	if known.Stay != nil {
		g.Stay = *known.Stay
	}
	if etag := a.Header.Get("Etag"); etag != "" {
		g.Version = etag
	}
}

// QuoteBody returns the JSON of a quote request for one room and two nights, with more members added.
func (g *Guest) QuoteBody(more ...string) string {
	day := g.Env.Now().Format("2006-01-02")
	after := g.Env.Now().AddDate(0, 0, 2).Format("2006-01-02")
	return `{"propertyId":"ppt_01J8KABG000000000000000PPT","roomTypeId":"rmt_01J8KABG000000000000000RMT","ratePlanId":"rate_01J8KABG00000000000000RATE",
		"stayWindow":{"checkIn":"` + day + `","checkOut":"` + after + `"},"occupancy":{"adults":2,"children":0,"rooms":1}` + strings.Join(more, "") + `}`
}

// RequestQuote requests a quote, and begins a draft.
func (g *Guest) RequestQuote() *Guest {
	g.t.Helper()
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody())
	return g
}

// HoldBody returns the body of a hold request.
func (g *Guest) HoldBody() any {
	return `{"draftId":"` + g.Draft.String() + `","quoteId":"` + g.Quote.String() + `"}`
}

// Hold holds the quoted rooms.
func (g *Guest) Hold() *Guest {
	g.t.Helper()
	g.Must(http.StatusCreated, "POST", "/hold", g.HoldBody())
	return g
}

// Zarghona is the JSON of a guest's details.
const Zarghona = `{"guest":{"firstName":"Zarghona","lastName":"Ahmadzai","email":"Z.Ahmadzai@Example.com","phone":"+93 70 012 3456"}}`

// SetGuest sets the guest's details.
func (g *Guest) SetGuest() *Guest {
	g.t.Helper()
	g.Must(http.StatusOK, "PATCH", "/draft/"+g.Draft.String(), Zarghona)
	return g
}

// Pay opens an intent.
func (g *Guest) Pay(method string) *Guest {
	g.t.Helper()
	g.Must(http.StatusCreated, "POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"`+method+`"}`)
	return g
}

// State returns the draft's state in its table, and the final state in its snapshot, if there is one.
func (g *Guest) State() (state, final string) {
	g.t.Helper()
	err := g.DB.Owner(g.t).QueryRow(g.t.Context(), `
		SELECT d.state, coalesce(s.final_state, '')
		FROM bff_tenant_booking.booking_drafts d
		LEFT JOIN bff_tenant_booking.booking_draft_snapshots s ON s.draft_id = @text
		WHERE d.draft_id = @draft`, pgx.StrictNamedArgs{"draft": g.Draft, "text": g.Draft.String()}).Scan(&state, &final)
	check.Must(g.t, err)
	return state, final
}

// Published returns the short names of the published events of the guest's draft and session, without sampled steps.
func (g *Guest) Published() []string {
	g.t.Helper()
	keys := []string{g.Tenant.ID.String() + ":" + g.Draft.String()}
	for _, session := range append(g.before, g.Session.ID) {
		keys = append(keys, g.Tenant.ID.String()+":"+session.String())
	}
	rows, _ := g.DB.Owner(g.t).Query(g.t.Context(), `
		SELECT subject FROM bff_tenant_booking.outbox
		WHERE parked_reason IS NULL AND subject NOT LIKE '%step_completed%' AND ordering_key = ANY (@keys) ORDER BY seq`,
		pgx.StrictNamedArgs{"keys": keys})
	published, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.Must(g.t, err)
	for i, s := range published {
		published[i] = strings.TrimSuffix(strings.TrimPrefix(s, "melmastoon.bff.tenant."), ".v1")
	}
	return published
}

// WantEnd fails the test unless the draft ended in these states and published these events.
func (g *Guest) WantEnd(state, final string, published ...string) {
	g.t.Helper()
	if s, f := g.State(); s != state || f != final {
		g.t.Errorf("draft state %s and snapshot state %q, want %s and %q", s, f, state, final)
	}
	check.Equal(g.t, g.Published(), append([]string{}, published...))
	rows, _ := g.DB.Owner(g.t).Query(g.t.Context(), `SELECT subject || ': ' || parked_reason FROM bff_tenant_booking.outbox WHERE parked_reason IS NOT NULL`)
	if parked, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(parked) > 0 {
		g.t.Errorf("got invalid events: %v, %v", parked, err)
	}
}

// Wired is Build with a Wire between the functions and their dependencies.
func Wired(t testing.TB, w *Wire, fs ...fn.Function) *System {
	t.Helper()
	db := pgtest.New(t)
	return BuildOn(t, db, w.Around(t, db), fs...)
}
