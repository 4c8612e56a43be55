package consumer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	domain "melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordclick"
	"melmastoon.ghasi.io/functions/consumer/recordfunnel"
	"melmastoon.ghasi.io/functions/consumer/recordpageview"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// openSearches returns a system with the functions that read or write search sessions.
func openSearches(t *testing.T) *consumertest.System {
	t.Helper()
	return consumertest.OpenSystem(t, 3, search.Function, readsession.Function, clearsession.Function, recordclick.Function,
		recordpageview.Function, recordfunnel.Function)
}

// searched makes a search and returns its search session.
func searched(t *testing.T, v *consumertest.Traveller, body string) id.SearchSession {
	t.Helper()
	found := fntest.Read[search.Response](t, v.Must(200, "POST", "/search", body))
	return found.Search
}

// storedSearch returns the document of a search session.
func storedSearch(t *testing.T, site *consumertest.Site, which id.SearchSession) (session.SearchSession, bool) {
	t.Helper()
	kept, ok, err := document.Open[session.SearchSession](site.Env, "srs-search").Get(t.Context(), document.KeyOf(which.String()))
	check.Must(t, err)
	return kept, ok
}

func TestSearchSession_document(t *testing.T) {
	t.Parallel()
	m := openSearches(t)
	v := m.Traveller("X-Currency", "USD")
	body := m.SearchBodyIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","zarghona"],"neighbourhoods":["Karte Se"]},"sortKey":"price-asc"`)
	first := searched(t, v, body)
	kept, ok := storedSearch(t, m.Site, first)
	check.MustEqual(t, ok, true, "the search session has no document")
	history := v.StoredSession().SearchHistory[0]
	want := session.SearchSession{
		ID: first, Guest: v.Session, QueryHash: history.QueryHash, Geo: domain.GeoQuery{Mode: domain.City, City: "Kabul"},
		Dates: history.Dates, Occupancy: domain.Occupancy{Adults: 2, Rooms: 1}, Filters: &domain.Filters{Amenities: []string{"wifi"}},
		Sort: domain.PriceAsc, Locale: locale.Pashto, Currency: money.USD, StartedAt: history.ExecutedAt,
		LastInteractionAt: history.ExecutedAt, ResultCount: 3, ExpiresAt: history.ExecutedAt.Add(time.Hour),
	}
	if diff := cmp.Diff(want, kept, cmp.Comparer(func(a, b stay.Date) bool { return a == b })); diff != "" {
		t.Errorf("the document differs: %s", diff)
	}
	m.DB.Advance(30 * time.Second)
	searched(t, v, body)
	if again, _ := storedSearch(t, m.Site, first); !again.LastInteractionAt.Equal(kept.LastInteractionAt) {
		t.Error("the same search within a minute has written the document")
	}
	m.DB.Advance(time.Minute)
	check.Equal(t, searched(t, v, strings.Replace(body, "price-asc", "rating-desc", 1)), first, "session of another order")
	again, _ := storedSearch(t, m.Site, first)
	if again.Sort != domain.RatingDesc || !again.LastInteractionAt.After(kept.LastInteractionAt) {
		t.Errorf("after another order: %s at %v", again.Sort, again.LastInteractionAt)
	}
	check.Equal(t, again.ExpiresAt, kept.ExpiresAt)
	m.DB.Advance(time.Hour)
	fresh := searched(t, v, body)
	check.NotEqual(t, fresh, first, "an hour after its start the search session continues")
	if _, ok := storedSearch(t, m.Site, fresh); !ok {
		t.Error("the fresh search session has no document")
	}
	if expired, ok := storedSearch(t, m.Site, first); ok {
		t.Errorf("the expired search session is still read: %+v", expired)
	}
}

