package erase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/minthandoff"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordclick"
	"melmastoon.ghasi.io/functions/consumer/recordfunnel"
	"melmastoon.ghasi.io/functions/consumer/recordpageview"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// call runs the job and returns its exit code and its output.
func call(ctx context.Context, e env.Env, args ...string) (code int, output string) {
	var out, errs strings.Builder
	job := command.Job{Name: "erase", Run: func(ctx context.Context, e env.Env, args []string) error { return run(ctx, e, args, &out) }}
	code = command.Run(ctx, job, e, args, &errs)
	return code, out.String() + errs.String()
}

func must(t *testing.T, e env.Env, args ...string) string {
	t.Helper()
	code, output := call(t.Context(), e, args...)
	check.MustEqual(t, code, 0, "exit code: %s", output)
	return output
}

// jobEnv returns the environment of one run, which closes it.
func jobEnv(m *consumertest.System, warehouses ...Warehouse) env.Env {
	e := consumertest.Surround(env.Of(map[string]string{"DATABASE_URL": m.DB.URL()}))
	e.Advance(m.DB.Env().Offset())
	for _, w := range warehouses {
		e = WarehouseKey.With(e, w)
	}
	return withDeadLetters(e)
}

func openSystem(t *testing.T) *consumertest.System {
	t.Helper()
	m := consumertest.OpenSystem(t, 2, search.Function, readhotel.Function, addwish.Function, minthandoff.Function, recordclick.Function,
		recordpageview.Function, recordfunnel.Function, readsession.Function, clearsession.Function)
	publishDeadLettersOf(t, m)
	return m
}

// publishDeadLettersOf publishes dead letters of sessions.
func publishDeadLettersOf(t *testing.T, m *consumertest.System, sessions ...id.GuestSession) {
	t.Helper()
	e := jobEnv(m)
	defer func() { _ = e.Close(context.WithoutCancel(t.Context())) }() // the dead letters are committed
	publishDeadLetters(t, e, namesOf(sessions)...)
}

// use does everything that leaves data of a session.
func use(m *consumertest.System, v *consumertest.Traveller) {
	hotel := m.Hotels[0]
	checkIn, checkOut := m.Dates(7, 2)
	v.Must(200, "POST", "/search", m.SearchBody())
	v.Must(200, "GET", "/hotels/"+hotel.Property.String(), nil)
	v.Send("POST", "/wishlist", `{"propertyId":"`+hotel.Property.String()+`","source":"list"}`)
	v.Must(202, "POST", "/telemetry/click", `{"kind":"map-pin","tenantId":"`+hotel.Tenant.String()+`","propertyId":"`+hotel.Property.String()+`"}`)
	v.Must(202, "POST", "/telemetry/page-view", `{"path":"/"}`)
	v.Must(202, "POST", "/telemetry/funnel", `{"step":"map.opened"}`)
	v.Must(201, "POST", "/handoff/"+hotel.Tenant.String()+"/"+hotel.Property.String(),
		`{"dates":{"checkIn":"`+checkIn+`","checkOut":"`+checkOut+`"},"occupancy":{"adults":2,"children":0,"rooms":1}}`)
}

// clearedLine uses a session, rotates it, uses its successor and clears it. It returns both sessions.
func clearedLine(m *consumertest.System) (line []id.GuestSession) {
	v := m.Traveller()
	use(m, v)
	line = append(line, v.Session)
	v.Headers = append(v.Headers, "User-Agent", "Mozilla/5.0 Mobile")
	use(m, v)
	line = append(line, v.Session)
	v.Must(204, "POST", "/session/clear", nil)
	return line
}

// A receipt is a row of erasure_receipts.
type receipt struct {
	Deleted  map[string]int64
	Retained []struct {
		Place string    `json:"place"`
		Rows  int       `json:"rows"`
		Until time.Time `json:"until"`
	}
	Warehouse string
}

func receipts(t *testing.T, m *consumertest.System) map[id.GuestSession]receipt {
	t.Helper()
	rows, _ := m.DB.Owner(t).Query(t.Context(), `SELECT guest_session_id, deleted, retained, warehouse FROM bff_consumer.erasure_receipts`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Session id.GuestSession
		receipt
	}])
	check.Must(t, err)
	found := map[id.GuestSession]receipt{}
	for _, r := range all {
		found[r.Session] = r.receipt
	}
	return found
}

