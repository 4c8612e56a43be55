// Package garbage sends malformed bodies, headers, queries, paths and events to every function. Each must answer in time with a
// problem that reveals nothing.
package garbage

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// workers work at the same time.
const workers = 4

// A result is what was found at one route.
type result struct {
	target *target
	tally
	wrong []string
	plain answer // to the request before it was spoiled
}

// runAll sends malformed requests to all targets and returns the results in their order.
func (f *fuzzer) runAll(ctx context.Context, targets []*target, seed seedrand.Seed, rounds int) ([]*result, error) {
	results := make([]*result, len(targets))
	var group errgroup.Group
	group.SetLimit(workers)
	for i, t := range targets {
		results[i] = &result{target: t, tally: tally{codes: map[int]int{}}}
		group.Go(func() error {
			defer f.ended()
			return f.runTarget(ctx, results[i], seed, rounds)
		})
	}
	if err := group.Wait(); err != nil {
		return results, err
	}
	return results, f.settle(ctx, results)
}

// maxWrong is how much of one route is told before the rest is left out.
const maxWrong = 5

func (f *fuzzer) runTarget(ctx context.Context, r *result, seed seedrand.Seed, rounds int) error {
	route := r.target.function.Spec.Route
	cookie, err := f.cookie(r.target)
	if err != nil {
		return err
	}
	s := f.newAttempt(r.target, seed.Of(route, -1), cookie)
	if r.plain, err = send(ctx, f.address, s.request); err != nil {
		return fmt.Errorf("%s: %w", route, err)
	}
	if r.plain.status >= 500 {
		r.wrong = append(r.wrong, fmt.Sprintf("%s as it should be asked: answered %d %s\n%s", r.target.function.Spec.Name, r.plain.status, r.plain.body, s.request))
	}
	for round := range rounds {
		if round%100 == 99 { // a session has its limits
			if cookie, err = f.cookie(r.target); err != nil {
				return err
			}
		}
		wrong := f.runRound(ctx, r.target, cookie, seed.Of(route, round), &r.tally)
		for _, w := range wrong {
			r.wrong = append(r.wrong, fmt.Sprintf("round %d: %s", round, w))
		}
	}
	return nil
}

// known reports whether the request before it was spoiled had the right form, so that garbage gets as far as it can.
func (r *result) known() bool {
	return r.plain.status != http.StatusBadRequest && r.plain.status != http.StatusUnsupportedMediaType && !strings.Contains(string(r.plain.body), "GENERAL.UNAUTHENTICATED")
}

func TestGarbage_routes(t *testing.T) {
	t.Parallel()
	seed, n := seedrand.New(t), rounds(t)
	s := system.Open(t)
	f := newFuzzer(strings.TrimPrefix(s.Cloud.URL(), "http://"), melmastoon.Functions)
	f.tenant = demo.KabulGrand.Tenant.String()
	var err error
	if f.token, err = s.Cloud.Token(); err != nil {
		t.Fatal(err)
	}
	f.cookie = sessions(s)
	targets := newTargets(newExamples(t), f, melmastoon.Functions)
	s.Quiet()
	panics := watch(t, s)
	f.ended = panics // a log holds the lines of a few routes
	before, threads := count(t, s), runtime.NumGoroutine()
	began := time.Now()
	results := check.Got(f.runAll(t.Context(), targets, seed, n)).Must(t)
	took := time.Since(began)
	report(t, results, took)
	s.Quiet()
	panics()
	grown(t, before, count(t, s), len(targets)*n)
	if left := runtime.NumGoroutine(); left > threads+100 {
		t.Errorf("%d goroutines are left, %d before", left, threads)
	}
	idle(t, s)
}

// newTargets makes a target of every route.
func newTargets(x *examples, f *fuzzer, functions []fn.Function) (targets []*target) {
	for _, one := range functions {
		if one.Spec.Route == "" {
			continue
		}
		target := newTarget(x, one, demo.KabulGrand.Slug)
		_, path, _ := strings.Cut(one.Spec.Route, " ")
		target.methods = f.methods[shape(path)]
		targets = append(targets, target)
	}
	return targets
}

// begins are what begins a session, by what the routes of a service begin with.
var begins = map[string]string{
	"/bff/tenant-booking/": "/bff/tenant-booking/v1/" + demo.KabulGrand.Slug + "/bootstrap",
	"/bff/consumer/":       "/bff/consumer/v1/session",
}

// sessions begins one where browsers need it.
func sessions(s *system.System) func(*target) (string, error) {
	return func(t *target) (string, error) {
		_, path, _ := strings.Cut(t.function.Spec.Route, " ")
		for base, begin := range begins {
			if !strings.HasPrefix(path, base) {
				continue
			}
			a, err := s.Do(context.Background(), system.Request{Method: http.MethodGet, Path: begin})
			if err != nil {
				return "", err
			}
			cookie, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
			if err != nil {
				return "", fmt.Errorf("%s begins no session: %d %s", begin, a.Status, a.Body)
			}
			return cookie.Name + "=" + cookie.Value, nil
		}
		return "", nil
	}
}

