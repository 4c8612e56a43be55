package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/abandondraft"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// quoteBody returns a request for that many rooms and nights, with one adult in each room.
func quoteBody(g *tenantbookingtest.Guest, rooms, nights int) string {
	end := func(n int) string { return `"checkOut":"` + g.Env.Now().AddDate(0, 0, n).Format("2006-01-02") + `"` }
	w := strings.Replace(g.QuoteBody(), end(2), end(nights), 1)
	return strings.Replace(w, `{"adults":2,"children":0,"rooms":1}`, fmt.Sprintf(`{"adults":%d,"children":0,"rooms":%[1]d}`, rooms), 1)
}

// heldNights returns the room nights that are held now.
func heldNights(s *tenantbookingtest.System) (nights int) {
	for _, stay := range s.Platform.Stays() {
		if stay.State == "held" && s.Env.Now().Before(stay.ExpiresAt) {
			nights += len(stay.Quote.Items) * stay.Quote.Stay.Nights()
		}
	}
	return nights
}

func TestHold_limitsOfSession(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function, abandondraft.Function)
	g := s.Guest(0)
	g.RequestQuote().Hold()
	first, firstHold := g.Draft, g.HoldBody()
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`))
	g.Hold() // replaces the rooms of the same draft
	g.RequestQuote()
	s.Platform.SoldOut = true
	g.Must(http.StatusConflict, "POST", "/hold", g.HoldBody())
	s.Platform.SoldOut = false
	g.RequestQuote().Hold()
	second := g.HoldBody()

	refused := g.RequestQuote().Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody())
	refused.WantProblem(t, http.StatusTooManyRequests, "GENERAL.RATE_LIMITED", "Retry-After", fntest.Any)
	third := g.HoldBody()
	g.Must(http.StatusCreated, "POST", "/hold", second)     // held already
	g.Must(http.StatusConflict, "POST", "/hold", firstHold) // replaced
	g.Must(http.StatusNoContent, "DELETE", "/draft/"+first.String(), nil)
	g.Must(http.StatusCreated, "POST", "/hold", third)
	g.RequestQuote().Must(http.StatusTooManyRequests, "POST", "/hold", g.HoldBody())
	s.Guest(0).RequestQuote().Hold() // another session
	s.DB.Advance(11 * time.Minute)
	g.RequestQuote().Hold()
}

func TestHold_limitsOfRoomNights(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function)
	hold := func(g *tenantbookingtest.Guest, rooms, nights int) fntest.Answer {
		g.Must(http.StatusCreated, "POST", "/quote", quoteBody(g, rooms, nights))
		return g.Send("POST", "/hold", g.HoldBody())
	}
	g := s.Guest(0)
	for _, test := range []struct{ rooms, nights, want int }{{2, 20, 201}, {2, 11, 429}, {1, 20, 201}} {
		t.Run(fmt.Sprint(test.rooms, " ", test.nights), func(t *testing.T) {
			if a := hold(g, test.rooms, test.nights); a.Status != test.want {
				t.Errorf("%d rooms for %d nights: %d %s, want %d", test.rooms, test.nights, a.Status, a.Body, test.want)
			}
		})
	}
	if got := heldNights(s); got != 60 {
		t.Errorf("one session holds %d room nights, want 60", got)
	}
	for _, test := range []struct {
		rooms, nights int
		pointer       string
	}{{1, 31, "/stayWindow/checkOut"}, {9, 366, "/stayWindow/checkOut"}, {9, 7, "/occupancy/rooms"}} {
		t.Run(fmt.Sprintf("%d_rooms_%d_nights", test.rooms, test.nights), func(t *testing.T) {
			a := g.Send("POST", "/quote", quoteBody(g, test.rooms, test.nights))
			a.Want(t, http.StatusBadRequest)
			a.WantText(t, `"pointer":"`+test.pointer+`"`)
		})
	}
	s.Platform.Change(func() { // the second tenant sets its own limits
		s.Platform.Tenants[1].Settings.MaxStayNights, s.Platform.Tenants[1].Settings.MaxSessionRoomNights = 90, 200
	})
	if a := hold(s.Guest(1), 2, 90); a.Status != http.StatusCreated {
		t.Errorf("2 rooms for 90 nights where the hotel allows them: %d %s", a.Status, a.Body)
	}
}

func TestHold_limitsOfAddress(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t)
	s.Front = fntest.Behind(t, s.Env.With("RATE_LIMIT_ADDRESS", "50/200").With("FORWARDED_HOPS", "1"), s.Front.Issuer(), quote.Function, hold.Function)
	hold := func(from string) int {
		g := s.Guest(0)
		g.Must(http.StatusCreated, "POST", "/quote", quoteBody(g, 9, 6), "X-Forwarded-For", from)
		return g.Send("POST", "/hold", g.HoldBody(), "X-Forwarded-For", from).Status
	}
	for n := range 5 {
		if got := hold(fmt.Sprintf("2001:db8::%d", n)); got != http.StatusCreated {
			t.Errorf("54 room nights of session %d: %d", n, got)
		}
	}
	if got := hold("2001:db8::99"); got != http.StatusTooManyRequests {
		t.Errorf("324 room nights from one network: %d, want 429", got)
	}
	if got := hold("2001:db8:1::99"); got != http.StatusCreated {
		t.Errorf("54 room nights from another network: %d, want 201", got)
	}
}

func TestHold_limitsConcurrentHolds(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function)
	g := s.Guest(0)
	var holds []any
	for range 12 {
		holds = append(holds, g.RequestQuote().HoldBody())
	}
	var all sync.WaitGroup
	for _, body := range holds {
		all.Go(func() { g.Send("POST", "/hold", body) })
	}
	all.Wait()
	if got := heldNights(s); got != 4 {
		t.Errorf("12 concurrent holds of one session hold %d room nights, want 4", got)
	}
}
