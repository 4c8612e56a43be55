package tenantbookingtest

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/pg"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Surround gives an Env the keys that this service wants, and a store for its hot documents.
func Surround(e env.Env) env.Env {
	key := "test:" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	e = e.With("TENANT_SESSION_KEYS", key).With("VIEW_TOKEN_KEYS", key).With("RETURN_LINK_KEYS", key).With("PSEUDONYM_PEPPERS", key)
	return env.Give[document.Store](e, pg.Open(e))
}

// A System is a hotel's site with its town around it.
type System struct {
	t     testing.TB
	DB    *pgtest.Database
	Env   env.Env
	Town  *FakePlatform
	Front *fntest.Front
}

// Build opens functions of this service in a town of their own.
func Build(t testing.TB, fs ...fn.Function) *System {
	t.Helper()
	db := pgtest.New(t)
	return BuildOn(t, db, db.Env(), fs...)
}

// BuildOn opens them in given surroundings.
func BuildOn(t testing.TB, db *pgtest.Database, e env.Env, fs ...fn.Function) *System {
	t.Helper()
	town := Open(t, db.Env().Now)
	e, issuer := fntest.Surround(t, town.Around(Surround(e)))
	return &System{t: t, DB: db, Env: e, Town: town, Front: fntest.Behind(t, e, issuer, fs...)}
}

// A Guest visits a hotel's site with a browser.
type Guest struct {
	*System
	Tenant  tenantbooking.Tenant
	Session tenantbooking.Session
	Cookie  string
	Draft   id.Draft
	Quote   id.Quote
	Intent  id.Intent
	Stay    id.Reservation
	Version string // of the draft: an ETag

	before []id.TenantSession // what the guest's session was called before they were named
}

// Guest begins a session at the n-th hotel.
func (s *System) Guest(n int) *Guest { return s.guest(n, true) }

// Silent begins a session at the n-th hotel for a guest who wants no telemetry.
func (s *System) Silent(n int) *Guest { return s.guest(n, false) }

func (s *System) guest(n int, telemetry bool) *Guest {
	s.t.Helper()
	sessions, err := tenantbooking.OpenSessions(s.Env)
	if err != nil {
		s.t.Fatal(err)
	}
	g := &Guest{System: s, Tenant: s.Town.Tenants[n]}
	g.Session = tenantbooking.Begin(tenantbooking.Session{Tenant: g.Tenant.ID, Consent: tenantbooking.Consent{Telemetry: telemetry}})
	if err := sessions.Keep(s.t.Context(), g.Session, tenantbooking.Session{}); err != nil {
		s.t.Fatal(err)
	}
	cookie, err := sessions.Cookie(tenantbooking.Visitor{Tenant: g.Tenant, Called: g.Tenant.Slug, Session: g.Session}, fn.Site{})
	if err != nil {
		s.t.Fatal(err)
	}
	g.Cookie = cookie.Name + "=" + cookie.Value
	return g
}

// Path is a route of the guest's hotel.
func (g *Guest) Path(rest string) string {
	return strings.ReplaceAll(tenantbooking.Base, "{tenantSlug}", g.Tenant.Slug) + rest
}

// Key is an idempotency key that nobody has used.
func Key() string { return id.New[id.Request]().String() }

// Send makes a request with the guest's cookie.
func (g *Guest) Send(method, rest string, body any, headers ...string) fntest.Answer {
	g.t.Helper()
	headers = append([]string{"Cookie", g.Cookie, "Idempotency-Key", Key(), "User-Agent", "Mobile"}, headers...)
	a := g.Front.As("").Send(method, g.Path(rest), body, headers...)
	g.keep(a)
	return a
}

// keep takes the cookie of an answer, as browsers do.
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

// Must is Send, and fails unless the answer has that status.
func (g *Guest) Must(status int, method, rest string, body any, headers ...string) fntest.Answer {
	g.t.Helper()
	a := g.Send(method, rest, body, headers...)
	if a.Status != status {
		g.t.Fatalf("%s %s answered %d, want %d: %s", method, rest, a.Status, status, a.Body)
	}
	g.learn(a)
	return a
}

// learn notes what an answer names.
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