// TestSearchSession_telemetry names search sessions in clicks, page views and steps: a foreign, an expired and an unknown one are
// accepted and left out.
func TestSearchSession_telemetry(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 5, search.Function, readsession.Function, recordclick.Function, recordpageview.Function,
		recordfunnel.Function) // one hotel for each click
	v, other := visitor(t, m.Site), visitor(t, m.Site)
	own, foreign := searched(t, v, m.SearchBody()), searched(t, other, m.SearchBody())
	hotel := 0
	report := func(named id.SearchSession) (click, view, step *id.SearchSession) {
		t.Helper()
		hotel = (hotel + 1) % len(m.Hotels)
		h := m.Hotels[hotel]
		v.Must(202, "POST", "/telemetry/click", `{"kind":"map-pin","tenantId":"`+h.Tenant.String()+`","propertyId":"`+h.Property.String()+`","searchSessionId":"`+named.String()+`"}`)
		v.Must(202, "POST", "/telemetry/page-view", `{"path":"/","searchSessionId":"`+named.String()+`"}`)
		v.Must(202, "POST", "/telemetry/funnel", `{"step":"map.opened","searchSessionId":"`+named.String()+`"}`)
		names := func(subject string) *id.SearchSession {
			var payload struct {
				Search *id.SearchSession `json:"searchSessionId"`
			}
			m.Payload(subject, &payload)
			return payload.Search
		}
		return names("click.recorded"), names("page.viewed"), names("funnel.step_reached")
	}
	verify := func(name string, named id.SearchSession, want bool) {
		t.Helper()
		click, view, step := report(named)
		for what, got := range map[string]*id.SearchSession{"click": click, "page view": view, "step": step} {
			t.Run(what, func(t *testing.T) {
				check.Equal(t, got != nil, want, "%s: the names %v", name, got)
			})
		}
	}
	verify("own", own, true)
	verify("foreign", foreign, false)
	verify("unknown", id.New[id.SearchSession](), false)
	before, _ := storedSearch(t, m.Site, own)
	m.DB.Advance(2 * time.Minute)
	verify("own, later", own, true)
	if after, _ := storedSearch(t, m.Site, own); after.LastInteractionAt.Sub(before.LastInteractionAt) < 2*time.Minute {
		t.Errorf("lastInteractionAt = %v, want 2 minutes after %v", after.LastInteractionAt, before.LastInteractionAt)
	}
	if after, _ := storedSearch(t, m.Site, foreign); !after.LastInteractionAt.Equal(after.StartedAt) {
		t.Error("another visitor has moved lastInteractionAt")
	}
	m.DB.Advance(time.Hour)
	verify("expired", own, false)
}

// TestSearchSession_ends ends a session in every way. No document of a search session may remain.
func TestSearchSession_ends(t *testing.T) {
	t.Parallel()
	m := openSearches(t)
	kabul := m.SearchBody()
	for name, end := range map[string]func(*consumertest.Traveller){
		"clear": func(v *consumertest.Traveller) { v.Must(204, "POST", "/session/clear", nil) },
		"rotation": func(v *consumertest.Traveller) {
			v.Headers = append(v.Headers, "User-Agent", "Mozilla/5.0 Mobile")
			v.Must(200, "GET", "/session", nil)
		},
		"clear_during_repeated_search": func(v *consumertest.Traveller) {
			stored := v.StoredSession()
			m.DB.Advance(2 * time.Minute) // the search service is asked again, and the document is due to be written
			m.Before(func(string) {
				check.NoError(t, v.Sessions().Clear(t.Context(), stored))
			})
			v.Must(200, "POST", "/search", kabul)
		},
		"clear_during_new_search": func(v *consumertest.Traveller) {
			stored := v.StoredSession()
			m.Before(func(string) {
				check.NoError(t, v.Sessions().Clear(t.Context(), stored))
			})
			v.Must(200, "POST", "/search", m.SearchBodyIn(`{"mode":"city","city":"`+v.Session.String()[4:]+`"}`)) // not cached
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, headers := range [][]string{nil, {"DNT", "1"}} {
				t.Run(fmt.Sprint(headers), func(t *testing.T) {
					v := m.Traveller(headers...)
					which := searched(t, v, kabul)
					was := v.Session
					if _, ok := storedSearch(t, m.Site, which); !ok {
						t.Fatal("the search session has no document")
					}
					end(v)
					m.Before(func(string) {})
					for line := range strings.Lines(consumertest.Texts(t, m.DB)["document.documents"]) {
						check.Lacks(t, line, was.String())
					}
				})
			}
		})
	}
}

// TestSearchSession_dropped makes more searches than the history keeps: the documents of the dropped ones are deleted.
func TestSearchSession_dropped(t *testing.T) {
	t.Parallel()
	m := openSearches(t)
	v := m.Traveller()
	first := searched(t, v, m.SearchBody())
	for n := range session.MaxSearches {
		searched(t, v, m.SearchBodyIn(fmt.Sprintf(`{"mode":"city","city":"City %c"}`, 'A'+n)))
	}
	if _, ok := storedSearch(t, m.Site, first); ok {
		t.Error("the document of a search that the session has dropped remains")
	}
	check.Equal(t, len(v.StoredSession().SearchHistory), session.MaxSearches, "searches in the session")
}
