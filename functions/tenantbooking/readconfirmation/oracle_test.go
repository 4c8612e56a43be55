package readconfirmation

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// steps records each read of documents, by collection, and each call of the reservation service.
type steps struct {
	document.Store
	mu    sync.Mutex
	taken []string
}

func (s *steps) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	read := "read"
	for _, n := range names {
		read += " " + n.Collection
	}
	s.note(read)
	return s.Store.Get(ctx, now, names...)
}

func (s *steps) note(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, step)
}

func (s *steps) since() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.taken
	s.taken = nil
	return taken
}

// A stranger's call takes the same steps for a reservation that exists, has a copy and belongs to another guest as for
// one that does not exist.
func TestReadConfirmation_sameSteps(t *testing.T) {
	t.Parallel()
	system := tenantbookingtest.Build(t, quote.Function, hold.Function, setguest.Function, openintent.Function, confirmcash.Function)
	booked := &steps{Store: documents.Open(system.Env)}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		booked.note("call")
		system.Platform.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	e := document.StoreKey.With(system.Env, booked).With("UPSTREAM_RESERVATION_URL", service.URL+"/reservation")
	owner, stranger := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival"), system.Guest(0)
	out := fntest.Read[booking.Outcome](t, owner.Must(http.StatusOK, "POST", "/draft/"+owner.Draft.String()+"/confirm", nil))
	owner.Front = fntest.Behind(t, e, system.Front.Issuer(), Function)
	front := owner.Front.As("")
	for range 2 { // keeps a copy, for its owner and for guests with the token
		owner.Must(http.StatusOK, "GET", "/confirmation/"+owner.Stay.String(), nil)
		front.Get(owner.Path("/confirmation/"+owner.Stay.String()+"?t="+out.ViewToken)).Must(t, http.StatusOK)
	}
	absent := id.New[id.Reservation]()
	for _, test := range []struct{ name, cookie, token string }{
		{"no session", "", ""}, {"another session", stranger.Cookie, ""},
		{"no session, with a token", "", ".v1.x.y"}, {"another session with a token", stranger.Cookie, ".v1.x.y"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ask := func(r id.Reservation) []string {
				path := owner.Path("/confirmation/" + r.String())
				if test.token != "" {
					path += "?t=" + r.String() + test.token
				}
				booked.since()
				a := front.Get(path, "Cookie", test.cookie, "User-Agent", "Mobile")
				a.Want(t, http.StatusNotFound)
				return booked.since()
			}
			ask(absent) // the process has cached the hotel and the session from here on
			exists, none := ask(owner.Stay), ask(absent)
			check.Equal(t, exists, none, "one that exists takes %s, one that does not %s", strings.Join(exists, ", "), strings.Join(none, ", "))
			check.Equal(t, slices.Contains(exists, "call"), false, "a stranger's call reaches the reservation service: %v", exists)
		})
	}
}
