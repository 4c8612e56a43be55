package tenantbooking_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// site is the funnel with the routes of the session.
func site() []fn.Function { return append(funnel(), bootstrap.Function, changesession.Function) }

type bootstrapped struct {
	Active   *id.Draft `json:"activeBookingDraftId"`
	Degraded []string  `json:"degraded"`
}

// active returns the active draft in the guest's bootstrap.
func active(t *testing.T, g *tenantbookingtest.Guest) (b bootstrapped) {
	t.Helper()
	g.Must(http.StatusOK, "GET", "/bootstrap", nil).Into(t, &b)
	return b
}

func wantActive(t *testing.T, when string, g *tenantbookingtest.Guest, want bool) {
	t.Helper()
	got := active(t, g).Active
	switch {
	case !want && got != nil:
		t.Errorf("%s: the active draft is %v, want none", when, *got)
	case want && (got == nil || *got != g.Draft):
		t.Errorf("%s: the active draft is %v, want %v", when, got, g.Draft)
	}
}

// stored returns the guest's session document.
func stored(t *testing.T, g *tenantbookingtest.Guest) session.Session {
	t.Helper()
	sessions, err := session.OpenSessions(g.Env)
	check.Must(t, err)
	return sessions.Get(t.Context(), g.Tenant, g.Session.ID, session.Session{})
}

func TestActiveDraft_clearedAtEnd(t *testing.T) {
	t.Parallel()
	paying := func(g *tenantbookingtest.Guest, method string) string {
		g.Hold().SetGuest().Pay(method)
		return "/draft/" + g.Draft.String()
	}
	for name, end := range map[string]func(*testing.T, *tenantbookingtest.Guest){
		"the guest abandons a quote": func(_ *testing.T, g *tenantbookingtest.Guest) {
			g.Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
		},
		"the guest abandons a hold": func(_ *testing.T, g *tenantbookingtest.Guest) {
			g.Hold().SetGuest().Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
		},
		"paid by card": func(_ *testing.T, g *tenantbookingtest.Guest) {
			draft := paying(g, "card")
			g.Platform.Pay(g.Intent, false)
			g.Must(http.StatusOK, "POST", draft+"/return", nil)
		},
		"cash on arrival": func(_ *testing.T, g *tenantbookingtest.Guest) {
			g.Must(http.StatusOK, "POST", paying(g, "cash_on_arrival")+"/confirm", nil)
		},
		"declined for good": func(_ *testing.T, g *tenantbookingtest.Guest) {
			draft := paying(g, "card")
			g.Platform.Decline(g.Intent, true)
			g.Must(http.StatusPaymentRequired, "POST", draft+"/return", nil)
		},
		"the sweep closes a lapsed draft": func(t *testing.T, g *tenantbookingtest.Guest) {
			g.DB.Advance(31 * time.Minute)
			sweep(t, g)
		},
		"the sweep converts a paid draft": func(t *testing.T, g *tenantbookingtest.Guest) {
			paying(g, "card")
			g.Platform.Pay(g.Intent, false)
			g.DB.Advance(3 * time.Minute)
			sweep(t, g)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
			g := system.Guest(0)
			wantActive(t, "before the quote", g, false)
			g.RequestQuote()
			wantActive(t, "quoted", g, true)
			wantActive(t, "at another session", system.Guest(0), false)
			end(t, g)
			check.Equal(t, stored(t, g).Draft, nil, "draft of the session whose draft ended")
			wantActive(t, "after the end", g, false)
			g.RequestQuote()
			wantActive(t, "the next draft", g, true)
		})
	}
}

func TestActiveDraft_followsRename(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0).RequestQuote().Hold()
	planted := g.Cookie
	g.SetGuest()
	wantActive(t, "under the new id", g, true)
	b := fntest.Read[bootstrapped](t, g.Front.As("").Get(g.Path("/bootstrap"), "Cookie", planted))
	check.Equal(t, b.Active, nil, "the session's earlier cookie reads the active draft")
	g.Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
	wantActive(t, "abandoned", g, false)
}

// Sessions that name a draft which they must not get: bootstrap checks the row and clears the session.
func TestActiveDraft_checkedOnRead(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	ended := system.Guest(0).RequestQuote()
	gone := ended.Draft
	ended.Must(http.StatusNoContent, "DELETE", "/draft/"+gone.String(), nil)
	foreign := system.Guest(0).RequestQuote().Draft
	hotel := system.Guest(1).RequestQuote().Draft
	unknown := id.New[id.Draft]()
	sessions, err := session.OpenSessions(system.Env)
	check.Must(t, err)
	for name, named := range map[string]id.Draft{
		"a draft that has ended": gone, "another session's draft": foreign, "another hotel's draft": hotel, "an unknown draft": unknown,
	} {
		t.Run(name, func(t *testing.T) {
			g := ended
			if named != gone {
				g = system.Guest(0)
			}
			check.Got(sessions.SetActiveDraft(t.Context(), stored(t, g), named)).Must(t)
			wantActive(t, name, g, false)
			check.Equal(t, stored(t, g).Draft, nil, "draft of the session after bootstrap")
		})
	}
}

func TestActiveDraft_lapsedBeforeSweep(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	quoted, paying := system.Guest(0).RequestQuote(), system.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	system.DB.Advance(31 * time.Minute)
	wantActive(t, "half an hour after the quote", quoted, false)
	wantActive(t, "while a payment is pending", paying, true)
}

func TestActiveDraft_databaseUnavailable(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0).RequestQuote()
	rename := func(from, to string) {
		t.Helper()
		check.Got(system.DB.Owner(t).Exec(t.Context(), `ALTER TABLE bff_tenant_booking.`+from+` RENAME TO `+to)).Must(t)
	}
	rename("booking_drafts", "away")
	b := active(t, g)
	check.Equal(t, b.Active, nil, "an unchecked draft is returned")
	check.Equal(t, slices.Contains(b.Degraded, "activeBookingDraftId"), true, "degraded is %v", b.Degraded)
	rename("away", "booking_drafts")
	wantActive(t, "when the database is back", g, true)
}

func TestActiveDraft_concurrentQuotes(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0)
	var (
		mu     sync.Mutex
		drafts []id.Draft
		all    sync.WaitGroup
	)
	for i := range 6 {
		all.Go(func() {
			if i%2 == 0 { // changes of the same session must not undo the draft
				g.Front.As("").Send("PATCH", g.Path("/session"), `{"locale":"en"}`, "Cookie", g.Cookie, "Idempotency-Key", tenantbookingtest.Key())
				return
			}
			var quoted struct {
				Draft id.Draft `json:"draftId"`
			}
			a := g.Front.As("").Send("POST", g.Path("/quote"), g.QuoteBody(), "Cookie", g.Cookie, "Idempotency-Key", tenantbookingtest.Key())
			a.Into(t, &quoted)
			mu.Lock()
			defer mu.Unlock()
			drafts = append(drafts, quoted.Draft)
		})
	}
	all.Wait()
	got := active(t, g).Active
	if got == nil || !slices.Contains(drafts, *got) {
		t.Fatalf("the active draft is %v, want one of %v", got, drafts)
	}
	for _, d := range drafts {
		g.Must(http.StatusNoContent, "DELETE", "/draft/"+d.String(), nil)
	}
	check.Equal(t, active(t, g).Active, nil, "active draft after all have ended")
}
