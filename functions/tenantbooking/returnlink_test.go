package tenantbooking_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/confirmpayment"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
)

// A guest returns from the payment page in another browser.
func TestReturn_otherBrowser(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function, setguest.Function, openintent.Function, confirmpayment.Function, readconfirmation.Function)
	s.Platform.Change(func() { s.Platform.Tenants[0].PaymentMethods = append(s.Platform.Tenants[0].PaymentMethods, "mfs") })
	for _, method := range []string{"card", "mfs"} {
		g := s.Guest(0).RequestQuote().Hold().SetGuest().Pay(method)
		other := s.Guest(0).RequestQuote().Hold().SetGuest().Pay(method)
		path, link := "/draft/"+g.Draft.String()+"/return", returnToken(t, s, g)
		ask := func(hotel int, cookie, r string) (int, map[string]any) {
			t.Helper()
			there := s.Guest(hotel)
			headers := []string{"Idempotency-Key", tenantbookingtest.Key()}
			if cookie != "" {
				headers = append(headers, "Cookie", cookie)
			}
			a := s.Front.As("").Send("POST", there.Path(path+r), nil, headers...)
			var members map[string]any
			if err := json.Unmarshal(a.Body, &members); err != nil {
				t.Fatal(err)
			}
			return a.Status, members
		}
		for _, refused := range []struct {
			name, r string
			hotel   int
			want    int
		}{
			{"no token", "", 0, http.StatusUnauthorized},
			{"a forged token", "?r=" + link[:len(link)-2] + "AA", 0, http.StatusNotFound},
			{"another booking's token", "?r=" + returnToken(t, s, other), 0, http.StatusNotFound},
			{"another hotel's", "?r=" + link, 1, http.StatusNotFound},
		} {
			t.Run(refused.name, func(t *testing.T) {
				if status, body := ask(refused.hotel, "", refused.r); status != refused.want {
					t.Errorf("%s: got %d %v, want %d", method, status, body, refused.want)
				}
			})
		}
		s.Platform.Decline(g.Intent, false)
		if status, _ := ask(0, "", "?r="+link); status != http.StatusPaymentRequired {
			t.Errorf("%s after a decline: %d, want 402", method, status)
		}
		s.Platform.Await(g.Intent, "requires_action", "secret")
		status, waiting := ask(0, "", "?r="+link)
		if status != http.StatusAccepted {
			t.Errorf("%s before the money has come: %d, want 202", method, status)
		}
		if members := slices.Sorted(maps.Keys(waiting)); !slices.Equal(members, []string{"flowState", "paymentStatus", "reservationCode"}) {
			t.Errorf("%s before the money has come: got the members %v, want no secret and no reservation", method, members)
		}
		s.Platform.Pay(g.Intent, false)
		for _, cookie := range []string{"", s.Guest(0).Cookie} {
			t.Run(fmt.Sprintf("%q", cookie), func(t *testing.T) {
				status, got := ask(0, cookie, "?r="+link)
				token, _ := got["viewToken"].(string)
				if status != http.StatusOK {
					t.Fatalf("%s with its token: got status %d, want 200: %v", method, status, got)
				}
				if members := slices.Sorted(maps.Keys(got)); !slices.Equal(members, []string{"flowState", "reservationCode", "viewToken"}) {
					t.Errorf("%s with its token: got the members %v, want flowState, reservationCode and viewToken", method, members)
				}
				if got["flowState"] != "confirmed" {
					t.Errorf("%s with its token: got state %v, want confirmed", method, got["flowState"])
				}
				reservation, _, _ := strings.Cut(token, ".")
				if a := s.Front.As("").Send("GET", g.Path("/confirmation/"+reservation+"?t="+token), nil); a.Status != http.StatusOK {
					t.Errorf("the view token answers %d %s", a.Status, a.Body)
				}
			})
		}
		s.DB.Advance(10*time.Minute + 2*time.Hour)
		if status, _ := ask(0, "", "?r="+link); status != http.StatusNotFound {
			t.Errorf("%s after two hours: %d, want 404", method, status)
		}
	}
}

// returnToken returns the ?r= of the return URL that the payment service received.
func returnToken(t *testing.T, s *tenantbookingtest.System, g *tenantbookingtest.Guest) string {
	t.Helper()
	back, err := url.Parse(s.Platform.Intent(g.Intent).Return)
	if err != nil {
		t.Fatal(err)
	}
	if back.Query().Get("r") == "" {
		t.Fatalf("the return URL %s has no token", back)
	}
	return back.Query().Get("r")
}
