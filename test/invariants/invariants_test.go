package invariants_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/addspecialrequest"
	"melmastoon.ghasi.io/functions/reservation/checkout"
	"melmastoon.ghasi.io/functions/reservation/modify"
	"melmastoon.ghasi.io/functions/reservation/noshow"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/invariants"
)

// run executes statements without checking foreign keys, so that a row of a neighbour needs no others.
func run(t *testing.T, d *reservationtest.Desk, sql string) {
	t.Helper()
	check.Got(d.DB.Owner(t).Exec(t.Context(), "SET session_replication_role = replica; "+sql)).Must(t, "in %s", sql)
}

// book stores what inventory and payment know of a paid reservation: one committed allocation, and one captured intent.
func book(t *testing.T, d *reservationtest.Desk) {
	t.Helper()
	run(t, d, `
		INSERT INTO sandbox.intents (intent_id, tenant_id, reservation_id, method, provider, status, amount_micro, currency, captured_micro,
			captured_at, captured_event_id, created_at, expires_at)
		SELECT payment_intent_id, tenant_id, reservation_id, 'card', 'p', 'captured', captured_micro, currency, captured_micro,
			platform.now(), capture_event_id, platform.now(), platform.now()
		FROM reservation.reservations;
		INSERT INTO sandbox.inventory_nights (tenant_id, property_id, room_type_id, night, capacity, counted_at, next_lapse)
		SELECT r.tenant_id, r.property_id, i.room_type_id, r.stay_start + n, 1, '-infinity', '-infinity' -- not counted yet
		FROM reservation.reservations AS r JOIN reservation.reservation_items AS i USING (reservation_id) CROSS JOIN generate_series(0, 1) AS n;
		INSERT INTO sandbox.allocations (allocation_id, tenant_id, property_id, room_type_id, reservation_id, starts_on, ends_on, units, state,
			placed_at, expires_at, committed_at)
		SELECT h.allocation_ids[1], r.tenant_id, r.property_id, i.room_type_id, r.reservation_id, r.stay_start, r.stay_end, 1, 'committed',
			platform.now(), platform.now(), platform.now()
		FROM reservation.reservations AS r
		JOIN reservation.holds AS h USING (hold_id)
		JOIN reservation.reservation_items AS i ON i.reservation_id = r.reservation_id`)
}

// release releases the allocation, as inventory does.
func release(t *testing.T, d *reservationtest.Desk) {
	t.Helper()
	run(t, d, `UPDATE sandbox.allocations SET state = 'released', released_at = platform.now()`)
}

// refund executes the requested refund, as the payment service does, or one of another amount.
func refund(amount int64) func(*testing.T, *reservationtest.Desk) {
	return func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		back := reservationtest.Now(t, d.DB, d.R).Payment.Requested[0]
		run(t, d, fmt.Sprintf(`
			UPDATE sandbox.intents SET refunded_micro = %[1]d;
			INSERT INTO sandbox.refunds (refund_id, tenant_id, intent_id, amount_micro, reason, total_refunded_micro, refunded_at)
			SELECT '%[2]x', tenant_id, intent_id, %[1]d, 'requested', %[1]d, platform.now() FROM sandbox.intents`, amount, back.ID[:]))
	}
}