// maxUnderstood is which part of all garbage may have meant something. All of it is of the doubtful kind.
const maxUnderstood = 0.15

// report says what was found, and fails the test for what is wrong.
func report(t *testing.T, results []*result, took time.Duration) {
	t.Helper()
	var thrown, understood, wire, unknown int
	codes := map[int]int{}
	for _, r := range results {
		thrown, understood, wire = thrown+r.thrown, understood+r.understood, wire+r.wire
		for code, n := range r.codes {
			codes[code] += n
		}
		if !r.known() {
			unknown++
			t.Logf("%s is not understood as it should be asked: %d %s", r.target.function.Spec.Route, r.plain.status, r.plain.body)
		}
		for _, w := range r.wrong[:min(len(r.wrong), maxWrong)] {
			t.Error(w)
		}
		if more := len(r.wrong) - maxWrong; more > 0 {
			t.Errorf("%s: %d more", r.target.function.Spec.Name, more)
		}
	}
	t.Logf("%d requests to %d routes in %s: %d understood, %d were no HTTP, statuses %v", thrown, len(results), took.Round(time.Millisecond), understood, wire, codes)
	if share := float64(understood) / float64(thrown); share > maxUnderstood {
		t.Errorf("%.0f %% of the garbage was understood, more than %.0f %%", 100*share, 100*maxUnderstood)
	}
	if unknown > len(results)/5 {
		t.Errorf("%d of %d routes do not understand the examples: what is thrown does not get far", unknown, len(results))
	}
}

// watch returns a function that looks through the log since its last call: no function has panicked, and none has failed inwardly.
func watch(t *testing.T, s *system.System) func() {
	t.Helper()
	s.Log.Take()
	return func() {
		t.Helper()
		lines, lost := s.Log.Take()
		if lost > 0 {
			t.Errorf("%d lines of the log are lost", lost)
		}
		for _, line := range lines {
			if text := string(line); strings.Contains(text, `"stack_trace"`) || strings.Contains(text, `"code":"GENERAL.INTERNAL"`) {
				t.Errorf("in the log: %.3000s", text)
			}
		}
	}
}

// growing are the tables in which garbage may leave something, with the reason.
var growing = map[string]string{
	"document.documents":             "sessions and caches are hot documents",
	"reservation.idempotency":        "a refusal is kept under its key",
	"bff_tenant_booking.idempotency": "a refusal is kept under its key",
	"bff_tenant_booking.outbox":      "a visit that begins is told",
	"bff_consumer.idempotency":       "a refusal is kept under its key",
	"bff_consumer.outbox":            "sessions, clicks, page views and steps are published, also those of an unknown hotel",
	"bff_consumer.guest_sessions":    "whoever comes without a session gets one",
	"bff_consumer.bot_scores":        "who sends garbage may be taken for a machine",
	"reservation.outbox":             "a price that is asked for is published, whether there is one or not",
	"sandbox.outbox":                 "a session that does not exist may be revoked",
	"sandbox.staff_keys":             "keys may be rotated without a body",
	"sandbox.key_credentials":        "a key that does not exist may be revoked in advance",
}

func count(t *testing.T, s *system.System) map[string]int {
	t.Helper()
	conn, counts := s.DB.Owner(t), map[string]int{}
	rows, _ := conn.Query(t.Context(), `
		SELECT schemaname || '.' || tablename FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'platform', 'public', 'bus') ORDER BY 1`)
	tables := check.Got(pgx.CollectRows(rows, pgx.RowTo[string])).Must(t)
	for _, table := range tables {
		var n int
		check.Must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		counts[table] = n
	}
	return counts
}

func grown(t *testing.T, before, after map[string]int, thrown int) {
	t.Helper()
	for table, n := range after {
		more := n - before[table]
		if _, may := growing[table]; more != 0 && !may {
			t.Errorf("%s has %d rows more: garbage has left something", table, more)
		}
		if more > thrown {
			t.Errorf("%s has %d rows more, after %d requests", table, more, thrown)
		}
	}
	for table := range growing {
		if _, there := after[table]; !there {
			t.Errorf("growing names %s, which does not exist", table)
		}
	}
}

// idle fails the test if a transaction is still open.
func idle(t *testing.T, s *system.System) {
	t.Helper()
	var open []string
	err := s.DB.Owner(t).QueryRow(t.Context(), `
		SELECT coalesce(array_agg(left(query, 100)), '{}') FROM pg_stat_activity
		WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '3 s'`).Scan(&open)
	check.Must(t, err)
	if len(slices.Compact(open)) > 0 {
		t.Errorf("transactions are left open: %q", open)
	}
}
