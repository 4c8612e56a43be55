package consumer_test

import (
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readavailability"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// rowsWritten returns the number of stored session rows, events and session documents, without the evidence of bot detection.
func rowsWritten(t *testing.T, db *pgtest.Database) (n int) {
	t.Helper()
	err := db.Owner(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM bff_consumer.guest_sessions) + (SELECT count(*) FROM bff_consumer.outbox WHERE subject NOT LIKE '%.bot_suspected.%')
			+ (SELECT count(*) FROM document.documents WHERE collection = 'gms-session')`).Scan(&n)
	check.Must(t, err)
	return n
}

// program lists the headers of a program's requests.
var program = []string{"User-Agent", "curl/8"}

func TestSession_refusedRequest(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, search.Function, searchmap.Function, readsession.Function, changesession.Function, readhotel.Function, readavailability.Function)
	hotel := "/hotels/" + system.Hotels[0].Property.String()
	for _, test := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
	}{
		{"truncated body", "POST", "/search", `{`, nil, 400},
		{"past search", "POST", "/search", strings.Replace(system.SearchBody(), `"checkIn":"20`, `"checkIn":"19`, 1), nil, 400},
		{"map of a city", "POST", "/search/map", system.SearchBody(), nil, 400},
		{"no adults", "GET", hotel + "?adults=0", "", nil, 400},
		{"past availability", "GET", hotel + "/availability?checkIn=2020-01-01&checkOut=2020-01-02&adults=2", "", nil, 400},
		{"empty preferences", "PATCH", "/session", `{}`, nil, 400},
		{"cross-site write", "POST", "/search", system.SearchBody(), []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"write without JSON", "POST", "/search", system.SearchBody(), []string{"Content-Type", "text/plain"}, 415},
		{"key too long", "PATCH", "/session", `{"locale":"en"}`, []string{"Idempotency-Key", strings.Repeat("k", 256)}, 400},
		{"first write of a program", "PATCH", "/session", `{"locale":"en"}`, program, 401},
	} {
		t.Run(test.name, func(t *testing.T) { // one after another: all are counted in one database
			var body any
			if test.body != "" {
				body = test.body
			}
			stranger, before := system.Traveller(), rowsWritten(t, system.DB)
			a := stranger.Send(test.method, test.path, body, test.headers...)
			n := rowsWritten(t, system.DB) - before
			a.Want(t, test.status)
			check.Equal(t, n, 0, "rows and documents")
			check.Equal(t, stranger.Cookie, "")
			if test.status == 401 {
				return
			}
			known := system.Traveller()
			known.Must(200, "GET", "/session", nil)
			before = rowsWritten(t, system.DB)
			a = known.Send(test.method, test.path, body, append(test.headers, "User-Agent", "Mozilla/5.0 Mobile")...) // would rotate the session
			n = rowsWritten(t, system.DB) - before
			a.Want(t, test.status)
			check.Equal(t, n, 0, "with a session: rows and documents")
			check.Equal(t, len(cookies(a)), 0, "with a session")
		})
	}
}

func TestSession_limitedRequest(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e, issuer := fntest.Surround(t, consumertest.Surround(db.Env()))
	front := fntest.Behind(t, e.With("RATE_LIMIT_ADDRESS", "0.001/2"), issuer, readsession.Function)
	for i, want := range []int{200, 200, 429, 429} {
		rows := 0
		if want == 200 {
			rows = 3 // session row, event, document
		}
		before := rowsWritten(t, db)
		a := front.As("").Send("GET", "/bff/consumer/v1/session", nil, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64)")
		n := rowsWritten(t, db) - before
		a.Want(t, want)
		check.Equal(t, n, rows, "call %d: rows and documents", i)
		check.Equal(t, len(cookies(a)), min(1, n), "call %d", i)
	}
}

// A program or an unknown client searches without a session, and gets one if it sends the cookie of the first answer.
func TestSession_program(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, search.Function, readsession.Function, changesession.Function)
	system.EverySearch()
	for _, agent := range []string{"curl/8", "Mozilla/5.0 HeadlessChrome/130", "Googlebot/2.1", "python-requests/2.32", "Wayfarer 1.0", ""} {
		t.Run(fmt.Sprintf("%q", agent), func(t *testing.T) {
			before := rowsWritten(t, system.DB)
			v := system.Traveller("User-Agent", agent)
			first := v.Must(200, "POST", "/search", system.SearchBody())
			n := rowsWritten(t, system.DB) - before
			check.Equal(t, n, 0, "%s", agent)
			check.Equal(t, len(cookies(first)), 1, "%s", agent)
			guess := v.Session
			v.Must(200, "PATCH", "/session", `{"locale":"en"}`)
			check.NotEqual(t, v.Session, guess, "%s", agent)
			check.Equal(t, v.StoredSession().Locale, "en", "%s", agent)
			begun := v.Session
			v.Must(200, "GET", "/session", nil)
			check.Equal(t, v.Session, begun, "%s: the session did not go on", agent)
		})
	}
}