// broken returns the settled invariants that do not hold. In these tests no relay runs, so all events are still to be published.
func broken(t *testing.T, d *reservationtest.Desk) []string {
	t.Helper()
	found := check.Got(pgtest.Unsettled(t.Context(), d.DB.Owner(t))).Must(t)
	names := map[string]bool{}
	for _, row := range found {
		if name, _, _ := strings.Cut(strings.TrimPrefix(row, "settled/"), ".sql"); name != "everything_is_told" {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func miss(t *testing.T, d *reservationtest.Desk) {
	t.Helper()
	d.At(reservationtest.NoShow)
	d.Do(d.Staff("usr_desk", "front_desk"), "no-show", map[string]any{}).Want(t, 200)
}

func arrive(t *testing.T, d *reservationtest.Desk) {
	t.Helper()
	d.At(reservationtest.Arrival)
	d.CheckIn()
}

// rate changes the price of a night.
func rate(nightly string) func(*testing.T, *reservationtest.Desk) {
	return func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		change(t, d, map[string]any{"type": "rate_change", "itemId": d.R.Items[0].ID, "nightlyRateMicro": nightly, "reason": "agreed"})
	}
}

// leave checks the guest out, days before the day of departure.
func leave(days int) func(*testing.T, *reservationtest.Desk) {
	return func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		arrive(t, d)
		d.At(reservationtest.Departure.AddDate(0, 0, -days))
		folio := map[string]any{"folioId": "fol_1", "finalBalanceMicro": "0", "currency": "USD", "settled": true}
		d.Do(d.Staff("usr_desk", "front_desk"), "check-out", map[string]any{"folio": folio}).Want(t, 200)
	}
}

func TestSettled_frontDesk(t *testing.T) {
	t.Parallel()
	const rooms, money = "rooms_have_their_guest", "money_has_its_room"
	type steps = []func(*testing.T, *reservationtest.Desk)
	forgetRoom := func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		run(t, d, `DELETE FROM reservation.room_nights`)
	}
	for _, test := range []struct {
		name  string
		steps steps
		want  []string
	}{
		{"confirmed", nil, nil},
		{"confirmed, its room released", steps{release}, []string{rooms}},
		{"checked in", steps{arrive}, nil},
		{"checked in, its room released", steps{arrive, release}, []string{rooms}},
		{"checked in without a physical room", steps{arrive, forgetRoom}, []string{rooms}},
		{"no-show", steps{miss, release, refund(200_000_000)}, nil},
		{"no-show, its room kept", steps{miss, refund(200_000_000)}, []string{rooms}},
		{"no-show, its money kept", steps{miss, release}, []string{money}},
		{"no-show, a part of its money kept", steps{miss, release, refund(150_000_000)}, []string{money}},
		{"checked out", steps{leave(0)}, nil},
		{"checked out early", steps{leave(1), release, refund(100_000_000)}, nil},
		{"checked out early, the room kept", steps{leave(1), refund(100_000_000)}, []string{rooms}},
		{"checked out early, the money kept", steps{leave(1), release}, []string{money}},
		{"made cheaper", steps{rate("50000000"), refund(100_000_000)}, nil},
		{"made cheaper, too much refunded", steps{rate("50000000"), refund(150_000_000)}, []string{money}},
		{"made cheaper and dearer again without paying", steps{rate("50000000"), refund(100_000_000), rate("100000000")}, nil},
		{"made dearer without paying", steps{rate("150000000")}, nil},
		{"checked out early, too much refunded", steps{leave(1), release, refund(150_000_000)}, []string{money}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := reservationtest.OpenDesk(t, noshow.Function, checkout.Function, modify.Function)
			book(t, d)
			for _, step := range test.steps {
				step(t, d)
			}
			check.Equal(t, broken(t, d), test.want, "broken invariants")
		})
	}
}

// violations executes sql and returns the subjects for which reservations_are_told.sql then reports too few or too many events. It rolls
// the statement back.
func violations(t *testing.T, d *reservationtest.Desk, sql string) []string {
	t.Helper()
	owner := d.DB.Owner(t)
	tx := check.Got(owner.Begin(t.Context())).Must(t)
	defer func() { _ = tx.Rollback(t.Context()) }()
	check.Got(tx.Exec(t.Context(), sql)).Must(t, "in %s", sql)
	query := check.Got(invariants.SQL.ReadFile("reservations_are_told.sql")).Must(t)
	rows, _ := tx.Query(t.Context(), string(query))
	found := check.Got(pgx.CollectRows(rows, pgx.RowToMap)).Must(t)
	names := map[string]bool{}
	for _, row := range found {
		names[strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(row["subject"]), "melmastoon.reservation."), ".v1")] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func override(to string) func(*testing.T, *reservationtest.Desk) {
	return func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		change(t, d, map[string]any{"type": "manual_state_override", "state": to, "reason": "typed wrong"})
	}
}

