package canaries

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/erase"
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// eraseEnv returns the environment of the job erase: the environment of the functions, with dead letters and a warehouse.
func eraseEnv(s *system.System, w erase.Warehouse) env.Env {
	puller, ok := s.Cloud.Messages().(topic.Puller)
	e := s.Env().With("DEAD_LETTERS", replay.Listeners(s.Cloud.Subscriptions()))
	if ok {
		e = topic.PullerKey.With(e, puller)
	}
	return erase.WarehouseKey.With(e, w)
}

// idsOf returns the ids by which the data of a guest is found: draft, session of the draft, reservation.
func idsOf(t *testing.T, s *system.System, reservation string) []string {
	t.Helper()
	rows, _ := s.DB.Owner(t).Query(t.Context(), `SELECT unnest(ARRAY[draft_id, session_id]) FROM bff_tenant_booking.booking_draft_snapshots WHERE reservation_id = $1`, reservation)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 2 {
		t.Fatalf("draft and session of %s = %q, %v", reservation, names, err)
	}
	return append(names, reservation)
}

// publishDeadLetters publishes a dead letter that names each id, and one about another reservation.
func publishDeadLetters(t *testing.T, s *system.System, named []string) {
	t.Helper()
	var letters []topic.Message
	for _, name := range append(slices.Clone(named), "rsv_01ARZ3NDEKTSV4RRFFQ69G5FAV") {
		letters = append(letters, topic.Message{Topic: s.Cloud.Subscriptions()[0].DeadLetter, Data: []byte(`{"payload":{"id":"` + name + `"}}`)})
	}
	for _, err := range s.Cloud.Messages().Publish(t.Context(), letters) {
		check.Must(t, err)
	}
}

// countDeadLetters counts, per id, the dead letters that name it.
func countDeadLetters(t *testing.T, s *system.System, named []string) map[string]int {
	t.Helper()
	found := check.Got(replay.Remove(t.Context(), eraseEnv(s, nil), named, false)).Must(t)
	counts := map[string]int{}
	for name, n := range found {
		counts[name] = int(n)
	}
	return counts
}

// A fakeWarehouse is a warehouse in memory. It has a table for each subject, filled from the outboxes.
type fakeWarehouse struct{ rows map[string][]map[string]any }

// fill stores the payloads of all events in the outboxes of our services, with their retention classes.
func (d *fakeWarehouse) fill(t *testing.T, s *system.System) {
	t.Helper()
	d.rows = map[string][]map[string]any{}
	rows, _ := s.DB.Owner(t).Query(t.Context(), `
		SELECT subject, payload, envelope ->> 'retentionClass' FROM bff_consumer.outbox
		UNION ALL SELECT subject, payload, envelope ->> 'retentionClass' FROM bff_tenant_booking.outbox
		UNION ALL SELECT subject, payload, envelope ->> 'retentionClass' FROM reservation.outbox`)
	var subject, class string
	var payload json.RawMessage
	_, err := pgx.ForEachRow(rows, []any{&subject, &payload, &class}, func() error {
		row := map[string]any{}
		if err := json.Unmarshal(payload, &row); err != nil {
			return err
		}
		row["retentionClass"] = class
		d.rows[subject] = append(d.rows[subject], row)
		return nil
	})
	check.Must(t, err)
}

// countIDs counts, per id, the values of erase.Columns that equal it, in rows that the law does not require to keep.
func (d *fakeWarehouse) countIDs(named []string) map[string]int {
	counts := map[string]int{}
	for _, rows := range d.rows {
		for _, row := range rows {
			for _, column := range erase.Columns {
				if name, ok := row[column].(string); ok && matches(row, erase.IDs{column: named}) {
					counts[name]++
				}
			}
		}
	}
	return counts
}

// matches reports whether a row contains one of the ids and is not that of a regulated event.
func matches(row map[string]any, ids erase.IDs) bool {
	for column, values := range ids {
		if name, ok := row[column].(string); ok && slices.Contains(values, name) && row["retentionClass"] != "regulated" {
			return true
		}
	}
	return false
}

func (d *fakeWarehouse) Name() string { return "project.telemetry" }

func (d *fakeWarehouse) Tables(context.Context) (tables []erase.Table, err error) {
	for name, rows := range d.rows {
		table := erase.Table{Name: name}
		for _, column := range erase.Columns {
			if slices.ContainsFunc(rows, func(row map[string]any) bool { return row[column] != nil }) {
				table.Columns = append(table.Columns, column)
			}
		}
		if table.Columns != nil {
			tables = append(tables, table)
		}
	}
	return tables, nil
}

func (d *fakeWarehouse) CountBy(_ context.Context, table, column string, values []string) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, row := range d.rows[table] {
		if name, ok := row[column].(string); ok && matches(row, erase.IDs{column: values}) {
			counts[name]++
		}
	}
	return counts, nil
}

func (d *fakeWarehouse) Count(_ context.Context, table string, ids erase.IDs) (n int64, err error) {
	for _, row := range d.rows[table] {
		if matches(row, ids) {
			n++
		}
	}
	return n, nil
}

func (d *fakeWarehouse) Delete(_ context.Context, table string, ids erase.IDs) error {
	d.rows[table] = slices.DeleteFunc(d.rows[table], func(row map[string]any) bool { return matches(row, ids) })
	return nil
}

// TestCanaries_erasedWhileBooking erases cancelled reservations of a guest while the guest books again in the same browser. Both must
// succeed.
func TestCanaries_erasedWhileBooking(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	a := newCanarySet()
	guest := &visitor{Visitor: s.Browser().At(demo.KabulGrand), t: t, canaries: a, scanner: newScanner(a), typed: map[string]bool{}}
	guest.must(http.StatusOK, "GET", tenantSite+"/bootstrap", "/bootstrap", nil)
	var cancelled []string
	for range 3 {
		guest.book(system.Usual(), "card")
		guest.pay()
		s.Settle()
		s.Must(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/api/v1/reservations/" + guest.ReservationID + "/cancel", Key: system.Key(),
			Header: map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}, Body: map[string]any{"reasonCode": "guest_cancelled"}})
		cancelled = append(cancelled, guest.ReservationID)
	}
	s.Settle()
	ended := make(chan error)
	e := eraseEnv(s, new(fakeWarehouse))
	go func() {
		for _, r := range cancelled {
			arguments := []string{"-tenant=" + demo.KabulGrand.Tenant.String(), "-reservation=" + r, "-go", "-by=K. Amiri", "-why=the guest asked for it"}
			if err := erase.Job.Run(t.Context(), e, arguments); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	guest.book(system.Usual(), "card")
	guest.pay()
	check.Must(t, <-ended)
	s.Settle()
	var names, receipts int
	row := s.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE reservation_id = (SELECT reservation_id FROM reservation.reservations WHERE state = 'confirmed')),
		(SELECT count(*) FROM reservation.erasures WHERE completed_at IS NOT NULL) FROM reservation.guests`)
	check.Must(t, row.Scan(&names, &receipts))
	check.Equal(t, names, 1)
	check.Equal(t, receipts, 3)
}
