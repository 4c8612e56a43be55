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
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
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
			check.Must(t, json.Unmarshal(a.Body, &members))
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
		check.Equal(t, status, http.StatusAccepted, "%s before the money has come", method)
		if members := slices.Sorted(maps.Keys(waiting)); !slices.Equal(members, []string{"flowState", "paymentStatus", "reservationCode"}) {
			t.Errorf("%s before the money has come: got the members %v, want no secret and no reservation", method, members)
		}
		s.Platform.Pay(g.Intent, false)
		for _, cookie := range []string{"", s.Guest(0).Cookie} {
			t.Run(fmt.Sprintf("%q", cookie), func(t *testing.T) {
				status, got := ask(0, cookie, "?r="+link)
				token, _ := got["viewToken"].(string)
				check.MustEqual(t, status, http.StatusOK, "%s", method+" with its token")
				check.Equal(t, slices.Sorted(maps.Keys(got)), []string{"flowState", "reservationCode", "viewToken"}, "members of %s with its token", method)
				if got["flowState"] != "confirmed" {
					t.Errorf("%s with its token: got state %v, want confirmed", method, got["flowState"])
				}
				reservation, _, _ := strings.Cut(token, ".")
				s.Front.As("").Send("GET", g.Path("/confirmation/"+reservation+"?t="+token), nil).Want(t, http.StatusOK)
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
	check.Must(t, err)
	check.MustNotEqual(t, back.Query().Get("r"), "", "the return URL has no token")
	return back.Query().Get("r")
}

// TestReturn_forgedLink: a call with a forged link reads nothing of the draft, whether it exists or not, and writes nothing into it. Its
// event belongs to the caller.
func TestReturn_forgedLink(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g := s.Guest(0).RequestQuote().Hold().SetGuest()
	owner := s.DB.Owner(t)
	row := func() (row string) {
		t.Helper()
		check.Must(t, owner.QueryRow(t.Context(), `SELECT d::text FROM bff_tenant_booking.booking_drafts AS d`).Scan(&row))
		return row
	}
	before, events := row(), len(g.Published())
	forge := func(draft id.Draft, link string) {
		t.Helper()
		a := s.Front.As("").Send("POST", g.Path("/draft/"+draft.String()+"/return?r="+link), nil, "Idempotency-Key", tenantbookingtest.Key(), "User-Agent", "Mobile")
		a.WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
		check.Lacks(t, string(a.Body), "flowState")
	}
	expiry := fmt.Sprint(s.Env.Now().Add(time.Hour).Unix())
	for _, link := range []string{"garbage", expiry + ".card.test.AAAA", "..", "a"} {
		forge(g.Draft, link)
	}
	check.Equal(t, row(), before, "the draft changed")
	check.Equal(t, len(g.Published()), events, "events of the guest")
	check.Equal(t, published(t, s, errored), 4, "published errors of the caller")
	missing("booking_drafts")(t, g) // any statement on the drafts fails from here on
	forge(g.Draft, "garbage")
	forge(id.New[id.Draft](), "garbage")
}

// TestReturn_formerLink returns with the valid link of a payment that the guest has replaced by another method. It no longer opens the draft,
// so that it neither reads nor writes there.
func TestReturn_formerLink(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	s.Platform.Change(func() { s.Platform.Tenants[0].PaymentMethods = append(s.Platform.Tenants[0].PaymentMethods, "mfs") })
	g := s.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	former := returnToken(t, s, g)
	g.Pay("mfs")
	row := func() (row string) {
		t.Helper()
		check.Must(t, s.DB.Owner(t).QueryRow(t.Context(), `SELECT d::text FROM bff_tenant_booking.booking_drafts AS d`).Scan(&row))
		return row
	}
	send := func(link string) fntest.Answer {
		return s.Front.As("").Send("POST", g.Path("/draft/"+g.Draft.String()+"/return?r="+link), nil, "Idempotency-Key", tenantbookingtest.Key())
	}
	before, events := row(), len(g.Published())
	a := send(former)
	a.WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
	check.Lacks(t, string(a.Body), "flowState")
	check.Equal(t, row(), before, "the draft changed")
	check.Equal(t, len(g.Published()), events, "events of the guest")
	send(returnToken(t, s, g)).Want(t, http.StatusAccepted)
}
