package consumer_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A request is a row of erasure_requests.
type request struct {
	Session     id.GuestSession
	RequestedAt time.Time
	DueAt       time.Time
}

func erasureRequests(t *testing.T, site *consumertest.Site) []request {
	t.Helper()
	rows, _ := site.DB.Owner(t).Query(t.Context(), `
		SELECT guest_session_id, requested_at, due_at FROM bff_consumer.erasure_requests ORDER BY guest_session_id`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[request])
	check.Must(t, err)
	return all
}

// TestErasure_requested clears a line of two sessions, with and without consent to telemetry.
func TestErasure_requested(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{"consent": nil, "silent": {"DNT", "1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := openSite(t)
			v := visitor(t, site, headers...)
			line := []id.GuestSession{v.Session}
			v.Headers = append(v.Headers, "User-Agent", "Mozilla/5.0 Mobile")
			v.Must(200, "GET", "/session", nil)
			line = append(line, v.Session)
			cookie := v.Cookie
			now := site.Env.Now()
			v.Must(204, "POST", "/session/clear", nil)
			all := erasureRequests(t, site)
			var sessions []id.GuestSession
			for _, r := range all {
				sessions = append(sessions, r.Session)
				if got := r.DueAt.Sub(r.RequestedAt); got != 30*24*time.Hour || r.RequestedAt.Before(now.Truncate(time.Microsecond)) {
					t.Errorf("requested at %v, due %v later, want 30 days", r.RequestedAt, got)
				}
			}
			check.Equal(t, sessions, line, "sessions with requests")
			site.DB.Advance(time.Hour)
			v.Must(204, "POST", "/session/clear", nil, "Cookie", cookie)
			check.Equal(t, erasureRequests(t, site), all, "cleared again")
		})
	}
}

func TestErasure_concurrently(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := visitor(t, site)
	stored, err := site.Sessions().Get(t.Context(), v.Session)
	check.Must(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			check.NoError(t, site.Sessions().Clear(t.Context(), stored))
		})
	}
	all.Wait()
	check.Equal(t, len(erasureRequests(t, site)), 1)
	site.CheckPublished("session.ended", 1)
}

func TestErasure_withoutSession(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.Traveller().Must(204, "POST", "/session/clear", nil)
	program := site.Traveller("User-Agent", "curl/8")
	program.Must(200, "GET", "/session", nil)
	program.Must(204, "POST", "/session/clear", nil)
	check.Equal(t, len(erasureRequests(t, site)), 0)
}
