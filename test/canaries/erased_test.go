package canaries

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/erase"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestCanaries_erased books with canaries, cancels and erases. Afterwards the guest is nowhere, and another guest is where it was.
func TestCanaries_erased(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	a := newCanarySet()
	all := map[string]bool{}
	w := newScanner(a)
	book := func() *visitor {
		p := &visitor{Visitor: s.Browser().At(demo.KabulGrand), t: t, canaries: a, scanner: w, typed: all}
		p.must(http.StatusOK, "GET", tenantSite+"/bootstrap", "/bootstrap", nil)
		p.book(system.Usual(), "card")
		p.pay()
		return p
	}
	guest := book()
	s.Settle()
	cancel := system.Request{Method: http.MethodPost, Path: "/api/v1/reservations/" + guest.ReservationID + "/cancel", Key: system.Key(),
		Header: map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}, Body: map[string]any{"reasonCode": "guest_cancelled"}}
	arguments := []string{"-tenant=" + demo.KabulGrand.Tenant.String(), "-reservation=" + guest.ReservationID, "-go", "-by=K. Amiri", "-why=the guest asked for it"}
	telemetry := new(fakeWarehouse)
	e := eraseEnv(s, telemetry)
	check.Fails(t, erase.Job.Run(t.Context(), e, arguments), "an erasure before the stay has ended")
	s.Must(http.StatusOK, cancel)
	s.Settle()
	hashes := hashesOf(t, s)
	if len(hashes) < 2 {
		t.Fatalf("%d hashes of the guest, want those of address and number", len(hashes))
	}
	if seen := placesOf(t, s, a, hashes); !slices.Contains(seen, "reservation.guests.first_name") || !slices.Contains(seen, "reservation.guests.email_hash") {
		t.Fatalf("before the erasure the guest is in %q", seen)
	}
	named := idsOf(t, s, guest.ReservationID)
	telemetry.fill(t, s)
	publishDeadLetters(t, s, named)
	if found := countDeadLetters(t, s, named); len(found) == 0 {
		t.Fatal("before the erasure: got no dead letter with an id of the guest, want some")
	}
	if found := telemetry.countIDs(named); len(found) == 0 {
		t.Fatal("before the erasure: got no row of the warehouse with an id of the guest, want some")
	}
	check.Must(t, erase.Job.Run(t.Context(), e, arguments))
	for _, where := range placesOf(t, s, a, hashes) {
		if !strings.HasPrefix(where, "bus.messages.data payload primaryGuest contactHash") { // topics keep messages for seven days
			t.Errorf("after the erasure the guest is in %s", where)
		}
	}
	for name, n := range countDeadLetters(t, s, named) {
		t.Errorf("after the erasure %d dead letters name %s", n, name)
	}
	for name, n := range telemetry.countIDs(named) {
		t.Errorf("after the erasure %d rows of the warehouse name %s", n, name)
	}
	rest := new(fakeWarehouse)
	rest.fill(t, s)
	for name, n := range rest.countIDs(named) {
		t.Errorf("after the erasure %d events of the outbox name %s", n, name)
	}
	s.Settle() // the receipt has the number of the deleted events
	var deleted string
	row := s.DB.Owner(t).QueryRow(t.Context(), `SELECT deleted ->> 'reservation.guests' FROM reservation.erasures WHERE completed_at IS NOT NULL`)
	if err := row.Scan(&deleted); err != nil || deleted != "1" {
		t.Errorf("the receipt has %q deleted guests, %v, want 1", deleted, err)
	}
	other := book()
	s.Settle()
	check.NoError(t, erase.Job.Run(t.Context(), e, arguments), "erased again")
	if seen := placesOf(t, s, a, nil); !slices.Contains(seen, "reservation.guests.email") {
		t.Errorf("the guest of %s is in %q only", other.ReservationID, seen)
	}
}

// hashesOf returns the hashes of the only guest.
func hashesOf(t *testing.T, s *system.System) []string {
	t.Helper()
	rows, _ := s.DB.Owner(t).Query(t.Context(), `
		SELECT unnest(ARRAY[email_hash, phone_hash]) FROM reservation.guests
		UNION
		SELECT unnest(ARRAY[substr(guest_email_hash, 8), substr(guest_phone_hash, 8)]) FROM bff_tenant_booking.booking_draft_snapshots`)
	hashes := check.Got(pgx.CollectRows(rows, pgx.RowTo[*string])).Must(t)
	var found []string
	for _, h := range hashes {
		if h != nil {
			found = append(found, *h)
		}
	}
	return found
}

// placesOf returns the places of canaries and hashes in the database.
func placesOf(t *testing.T, s *system.System, a *canarySet, hashes []string) (places []string) {
	t.Helper()
	w := newScanner(a)
	w.also = func(where string, text []byte) {
		for _, h := range hashes {
			if bytes.Contains(text, []byte(h)) {
				places = append(places, where)
			}
		}
	}
	w.scanTables(t, s)
	for seen := range w.seen {
		places = append(places, seen.where)
	}
	slices.Sort(places)
	return slices.Compact(places)
}
