package skeleton

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// parts are the files and folders that a skeleton reads and changes.
var parts = []string{"catalogue.go", "schemas/http", "schemas/events", "functions/reservation/settingschanged"}

// tree copies the parts into a folder of the test, and returns the folder.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, part := range parts {
		from := filepath.Join("..", "..", "..", part)
		err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			inside, err := filepath.Rel(filepath.Join("..", "..", ".."), path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			to := filepath.Join(root, inside)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, text, 0o644)
		})
		check.Must(t, err)
	}
	return root
}

// contents returns the text of each file below root.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	check.Must(t, err)
	return all
}

func wish(t *testing.T, name, subject, every string) Wish {
	t.Helper()
	return check.Got(Parse(name, subject, every)).Must(t)
}

// A refusal says why, and leaves every file as it was.
func TestMake_refusals(t *testing.T) {
	t.Parallel()
	root := tree(t)
	check.Got(Make(root, wish(t, "reservation/expect", "", ""))).Must(t)
	check.Must(t, os.WriteFile(filepath.Join(root, "functions", "reservation", "expect", "expect.go"), []byte("my work"), 0o644))
	for _, test := range []struct{ name, function, subject, every, says string }{
		{"twice", "reservation/expect", "", "", "functions/reservation/expect exists already; nothing was written"},
		{"twice as another kind", "reservation/expect", "", "5m", "functions/reservation/expect exists already; nothing was written"},
		{"event without a schema", "reservation/roomcleaned", "melmastoon.property.room.cleaned.v1", "", "melmastoon.property.room.cleaned.v1.json does not exist"},
		{"event with a consumer", "reservation/rateschanged", "melmastoon.tenant.settings.changed.v1", "", "functions/reservation/settingschanged consumes"},
		{"in the catalogue without a folder", "reservation/walkin", "", "", "catalogue.go: has functions/reservation/walkin already"},
		{"outside of the tree", "consumer/expect", "", "", "run it in the root of the tree"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := contents(t, root)
			written, err := Make(root, wish(t, test.function, test.subject, test.every))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error = %v, want %q in it", err, test.says)
			}
			after := contents(t, root)
			if len(after) != len(before) || len(written) > 0 {
				t.Errorf("there are %d files, want %d; %v were written", len(after), len(before), written)
			}
			for path, text := range before {
				check.Equal(t, after[path], text, "%s was changed", path)
			}
		})
	}
}

// Of two runs at once, one makes the function and the other is refused.
func TestMake_concurrently(t *testing.T) {
	t.Parallel()
	root, w := tree(t), wish(t, "reservation/expect", "", "")
	results := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := Make(root, w)
			results <- err
		}()
	}
	first, second := <-results, <-results
	if (first == nil) == (second == nil) {
		t.Errorf("two runs returned %v and %v, want one error", first, second)
	}
	listed := check.Got(os.ReadFile(filepath.Join(root, "catalogue.go"))).Must(t)
	if got := strings.Count(string(listed), "functions/reservation/expect\""); got != 1 {
		t.Errorf("catalogue.go imports the function %d times, want 1", got)
	}
}

// A function is listed between its neighbours. One with the name of another service's function is imported by another name.
func TestMake_sameName(t *testing.T) {
	t.Parallel()
	text, err := addToCatalogue("package melmastoon\n\nimport (\n\t\"melmastoon.ghasi.io/functions/consumer/expect\"\n\t\"melmastoon.ghasi.io/functions/reservation/cancel\"\n\t\"melmastoon.ghasi.io/functions/reservation/hold\"\n)\n\n"+
		"var Functions = []fn.Function{\n\texpect.Function,\n\n\tcancel.Function,\n\thold.Function,\n}\n", Wish{Service: "reservation", Name: "expect"})
	check.Must(t, err)
	for name, want := range map[string]string{"import": "\treservationexpect \"melmastoon.ghasi.io/functions/reservation/expect\"\n", "line": "\tcancel.Function,\n\treservationexpect.Function,\n\thold.Function,\n"} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("catalogue.go has no %q:\n%s", want, text)
			}
		})
	}
}

func TestParse_names(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, function, subject, every, says string }{
		{"without a service", "expect", "", "", "SERVICE/NAME"},
		{"unknown service", "payment/expect", "", "", `no service "payment"`},
		{"demonstration", "sandbox/expect", "", "", "consumer, reservation, tenantbooking"},
		{"empty", "reservation/", "", "", "lower-case letters"},
		{"upper case", "reservation/Expect", "", "", "lower-case letters"},
		{"dash", "reservation/expect-guest", "", "", "lower-case letters"},
		{"path", "reservation/../../etc", "", "", "lower-case letters"},
		{"digit first", "reservation/2nd", "", "", "lower-case letters"},
		{"keyword", "reservation/select", "", "", "word of Go"},
		{"predeclared", "reservation/string", "", "", "word of Go"},
		{"vague", "reservation/util", "", "", "says nothing"},
		{"test package", "reservation/expecttest", "", "", "says nothing"},
		{"imported package", "reservation/inbox", "", "", "imports"},
		{"two kinds", "reservation/expect", "melmastoon.tenant.suspended.v1", "5m", "only one"},
		{"bad subject", "reservation/suspended", "tenant.suspended", "", "not a subject"},
		{"path as subject", "reservation/suspended", "melmastoon.../../x.v1", "", "not a subject"},
		{"bad interval", "reservation/tidy", "", "often", "neither an interval"},
		{"seconds", "reservation/tidy", "", "30s", "cannot run every 30s"},
		{"not a divisor", "reservation/tidy", "", "7m", "cannot run every 7m"},
		{"two days", "reservation/tidy", "", "48h", "cannot run every 48h"},
		{"negative", "reservation/tidy", "", "-5m", "cannot run every -5m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse(test.function, test.subject, test.every); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error = %v, want %q in it", err, test.says)
			}
		})
	}
}

func TestParse_schedules(t *testing.T) {
	t.Parallel()
	for every, want := range map[string]string{
		"1m": "* * * * *", "5m": "*/5 * * * *", "60m": "0 * * * *", "6h": "0 */6 * * *", "24h": "0 0 * * *",
		"*/15 * * * *": "*/15 * * * *", "30 2 * * MON": "30 2 * * MON",
	} {
		t.Run(every, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, wish(t, "reservation/tidy", "", every).Schedule, want, "schedule")
		})
	}
}
