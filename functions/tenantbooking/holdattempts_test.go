package tenantbooking_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// soldOut returns a system with a limit of requests per session, in which all rooms are sold. An attempt to hold rooms has an outcome there,
// but no rooms are held.
func soldOut(t *testing.T) *tenantbookingtest.System {
	t.Helper()
	s := tenantbookingtest.Build(t)
	s.Front = fntest.Behind(t, s.Env.With("RATE_LIMIT_SESSION", "1000/1000"), s.Front.Issuer(), quote.Function, hold.Function)
	s.Platform.Change(func() { s.Platform.SoldOut = true })
	return s
}

func TestHold_attemptsOfSession(t *testing.T) {
	t.Parallel()
	s := soldOut(t)
	g := s.Guest(0).RequestQuote()
	for range 9 {
		g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody())
	}
	key := tenantbookingtest.Key()
	for range 3 { // the tenth attempt, and its repetitions
		g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody(), "Idempotency-Key", key)
	}
	g.Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody()).WantProblem(t, http.StatusTooManyRequests, "GENERAL.RATE_LIMITED", "Retry-After", "30")
	g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody(), "Idempotency-Key", key)
	g.Must(http.StatusBadRequest, "POST", "/hold", `{"draftId":`)
	other := s.Guest(0).RequestQuote()
	other.Must(http.StatusConflict, "POST", "/hold", other.HoldBody())
	s.DB.Advance(31 * time.Second)
	g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody())
	g.Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody())
}

// TestHold_attemptsWithoutOutcome shows that an attempt does not count if the guest has to repeat it.
func TestHold_attemptsWithoutOutcome(t *testing.T) {
	t.Parallel()
	s := soldOut(t)
	g := s.Guest(0).RequestQuote()
	s.Platform.Change(func() { s.Platform.Down = "reservation" })
	for range 11 {
		g.Must(http.StatusServiceUnavailable, "POST", "/hold", g.HoldBody())
	}
	s.Platform.Change(func() { s.Platform.Down = "" })
	for range 10 {
		g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody())
	}
	g.Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody())
}

// TestHold_attemptsForUnknownDrafts shows that attempts for drafts that do not exist leave the session all of its holds.
func TestHold_attemptsForUnknownDrafts(t *testing.T) {
	t.Parallel()
	s := soldOut(t)
	g := s.Guest(0).RequestQuote()
	unknown := fmt.Sprintf(`{"draftId":%q,"quoteId":%q}`, id.New[id.Draft](), id.New[id.Quote]())
	for range 11 {
		g.Must(http.StatusNotFound, "POST", "/hold", unknown)
	}
	for range 10 {
		g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody())
	}
	g.Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody())
}

func TestHold_concurrentAttempts(t *testing.T) {
	t.Parallel()
	g := soldOut(t).Guest(0).RequestQuote()
	statuses := map[int]int{}
	var mu sync.Mutex
	var crowd sync.WaitGroup
	for range 24 {
		crowd.Go(func() {
			a := g.Front.As("").Send("POST", g.Path("/hold"), g.HoldBody(), "Cookie", g.Cookie, "Idempotency-Key", tenantbookingtest.Key())
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	crowd.Wait()
	check.Equal(t, statuses[http.StatusConflict], 10, "24 attempts at once: %v", statuses)
	check.Equal(t, statuses[http.StatusTooManyRequests], 14, "24 attempts at once: %v", statuses)
}