func openRequests(t *testing.T, m *consumertest.System) (n int) {
	t.Helper()
	check.Must(t, m.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_consumer.erasure_requests`).Scan(&n))
	return n
}

// places returns the tables and subjects in which a session is named.
func places(t *testing.T, m *consumertest.System, session id.GuestSession) (found []string) {
	t.Helper()
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", session[:4], session[4:6], session[6:8], session[8:10], session[10:])
	for table, text := range consumertest.Texts(t, m.DB) {
		for line := range strings.Lines(text) {
			if !strings.Contains(line, session.String()) && !strings.Contains(line, uuid) {
				continue
			}
			if table == "bff_consumer.outbox" {
				for _, subject := range []string{"handoff.initiated", "bot_suspected"} {
					if strings.Contains(line, "melmastoon.bff.consumer."+subject+".v1") {
						table = "events " + subject
					}
				}
			}
			found = append(found, table)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestErase_leavesNoTrace(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	stays := m.Traveller()
	use(m, stays)
	line := clearedLine(m)
	publishDeadLettersOf(t, m, stays.Session, line[0])
	before := places(t, m, stays.Session)
	m.DB.Advance(2 * time.Hour)
	check.Equal(t, must(t, jobEnv(m)), "guest sessions: 2 of 2 requests completed\n")
	for _, session := range line {
		want := []string{"bff_consumer.erasure_receipts", "bff_consumer.handoff_ledger", "events handoff.initiated"}
		check.Equal(t, places(t, m, session), want, "%v is in", session)
		r := receipts(t, m)[session]
		check.Equal(t, r.Warehouse, "not configured")
		if n := r.Deleted["bff_consumer.outbox"]; n < 2 {
			t.Errorf("deleted events = %d, want at least session.started and session.ended", n)
		}
		var kept []string
		for _, e := range r.Retained {
			kept = append(kept, fmt.Sprintf("%d in %s", e.Rows, e.Place))
		}
		if want := []string{"1 in bff_consumer.handoff_ledger", "1 in events handoff.initiated"}; !slices.Equal(kept, want) {
			t.Fatalf("evidence = %q, want %q", kept, want)
		}
		if left := r.Retained[0].Until.Sub(m.Env.Now()); left < 360*24*time.Hour || left > 366*24*time.Hour {
			t.Errorf("evidence is kept for another %v, want a year", left)
		}
	}
	if n := receipts(t, m)[line[0]].Deleted[placeDeadLetters]; n != 1 || countDeadLetters(t, m.DB.Owner(t)) != 1 {
		t.Errorf("%d dead letters are deleted, want 1, and that of the other guest to remain", n)
	}
	check.Equal(t, places(t, m, stays.Session), before, "places of another guest's session")
}

// TestErase_leftovers finds what Clear could not delete: documents, and rows that came back.
func TestErase_leftovers(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	v := m.Traveller()
	use(m, v)
	stored := v.StoredSession()
	v.Must(204, "POST", "/session/clear", nil)
	docs := document.Open[any](m.Env, "gms-session")
	check.Got(docs.Put(t.Context(), document.KeyOf(stored.ID.String()), stored, 1, m.Env.Now().Add(24*time.Hour))).Must(t)
	m.DB.Advance(2 * time.Hour)
	must(t, jobEnv(m))
	if got := places(t, m, stored.ID); slices.Contains(got, "document.documents") {
		t.Error("the document remains")
	}
	check.Equal(t, receipts(t, m)[stored.ID].Deleted[consumer.DocumentsPlace], 1, "deleted documents")
}

func TestErase_tooEarly(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	clearedLine(m)
	m.DB.Advance(time.Hour)
	if output := must(t, jobEnv(m)); output != "guest sessions: 0 of 0 requests completed\n" || openRequests(t, m) != 2 {
		t.Errorf("after an hour: %q", output)
	}
}

func TestErase_twice(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	clearedLine(m)
	m.DB.Advance(2 * time.Hour)
	must(t, jobEnv(m))
	before := consumertest.Texts(t, m.DB)
	check.Equal(t, must(t, jobEnv(m)), "guest sessions: 0 of 0 requests completed\n")
	check.Equal(t, cmp.Diff(before, consumertest.Texts(t, m.DB)), "", "the second run changed the database")
}

func TestErase_dryRun(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	line := clearedLine(m)
	m.DB.Advance(2 * time.Hour)
	w := &warehouse{rows: map[string][]warehouseRow{"click_recorded": sessions(map[string]int64{line[0].String(): 3, line[1].String(): 4})}}
	before := consumertest.Texts(t, m.DB)
	output := must(t, jobEnv(m, w), "-dry-run", "-batch", "1")
	check.Contains(t, output, "would complete 2 requests", "bff_consumer.outbox: would delete ", "project.telemetry.click_recorded: would delete 7")
	check.Lacks(t, output, "gms_")
	if diff := cmp.Diff(before, consumertest.Texts(t, m.DB)); diff != "" || w.deletions != 0 {
		t.Errorf("%d deletions in the warehouse, and in the database: %s", w.deletions, diff)
	}
}

// A warehouse is a fake dataset. A row has values by column and stands for a number of equal rows.
type warehouse struct {
	rows      map[string][]warehouseRow // by table
	fails     string                    // the method that fails
	deletions int
}

type warehouseRow struct {
	values map[string]string
	number int64
}

// sessions returns a row for each guest session.
func sessions(numbers map[string]int64) (rows []warehouseRow) {
	for session, n := range numbers {
		rows = append(rows, warehouseRow{map[string]string{"guestSessionId": session}, n})
	}
	return rows
}

func (r warehouseRow) matches(ids IDs) bool {
	for column, values := range ids {
		if slices.Contains(values, r.values[column]) {
			return true
		}
	}
	return false
}

func (w *warehouse) Name() string { return "project.telemetry" }

func (w *warehouse) failure(ctx context.Context, method string) error {
	if w.fails == method {
		return errors.New("the warehouse is away")
	}
	return ctx.Err()
}

func (w *warehouse) Tables(ctx context.Context) (tables []Table, err error) {
	for _, name := range slices.Sorted(maps.Keys(w.rows)) {
		columns := map[string]bool{}
		for _, row := range w.rows[name] {
			for column := range row.values {
				columns[column] = true
			}
		}
		if len(columns) == 0 {
			columns["guestSessionId"] = true
		}
		tables = append(tables, Table{Name: name, Columns: slices.Sorted(maps.Keys(columns))})
	}
	return tables, w.failure(ctx, "Tables")
}

func (w *warehouse) CountBy(ctx context.Context, table, column string, values []string) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, row := range w.rows[table] {
		if row.matches(IDs{column: values}) {
			counts[row.values[column]] += row.number
		}
	}
	return counts, w.failure(ctx, "Count")
}

func (w *warehouse) Count(ctx context.Context, table string, ids IDs) (n int64, err error) {
	for _, row := range w.rows[table] {
		if row.matches(ids) {
			n += row.number
		}
	}
	return n, w.failure(ctx, "Count")
}

func (w *warehouse) Delete(ctx context.Context, table string, ids IDs) error {
	if err := w.failure(ctx, "Delete"); err != nil {
		return err
	}
	w.deletions++
	w.rows[table] = slices.DeleteFunc(w.rows[table], func(r warehouseRow) bool { return r.matches(ids) })
	return nil
}

// TestErase_warehouseAway lets each call to the warehouse fail once: the requests stay open, and the next run completes them.
func TestErase_warehouseAway(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	for _, method := range []string{"Tables", "Count", "Delete"} {
		t.Run(method, func(t *testing.T) {
			line := clearedLine(m)
			m.DB.Advance(2 * time.Hour)
			other := id.New[id.GuestSession]().String()
			w := &warehouse{fails: method, rows: map[string][]warehouseRow{"session_started": sessions(map[string]int64{line[0].String(): 1, other: 1}), "wishlist_added": nil}}
			code, output := call(t.Context(), jobEnv(m, w))
			check.Equal(t, code, 1)
			check.Contains(t, output, "the warehouse is away")
			check.Equal(t, openRequests(t, m), 2, "open requests")
			w.fails = ""
			must(t, jobEnv(m, w))
			r := receipts(t, m)[line[0]]
			check.Equal(t, r.Warehouse, "project.telemetry")
			check.Equal(t, r.Deleted["project.telemetry.session_started"], 1)
			if n := r.Deleted["bff_consumer.outbox"]; n < 2 {
				t.Errorf("deleted events = %d, want those of the first run", n)
			}
			if left := w.rows["session_started"]; len(left) != 1 || left[0].values["guestSessionId"] != other {
				t.Errorf("rows = %v, want those of the other session", w.rows["session_started"])
			}
		})
	}
}

// TestErase_warehouseWithoutSessions has a dataset without a table for guest sessions: no page of requests gets a receipt.
func TestErase_warehouseWithoutSessions(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	clearedLine(m)
	m.DB.Advance(2 * time.Hour)
	w := &warehouse{rows: map[string][]warehouseRow{"booking": {{map[string]string{"reservationId": "other"}, 1}}}}
	code, output := call(t.Context(), jobEnv(m, w), "-batch=1")
	check.Equal(t, code, 1)
	check.Contains(t, output, "no table with a column guestSessionId")
	check.Equal(t, openRequests(t, m), 2, "open requests")
}

// A killer stops the run after a number of steps.
type killer struct {
	requests
	left int
	kill context.CancelFunc
}

func (k *killer) step(err error) error {
	if k.left--; k.left == 0 {
		k.kill()
	}
	return err
}

func (k *killer) DeleteDocuments(ctx context.Context, r consumer.Erasure) error {
	return k.step(k.requests.DeleteDocuments(ctx, r))
}

func (k *killer) DeleteRows(ctx context.Context, r []consumer.Erasure) error {
	return k.step(k.requests.DeleteRows(ctx, r))
}

func (k *killer) Record(ctx context.Context, place string, counts map[id.GuestSession]int64) error {
	return k.step(k.requests.Record(ctx, place, counts))
}

func (k *killer) Complete(ctx context.Context, done []consumer.Erasure, warehouse string) (int, error) {
	n, err := k.requests.Complete(ctx, done, warehouse)
	return n, k.step(err)
}

// TestErase_killed stops runs after each of their steps. The next run completes the requests with the same receipts.
func TestErase_killed(t *testing.T) {
	t.Parallel()
	m := openSystem(t)
	m.EverySearch()
	var want []receipt
	for steps := 0; ; steps++ {
		line := clearedLine(m)
		m.DB.Advance(2 * time.Hour)
		w := &warehouse{rows: map[string][]warehouseRow{"click_recorded": sessions(map[string]int64{line[0].String(): 3, line[1].String(): 4})}}
		ctx, cancel := context.WithCancel(t.Context())
		k := &killer{requests: consumer.OpenErasures(m.Env), left: steps, kill: cancel}
		s := &sessionEraser{options: options{most: 2, out: io.Discard}, requests: k, deadLetters: deadLetters{jobEnv(m)}, warehouse: w, totals: map[string]int64{}}
		err := s.run(ctx)
		killed := ctx.Err() != nil
		cancel()
		if killed == (err == nil) && steps != 5 { // after the last step nothing is left to fail
			t.Errorf("killed after %d steps: %v", steps, err)
		}
		must(t, jobEnv(m, w))
		all := receipts(t, m)
		got := []receipt{all[line[0]], all[line[1]]}
		for i := range got {
			got[i].Retained = nil // ends at another time
		}
		if steps == 0 {
			want = got
		}
		check.Equal(t, cmp.Diff(want, got), "", "killed after %d steps", steps)
		check.Equal(t, openRequests(t, m), 0, "killed after %d steps: open requests", steps)
		if steps > 0 && !killed {
			return
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-batch", "0"}, {"now"}, {"-what"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			if code, output := call(t.Context(), env.Of(nil), args...); code != 2 {
				t.Errorf("%q: exit code %d, output %q", args, code, output)
			}
		})
	}
	if code, output := call(t.Context(), env.Of(nil), "-help"); code != 0 || !strings.Contains(output, "-dry-run") {
		t.Errorf("-help: exit code %d, output %q", code, output)
	}
}