func change(t *testing.T, d *reservationtest.Desk, body map[string]any) {
	t.Helper()
	d.Staff("usr_boss", "manager").Send(http.MethodPatch, "/api/v1/reservations/"+d.R.ID.String(), body,
		"X-Tenant-Id", d.R.Tenant.String(), "Idempotency-Key", id.New[id.Request]().String()).Want(t, 200)
}

// TestInvariants_events removes each event of a reservation, and adds each a second time at another version. The invariant must report
// both.
func TestInvariants_events(t *testing.T) {
	t.Parallel()
	type step = func(*testing.T, *reservationtest.Desk)
	correct := func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		change(t, d, map[string]any{"type": "channel_attribution_corrected", "channel": "phone_by_staff", "reason": "called"})
	}
	ask := func(t *testing.T, d *reservationtest.Desk) {
		t.Helper()
		d.Do(d.Staff("usr_desk", "front_desk"), "special-requests",
			map[string]any{"tags": []string{"quiet_room"}, "locale": "en", "source": "staff"}).Want(t, 201)
	}
	for _, test := range []struct {
		name   string
		steps  []step
		events []string
	}{
		{"no_show", []step{miss}, []string{"held", "confirmed", "no_show"}},
		{"reinstated", []step{miss, override("confirmed")}, []string{"no_show", "modified"}},
		{"checked_in", []step{ask, correct, arrive}, []string{"special_request.added", "modified", "check_in_started", "checked_in"}},
		{"checked_out", []step{leave(0)}, []string{"check_in_started", "checked_in", "checkout_started", "checked_out"}},
		{"checked_out_early", []step{leave(1)}, []string{"early_checkout", "checked_out"}},
		{"back_in_house", []step{leave(0), override("checked_in")}, []string{"checked_in", "checkout_started", "checked_out", "modified"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := reservationtest.OpenDesk(t, noshow.Function, checkout.Function, modify.Function, addspecialrequest.Function)
			for _, step := range test.steps {
				step(t, d)
			}
			if got := violations(t, d, `SELECT`); len(got) > 0 {
				t.Errorf("broken for %v, want it to hold", got)
			}
			for _, event := range test.events {
				where := fmt.Sprintf(` WHERE seq = (SELECT max(seq) FROM reservation.outbox WHERE subject = 'melmastoon.reservation.%s.v1')`, event)
				if got := violations(t, d, `DELETE FROM reservation.outbox`+where); !slices.Equal(got, []string{event}) {
					t.Errorf("without the event %s: broken for %v, want %s", event, got, event)
				}
				again := `INSERT INTO reservation.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
					SELECT gen_random_uuid(), 'evt_again', tenant_id, subject, ordering_key, payload,
						jsonb_set(envelope, '{metadata,aggregateVersion}', '"99"'), occurred_at FROM reservation.outbox`
				if event == "special_request.added" {
					continue // a guest may replace a request
				}
				if got := violations(t, d, again+where); !slices.Equal(got, []string{event}) {
					t.Errorf("with the event %s twice: broken for %v, want %s", event, got, event)
				}
			}
		})
	}
}

// accounts_add_up is checked after each test with a database. It finds a charge that has another amount than its night.
func TestAccountsAddUp_wrongCharge(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t)
	query := check.Got(invariants.SQL.ReadFile("accounts_add_up.sql")).Must(t)
	for _, step := range []struct {
		name  string
		added int
		want  int // faults: of the total and of the night
	}{
		{"as booked", 0, 0},
		{"dearer by a micro", 1, 2},
		{"as booked again", -1, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			run(t, d, fmt.Sprintf(`UPDATE reservation.reservation_charges SET amount_micro = amount_micro + %d WHERE seq = 1`, step.added))
			rows, _ := d.DB.Owner(t).Query(t.Context(), string(query))
			found, err := pgx.CollectRows(rows, pgx.RowToMap)
			check.Must(t, err)
			check.Equal(t, len(found), step.want)
		})
	}
}
