package consumer_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordclick"
	"melmastoon.ghasi.io/functions/consumer/recordfunnel"
	"melmastoon.ghasi.io/functions/consumer/recordpageview"
	"melmastoon.ghasi.io/functions/consumer/sweepsessions"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// openSite returns a site with all functions that store data of a session.
func openSite(t *testing.T) *consumertest.Site {
	t.Helper()
	db, hotels := pgtest.New(t), consumertest.OpenFakeHotels(t)
	return consumertest.OpenOn(t, db, hotels.Around(db.Env()), allFunctions...)
}

// allFunctions lists the functions that accept data from a traveller, except searches and handoffs.
var allFunctions = []fn.Function{addwish.Function, readsession.Function, changesession.Function, clearsession.Function,
	recordclick.Function, recordpageview.Function, recordfunnel.Function}

// evidence lists the tables that keep data of a session, as the package comment says. Cached hotels belong to no session.
var evidence = []string{"bff_consumer.outbox", "bff_consumer.handoff_ledger", "bff_consumer.bot_scores", "bff_consumer.erasure_requests"}

// sharedDocument matches documents of the cache: a hotel, or the mark of a read in progress.
var sharedDocument = regexp.MustCompile(`^\((consumer-detail|single-flight),`)

// traces returns the places of needles in the database, as text and in PostgreSQL's binary format.
func traces(t *testing.T, db *pgtest.Database, needles ...string) (found []string) {
	t.Helper()
	for table, text := range consumertest.Texts(t, db) {
		if slices.Contains(evidence, table) {
			continue
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "consumer-detail ") || table == "document.documents" && sharedDocument.MatchString(line) {
				continue
			}
			for _, n := range needles {
				if strings.Contains(strings.ToLower(line), strings.ToLower(n)) {
					found = append(found, n+" in "+table)
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// uuid returns an id in PostgreSQL's format.
func uuid(raw [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
}

// storeData makes all requests that store data of a session, and returns the needles to search for afterwards.
func storeData(t *testing.T, v *consumertest.Traveller) (needles []string) {
	t.Helper()
	wished, seen, searched := id.New[id.Property](), id.New[id.Property](), id.New[id.SearchSession]()
	w := fntest.Read[addwish.Response](t, v.Must(201, "POST", "/wishlist", wishBody(wished, `,"note":"near my uncle in Shahr-e Naw"`)))
	v.Must(200, "PATCH", "/session", `{"currency":"PKR"}`)
	v.Must(202, "POST", "/telemetry/page-view", `{"path":"/","searchSessionId":"`+searched.String()+`"}`)
	v.Must(202, "POST", "/telemetry/funnel", `{"step":"map.opened","propertyId":"`+seen.String()+`"}`)
	v.Must(202, "POST", "/telemetry/click", `{"kind":"map-pin","tenantId":"`+w.Tenant.String()+`","propertyId":"`+seen.String()+`"}`)
	_, err := v.Sessions().Change(t.Context(), v.Session, func(s *session.Session) {
		s.Viewed(session.RecentlyViewed{Property: seen, Tenant: w.Tenant, ViewedAt: v.Env.Now(), Source: session.FromList})
		s.Searched(session.SearchHistory{Search: searched, QueryHash: "sha256:of what was looked for", Geo: search.GeoQuery{Mode: search.City, City: "Herat"}})
	})
	check.Must(t, err)
	kept, err := v.Sessions().Get(t.Context(), v.Session)
	check.Must(t, err)
	return []string{v.Session.String(), v.Session.String()[4:], uuid(v.Session), w.ID.String(), uuid(w.ID), uuid(wished), wished.String(),
		uuid(seen), seen.String(), uuid(searched), searched.String(), "my uncle", "looked for", "Herat", string(kept.Fingerprint)}
}

func TestClear_leavesNoTrace(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	stays := site.Traveller("Sec-Ch-Ua-Platform", "Windows")
	stays.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	v := site.Traveller()
	needles := storeData(t, v)
	first, cookie := v.Session, v.Cookie
	v.Headers = append(v.Headers, "User-Agent", "Mozilla/5.0 Mobile") // it goes on in another session, which is the same guest's
	needles = append(needles, storeData(t, v)...)
	check.MustNotEqual(t, v.Session, first, "the session was not rotated")
	before := traces(t, site.DB, needles...)
	for _, n := range []string{uuid(first), uuid(v.Session), v.Session.String(), "my uncle", "looked for", "Herat"} {
		t.Run(n, func(t *testing.T) {
			if !slices.ContainsFunc(before, func(found string) bool { return strings.HasPrefix(found, n+" in ") }) {
				t.Errorf("%s is not found before Clear, so the search is broken", n)
			}
		})
	}
	check.Equal(t, storedAnswers(t, site), 5, "stored answers")
	id := v.Session
	a := v.Must(204, "POST", "/session/clear", nil)
	check.Equal(t, v.Cookie, "")
	check.MustEqual(t, len(cookies(a)), 1)
	if cookies(a)[0].MaxAge >= 0 {
		t.Errorf("cookies(a)[0].MaxAge = %d, want less than 0", cookies(a)[0].MaxAge)
	}
	check.Equal(t, cookies(a)[0].Path, consumer.Base)
	// Marks name the hotels whose pages were composed, and expire within five seconds.
	check.Got(site.DB.Owner(t).Exec(t.Context(), `DELETE FROM document.documents WHERE collection = 'single-flight'`)).Must(t)
	check.Equal(t, traces(t, site.DB, needles...), nil)
	check.Equal(t, storedAnswers(t, site), 1, "stored answers")
	var published struct {
		Session string `json:"guestSessionId"`
		Reason  string `json:"reason"`
	}
	site.Payload("session.ended", &published)
	check.Equal(t, published.Reason, "explicit-clear")
	check.Equal(t, published.Session, id.String())
	site.CheckPublished("session.ended", 2) // rotated, cleared
	check.NotEqual(t, len(traces(t, site.DB, uuid(stays.Session))), 0, "another guest's session was cleared, too")
	// A visitor with the cookie of a cleared session gets a new session.
	for _, old := range []string{cookie, "gms_id=" + id.String()} {
		t.Run(fmt.Sprintf("%q", old), func(t *testing.T) {
			again := site.Traveller()
			again.Must(200, "GET", "/session", nil, "Cookie", old)
			check.NotEqual(t, again.Session, first)
			check.NotEqual(t, again.Session, id)
		})
	}
	check.Equal(t, len(traces(t, site.DB, uuid(first), uuid(id))), 0, "after a new visit: found")
}

// storedAnswers returns the number of answers in the idempotency ledger.
func storedAnswers(t *testing.T, site *consumertest.Site) (n int) {
	t.Helper()
	check.Must(t, site.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_consumer.idempotency`).Scan(&n))
	return n
}

func TestClear_withoutSession(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller()
	v.Must(204, "POST", "/session/clear", nil)
	v.Must(204, "POST", "/session/clear", nil, "Cookie", "gms_id=forged")
	published := site.Published()
	check.Equal(t, v.Cookie, "")
	check.Equal(t, len(published), 0)
}

func TestClear_withoutTelemetry(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller("DNT", "1")
	v.Must(200, "GET", "/session", nil)
	v.Must(204, "POST", "/session/clear", nil)
	check.Equal(t, len(site.Published()), 0, "events")
}

// TestClear_concurrentCalls clears a session at every point of a concurrent call.
func TestClear_concurrentCalls(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	sessions := site.Sessions()
	wishlists, telemetry := session.OpenWishlists(site.Env), session.OpenTelemetry(site.Env)
	clearSession := func(s session.Session) {
		check.Must(t, sessions.Clear(t.Context(), s))
	}
	for name, late := range map[string]func(session.Visitor) error{
		"viewed hotel": func(v session.Visitor) error {
			_, err := sessions.Change(t.Context(), v.Session.ID, func(s *session.Session) {
				clearSession(v.Session) // between reading the document and putting it back
				s.Viewed(session.RecentlyViewed{Property: id.New[id.Property]()})
			})
			return err
		},
		"wishlist entry": func(v session.Visitor) error {
			clearSession(v.Session)
			_, _, err := wishlists.Add(t.Context(), v, session.Wish{ID: id.New[id.Wish](), Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), AddedAt: site.Env.Now(), Source: "list"}, fn.Maybe[session.Note]{})
			if err == nil {
				return fmt.Errorf("was stored")
			}
			return nil
		},
		"page view": func(v session.Visitor) error {
			clearSession(v.Session)
			return telemetry.RecordPageView(t.Context(), v, session.PageView{Path: "/", ViewedAt: site.Env.Now()})
		},
		"funnel step": func(v session.Visitor) error {
			clearSession(v.Session)
			return telemetry.RecordStep(t.Context(), v, session.Step{Step: session.StepMapOpened, OccurredAt: site.Env.Now()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			traveller := site.Traveller()
			traveller.Must(200, "GET", "/session", nil)
			kept, err := sessions.Get(t.Context(), traveller.Session)
			check.Must(t, err)
			check.NoError(t, late(session.Visitor{Session: kept, Agent: kept.Fingerprint, Fingerprint: kept.Fingerprint}))
			check.Equal(t, len(traces(t, site.DB, uuid(kept.ID), kept.ID.String())), 0, "found")
		})
	}
}

func TestExpire_unusedSession(t *testing.T) {
	t.Parallel()
	db, hotels := pgtest.New(t), consumertest.OpenFakeHotels(t)
	site := consumertest.OpenOn(t, db, hotels.Around(db.Env()), addwish.Function, readsession.Function, sweepsessions.Function)
	gone, silent, back := site.Traveller(), site.Traveller("DNT", "1"), site.Traveller()
	for _, v := range []*consumertest.Traveller{gone, silent, back} {
		v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	}
	tick := func() {
		t.Helper()
		site.Front.Tick(sweepsessions.Function).Must(t, 204)
	}
	site.DB.Advance(29 * 24 * time.Hour)
	back.Must(200, "GET", "/session", nil)
	tick()
	site.CheckPublished("session.ended", 0)
	site.DB.Advance(24 * time.Hour)
	tick()
	tick()
	site.CheckPublished("session.ended", 1)
	var published struct {
		Session  string `json:"guestSessionId"`
		Reason   string `json:"reason"`
		Lifetime int    `json:"lifetimeSeconds"`
	}
	site.Payload("session.ended", &published)
	check.Equal(t, published.Session, gone.Session.String())
	check.Equal(t, published.Reason, "ttl-expired")
	rows, _ := site.DB.Owner(t).Query(t.Context(), `SELECT guest_session_id FROM bff_consumer.wishlist`)
	left, err := pgx.CollectRows(rows, pgx.RowTo[id.GuestSession])
	check.Must(t, err)
	check.MustEqual(t, len(left), 1)
	check.Equal(t, left[0], back.Session)
	first := gone.Session
	gone.Must(200, "GET", "/session", nil)
	check.NotEqual(t, gone.Session, first, "an expired session is still active")
}

// TestExpire_documentIsNewer makes the mirror row older than the document: the session must not expire.
func TestExpire_documentIsNewer(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, sweepsessions.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	site.DB.Advance(50 * time.Minute) // too soon for the mirror to be written again
	check.Got(site.Sessions().Change(t.Context(), v.Session, func(*session.Session) {})).Must(t)
	site.DB.Advance(30*24*time.Hour - 40*time.Minute)
	site.Front.Tick(sweepsessions.Function).Must(t, 204)
	site.CheckPublished("session.ended", 0)
	site.DB.Advance(41 * time.Minute)
	site.Front.Tick(sweepsessions.Function)
	site.CheckPublished("session.ended", 1)
}
