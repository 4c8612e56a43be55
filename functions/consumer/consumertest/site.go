// Package consumertest simulates travellers and their browsers in tests of this service.
package consumertest

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/cachetest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Surround adds the keys that this service requires to an Env, and a document store unless it has one.
func Surround(e env.Env) env.Env {
	key := "test:" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	e = e.With("CONSUMER_SESSION_KEYS", key).With("PSEUDONYM_PEPPERS", key).With("HANDOFF_KEYS", key)
	if _, given := document.StoreKey.Get(e); given {
		return e
	}
	return document.StoreKey.With(e, documents.Open(e))
}

// A Site represents the consumer site, or some functions of it.
type Site struct {
	t     testing.TB
	DB    *pgtest.Database
	Env   env.Env
	Front *fntest.Front
	// Memory is the memory of the caches of the process.
	Memory *cachetest.Memory
	rules  int64 // version of the stored rules of bot detection
}

// Open starts functions of this service on a database of their own.
func Open(t testing.TB, fs ...fn.Function) *Site {
	t.Helper()
	db := pgtest.New(t)
	return OpenOn(t, db, db.Env(), fs...)
}

// OpenOn starts functions of this service in the given environment. All travellers of a test come from one address, faster than
// people, so the rules of bot detection do not count requests and sessions; see [Site.SetBotRules].
func OpenOn(t testing.TB, db *pgtest.Database, e env.Env, fs ...fn.Function) *Site {
	t.Helper()
	e, issuer := fntest.Surround(t, Surround(e))
	e, memory := cachetest.Surround(e)
	s := &Site{t: t, DB: db, Env: e, Front: fntest.Behind(t, e, issuer, fs...), Memory: memory}
	s.SetBotRules(`{"cadence":[],"fingerprintCollision":[]}`)
	return s
}

// SetBotRules stores rules of bot detection. Functions read them with their first request, and again after 30 seconds.
func (s *Site) SetBotRules(rules string) {
	s.t.Helper()
	s.rules++
	kept := document.Open[consumer.BotRules](document.StoreKey.With(s.DB.Env(), documents.Open(s.DB.Env())), consumer.FlagsIn)
	check.Got(kept.Put(s.t.Context(), consumer.BotRulesKey, consumer.BotRules{Rules: []byte(rules)}, s.rules, s.DB.Env().Now().AddDate(1, 0, 0))).Must(s.t)
}

// Sessions returns the store of sessions, for assertions.
func (s *Site) Sessions() *session.Sessions {
	s.t.Helper()
	sessions, err := session.OpenSessions(s.Env)
	check.Must(s.t, err)
	return sessions
}

// A Traveller represents an anonymous visitor with a browser.
type Traveller struct {
	*Site
	Session id.GuestSession // zero before the first answer
	Cookie  string          // as the browser sends it; "" before the first answer
	Headers []string        // names and values in turn, of every request
}

// Traveller returns a new visitor, whose browser sends these headers with every request.
func (s *Site) Traveller(headers ...string) *Traveller {
	usual := []string{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64)", "Accept-Language", "ps-AF,ps;q=0.9,en;q=0.5"}
	return &Traveller{Site: s, Headers: append(usual, headers...)}
}

// Key returns a new idempotency key.
func Key() string { return id.New[id.Request]().String() }

// Send sends a request below the service's base path as the traveller's browser does, and keeps the cookie of the answer.
func (v *Traveller) Send(method, rest string, body any, headers ...string) fntest.Answer {
	v.t.Helper()
	all := append([]string{"Idempotency-Key", Key()}, v.Headers...)
	if v.Cookie != "" {
		all = append(all, "Cookie", v.Cookie)
	}
	a := v.Front.As("").Send(method, consumer.Base+rest, body, append(all, headers...)...)
	v.keepCookie(a)
	return a
}

// Must is like Send and fails the test unless the answer has that status.
func (v *Traveller) Must(status int, method, rest string, body any, headers ...string) fntest.Answer {
	v.t.Helper()
	a := v.Send(method, rest, body, headers...)
	check.MustEqual(v.t, a.Status, status, "%s: %s", method+" "+rest, string(a.Body))
	return a
}

// keepCookie handles the cookies of an answer as a browser does.
func (v *Traveller) keepCookie(a fntest.Answer) {
	v.t.Helper()
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if c.Name != "gms_id" {
			continue
		}
		if c.MaxAge < 0 {
			v.Cookie, v.Session = "", id.GuestSession{}
			continue
		}
		name, _, _ := strings.Cut(c.Value, ".")
		session, err := id.Parse[id.GuestSession](name)
		check.Must(v.t, err, "the cookie %q names no session", c.Value)
		v.Cookie, v.Session = c.Name+"="+c.Value, session
	}
}

// Published returns the short subjects of all published events in order. It fails the test if an event violates its schema.
func (s *Site) Published() []string {
	s.t.Helper()
	rows, _ := s.DB.Owner(s.t).Query(s.t.Context(), `
		SELECT subject, parked_reason FROM bff_consumer.outbox ORDER BY seq`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Subject string
		Parked  *string
	}])
	check.Must(s.t, err)
	published := []string{}
	for _, e := range all {
		check.Equal(s.t, e.Parked, nil, "%s violates its schema", e.Subject)
		published = append(published, strings.TrimSuffix(strings.TrimPrefix(e.Subject, "melmastoon.bff.consumer."), ".v1"))
	}
	return published
}

// CheckPublished fails the test unless that many events with the short subject were published.
func (s *Site) CheckPublished(subject string, want int) {
	s.t.Helper()
	got := 0
	for _, published := range s.Published() {
		if published == subject {
			got++
		}
	}
	check.Equal(s.t, got, want, "%s: events", subject)
}

// Payload decodes the payload of the last event with the short subject, and returns its envelope and ordering key.
func (s *Site) Payload(subject string, into any) (envelope map[string]any, key string) {
	s.t.Helper()
	var payload, around []byte
	err := s.DB.Owner(s.t).QueryRow(s.t.Context(), `
		SELECT payload, envelope, ordering_key FROM bff_consumer.outbox WHERE subject = @subject ORDER BY seq DESC LIMIT 1`,
		pgx.StrictNamedArgs{"subject": "melmastoon.bff.consumer." + subject + ".v1"}).Scan(&payload, &around, &key)
	check.Must(s.t, err, "%s", subject)
	fntest.Answer{Body: payload}.Into(s.t, into)
	fntest.Answer{Body: around}.Into(s.t, &envelope)
	return envelope, key
}