// Wish is what every guest wants: one room for two nights. More are added to it.
func (g *Guest) Wish(more ...string) string {
	day := g.Env.Now().Format("2006-01-02")
	after := g.Env.Now().AddDate(0, 0, 2).Format("2006-01-02")
	return `{"propertyId":"ppt_01J8KABG000000000000000PPT","roomTypeId":"rmt_01J8KABG000000000000000RMT","ratePlanId":"rate_01J8KABG00000000000000RATE",
		"stayWindow":{"checkIn":"` + day + `","checkOut":"` + after + `"},"occupancy":{"adults":2,"children":0,"rooms":1}` + strings.Join(more, "") + `}`
}

// Ask asks for the price, and begins a draft.
func (g *Guest) Ask() *Guest {
	g.t.Helper()
	g.Must(http.StatusCreated, "POST", "/quote", g.Wish())
	return g
}

// Holding is the body that holds the quoted rooms.
func (g *Guest) Holding() any {
	return `{"draftId":"` + g.Draft.String() + `","quoteId":"` + g.Quote.String() + `"}`
}

// Hold keeps the rooms.
func (g *Guest) Hold() *Guest {
	g.t.Helper()
	g.Must(http.StatusCreated, "POST", "/hold", g.Holding())
	return g
}

// Zarghona is a guest's details.
const Zarghona = `{"guest":{"firstName":"Zarghona","lastName":"Ahmadzai","email":"Z.Ahmadzai@Example.com","phone":"+93 70 012 3456"}}`

// Name says who stays.
func (g *Guest) Name() *Guest {
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

// State is where the guest's draft stands in the table, and its final state in the snapshot, if it has one.
func (g *Guest) State() (state, final string) {
	g.t.Helper()
	err := g.DB.Owner(g.t).QueryRow(g.t.Context(), `
		SELECT d.state, coalesce(s.final_state, '')
		FROM bff_tenant_booking.booking_drafts d
		LEFT JOIN bff_tenant_booking.booking_draft_snapshots s ON s.draft_id = @text
		WHERE d.draft_id = @draft`, pgx.StrictNamedArgs{"draft": g.Draft, "text": g.Draft.String()}).Scan(&state, &final)
	if err != nil {
		g.t.Fatal(err)
	}
	return state, final
}

// Told are the events of the guest's draft and session but for sampled steps, in short.
func (g *Guest) Told() []string {
	g.t.Helper()
	keys := []string{g.Tenant.ID.String() + ":" + g.Draft.String()}
	for _, session := range append(g.before, g.Session.ID) {
		keys = append(keys, g.Tenant.ID.String()+":"+session.String())
	}
	rows, _ := g.DB.Owner(g.t).Query(g.t.Context(), `
		SELECT subject FROM bff_tenant_booking.outbox
		WHERE parked_reason IS NULL AND subject NOT LIKE '%step_completed%' AND ordering_key = ANY (@keys) ORDER BY seq`,
		pgx.StrictNamedArgs{"keys": keys})
	told, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		g.t.Fatal(err)
	}
	for i, s := range told {
		told[i] = strings.TrimSuffix(strings.TrimPrefix(s, "melmastoon.bff.tenant."), ".v1")
	}
	return told
}

// Ends fails the test unless the draft ended so and told these.
func (g *Guest) Ends(state, final string, told ...string) {
	g.t.Helper()
	if s, f := g.State(); s != state || f != final {
		g.t.Errorf("the draft is %s and its snapshot %q, want %s and %q", s, f, state, final)
	}
	if got := g.Told(); !slices.Equal(got, told) {
		g.t.Errorf("told %v, want %v", got, told)
	}
	rows, _ := g.DB.Owner(g.t).Query(g.t.Context(), `SELECT subject || ': ' || parked_reason FROM bff_tenant_booking.outbox WHERE parked_reason IS NOT NULL`)
	if parked, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(parked) > 0 {
		g.t.Errorf("events broke their contract: %v, %v", parked, err)
	}
}

// Wired is Build with a wire between the functions and everybody else.
func Wired(t testing.TB, w *Wire, fs ...fn.Function) *System {
	t.Helper()
	db := pgtest.New(t)
	return BuildOn(t, db, w.Around(t, db), fs...)
}
