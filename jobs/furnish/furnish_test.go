package furnish

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, url string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, env.Of(map[string]string{"DATABASE_URL": url, "DATABASE_CONNECT_TIMEOUT": "1ms"}), args, &errs)
	return code, out.String(), errs.String()
}

func TestRun_roomsOnSale(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owner := d.Owner(t)
	for _, when := range []string{"at first", "and another time"} {
		t.Run(when, func(t *testing.T) {
			if code, stdout, stderr := call(t, d.URL(), "-hotels", "3"); code != 0 || stdout != "3 hotels have rooms on sale\n" {
				t.Fatalf("exit %d, %q, %s", code, stdout, stderr)
			}
			var hotels, sold int
			if err := owner.QueryRow(t.Context(), `
			SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM sandbox.room_types AS r JOIN sandbox.inventory_nights AS n USING (room_type_id)
				WHERE r.property_id = l.property_id AND n.night > platform.now()::date + 300))
			FROM sandbox.listings AS l`).Scan(&hotels, &sold); err != nil {
				t.Fatal(err)
			}
			check.Equal(t, hotels, 3)
			check.Equal(t, sold, 3)
		})
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	const noDatabase = "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable"
	for _, test := range []struct {
		name string
		args []string
		want int
		says string
	}{
		{"help is no failure", []string{"-help"}, 0, ""},
		{"no hotel at all", []string{"-hotels", "0"}, 2, "at least 1"},
		{"one by its name", []string{"kabul-grand-hotel"}, 2, "kabul-grand-hotel"},
		{"a database that is away", nil, 1, "connect"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := call(t, noDatabase, test.args...); code != test.want || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d, %q; want %d and %q", code, stderr, test.want, test.says)
			}
		})
	}
}
