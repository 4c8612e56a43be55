package consumer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
)

// A storedStep is a row of funnel_events.
type storedStep struct {
	Step     string
	Tenant   *id.Tenant
	Property *id.Property
	Search   *id.SearchSession
	Metadata *string
}

// storedSteps returns the steps of a session in order.
func storedSteps(t *testing.T, site *consumertest.Site, of id.GuestSession) []storedStep {
	t.Helper()
	rows, _ := site.DB.Owner(t).Query(t.Context(), `
		SELECT step, tenant_id AS tenant, property_id AS property, search_session_id AS search, metadata::text AS metadata
		FROM bff_consumer.funnel_events WHERE guest_session_id = @session ORDER BY funnel_event_id`, pgx.StrictNamedArgs{"session": of})
	steps, err := pgx.CollectRows(rows, pgx.RowToStructByName[storedStep])
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func stepNames(steps []storedStep) (names []string) {
	for _, s := range steps {
		names = append(names, s.Step)
	}
	return names
}

func TestFunnel_serverSteps(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 3, search.Function, searchmap.Function, readhotel.Function, addwish.Function, minthandoff.Function,
		recordfunnel.Function, readsession.Function)
	hotel := m.Hotels[0]
	checkIn, checkOut := m.Dates(7, 2)
	act := func(v *consumertest.Traveller) (found search.Response) {
		t.Helper()
		v.Must(200, "POST", "/search", m.SearchBody()).Into(t, &found)
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
		return found
	}
	v := m.Traveller()
	found := act(v)
	steps := storedSteps(t, m.Site, v.Session)
	want := []string{"session.started", "search.executed", "search.executed", "search.executed", "detail.viewed", "wishlist.added", "handoff.initiated", "map.opened"}
	if got := stepNames(steps); !slices.Equal(got, want) {
		t.Fatalf("steps = %q, want %q", got, want)
	}
	searched := func(metadata string) storedStep {
		return storedStep{Step: "search.executed", Search: &found.Search, Metadata: &metadata}
	}
	viewed := `{"source": "search-map"}`
	for at, want := range map[int]storedStep{
		1: searched(`{"sortKey": "recommended", "fromCache": false, "resultCount": 3}`),
		2: searched(`{"sortKey": "recommended", "fromCache": true, "resultCount": 3}`),
		4: {Step: "detail.viewed", Tenant: &hotel.Tenant, Property: &hotel.Property, Metadata: &viewed},
		5: {Step: "wishlist.added", Tenant: &hotel.Tenant, Property: &hotel.Property},
		6: {Step: "handoff.initiated", Tenant: &hotel.Tenant, Property: &hotel.Property},
	} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			if diff := cmp.Diff(want, steps[at]); diff != "" {
				t.Errorf("step %d differs: %s", at, diff)
			}
		})
	}
	silent := m.Traveller("DNT", "1")
	act(silent)
	if got := storedSteps(t, m.Site, silent.Session); len(got) != 0 {
		t.Errorf("a session without telemetry has the steps %q", stepNames(got))
	}
	program := m.Traveller("User-Agent", "curl/8")
	program.Must(200, "POST", "/search", m.SearchBody())
	if got := storedSteps(t, m.Site, program.Session); len(got) != 0 {
		t.Errorf("the first call of a program has the steps %q", stepNames(got))
	}
}

// TestFunnel_rotation starts the successor of a rotated session with a step of its own.
func TestFunnel_rotation(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := visitor(t, site)
	first := v.Session
	v.Headers = append(v.Headers, "User-Agent", "Mozilla/5.0 Mobile")
	v.Must(200, "GET", "/session", nil)
	if v.Session == first {
		t.Fatal("the session was not rotated")
	}
	for name, session := range map[string]id.GuestSession{"before the rotation": first, "after it": v.Session} {
		t.Run(name, func(t *testing.T) {
			if got := stepNames(storedSteps(t, site, session)); !slices.Equal(got, []string{"session.started"}) {
				t.Errorf("steps of %v = %q, want session.started", session, got)
			}
		})
	}
}

// TestFunnel_withdrawn withdraws consent in SQL after the call has read the session.
func TestFunnel_withdrawn(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 1, search.Function, readsession.Function)
	v := visitor(t, m.Site)
	_, err := m.DB.Owner(t).Exec(t.Context(), `UPDATE bff_consumer.guest_sessions SET consent_telemetry = false`)
	if err != nil {
		t.Fatal(err)
	}
	v.Must(200, "POST", "/search", m.SearchBody())
	if got := stepNames(storedSteps(t, m.Site, v.Session)); !slices.Equal(got, []string{string(session.StepSessionStarted)}) {
		t.Errorf("steps = %q, want session.started only", got)
	}
}
