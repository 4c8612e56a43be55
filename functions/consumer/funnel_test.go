package consumer_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/minthandoff"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordfunnel"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// eventsOf returns the short subjects of a session's events, with the step if it is a funnel step.
func eventsOf(t *testing.T, site *consumertest.Site, of id.GuestSession) []string {
	t.Helper()
	rows, _ := site.DB.Owner(t).Query(t.Context(), `
		SELECT concat_ws(' ', replace(replace(subject, 'melmastoon.bff.consumer.', ''), '.v1', ''), payload ->> 'step')
		FROM bff_consumer.outbox WHERE ordering_key = @session ORDER BY seq`, pgx.StrictNamedArgs{"session": of.String()})
	events, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.Must(t, err)
	return events
}

// TestFunnel_serverSteps publishes each step that the server knows once: with its own event, or as a funnel step.
func TestFunnel_serverSteps(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 3, search.Function, searchmap.Function, readhotel.Function, addwish.Function, minthandoff.Function,
		recordfunnel.Function, readsession.Function)
	m.EverySearch()
	hotel := m.Hotels[0]
	checkIn, checkOut := m.Dates(7, 2)
	act := func(v *consumertest.Traveller) {
		t.Helper()
		v.Must(200, "POST", "/search", m.SearchBody())
		v.Must(200, "POST", "/search", m.SearchBody(`,"page":{"offset":1}`))
		v.Must(200, "POST", "/search/map", m.SearchBodyIn(`{"mode":"bounding-box","boundingBox":{"swLat":34,"swLng":69,"neLat":35,"neLng":70}}`))
		v.Must(200, "GET", "/hotels/"+hotel.Property.String()+"?source=search-map", nil)
		v.Must(200, "GET", "/hotels/"+hotel.Property.String(), nil, "Sec-Purpose", "prefetch")
		for _, status := range []int{201, 201} { // the second is a replay
			v.Must(status, "POST", "/wishlist", wishBody(hotel.Property, ""), "Idempotency-Key", "wish")
			v.Must(status, "POST", "/handoff/"+hotel.Tenant.String()+"/"+hotel.Property.String(),
				`{"dates":{"checkIn":"`+checkIn+`","checkOut":"`+checkOut+`"},"occupancy":{"adults":2,"children":0,"rooms":1}}`, "Idempotency-Key", "handoff")
		}
		v.Must(200, "POST", "/wishlist", wishBody(hotel.Property, "")) // already on the list
		for _, step := range []string{"session.started", "search.executed", "detail.viewed", "wishlist.added", "handoff.initiated", "map.opened"} {
			v.Must(202, "POST", "/telemetry/funnel", `{"step":"`+step+`"}`)
		}
	}
	v := m.Traveller()
	act(v)
	want := []string{"session.started", "search.executed", "search.executed", "search.executed", "funnel.step_reached detail.viewed", "wishlist.added",
		"handoff.initiated", "funnel.step_reached map.opened"}
	check.Equal(t, eventsOf(t, m.Site, v.Session), want, "other events")
	silent := m.Traveller("DNT", "1")
	act(silent)
	check.Equal(t, eventsOf(t, m.Site, silent.Session), []string{"handoff.initiated"}, "events of a session without telemetry")
	program := m.Traveller("User-Agent", "curl/8")
	program.Must(200, "POST", "/search", m.SearchBody())
	check.Equal(t, len(eventsOf(t, m.Site, program.Session)), 0, "events of the first call of a program")
}

// TestFunnel_detail publishes which hotel was looked at, and from where.
func TestFunnel_detail(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 1, readhotel.Function, readsession.Function)
	v, hotel := visitor(t, m.Site), m.Hotels[0]
	v.Must(200, "GET", "/hotels/"+hotel.Property.String()+"?source=search-map", nil)
	var got struct {
		Step     session.FunnelStep `json:"step"`
		Tenant   id.Tenant          `json:"tenantId"`
		Property id.Property        `json:"propertyId"`
		Metadata session.Metadata   `json:"metadata"`
	}
	m.Payload("funnel.step_reached", &got)
	if got.Step != session.StepDetailViewed || got.Tenant != hotel.Tenant || got.Property != hotel.Property || got.Metadata.Source != "search-map" {
		t.Errorf("published %+v, want a view of %v from the map", got, hotel.Property)
	}
}

// TestFunnel_withdrawn withdraws consent in SQL after the call has read the session.
func TestFunnel_withdrawn(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 1, search.Function, readhotel.Function, readsession.Function)
	m.EverySearch()
	v := visitor(t, m.Site)
	_, err := m.DB.Owner(t).Exec(t.Context(), `UPDATE bff_consumer.guest_sessions SET consent_telemetry = false`)
	check.Must(t, err)
	v.Must(200, "POST", "/search", m.SearchBody())
	v.Must(200, "GET", "/hotels/"+m.Hotels[0].Property.String(), nil)
	check.Equal(t, eventsOf(t, m.Site, v.Session), []string{"session.started"})
}
