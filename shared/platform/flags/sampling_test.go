package flags_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const (
	converted = "melmastoon.bff.tenant.booking.draft.converted.v1"
	stepped   = "melmastoon.bff.tenant.flow.step_completed.v1"
	searched  = "melmastoon.bff.consumer.search.executed.v1"
	served    = "melmastoon.bff.tenant.bootstrap.served.v1"
)

func rules() flags.Table {
	return flags.Table{
		converted: {Always: true, OneIn: 5}, // the contradiction shows which of them counts
		stepped:   {OneIn: 4},
		searched:  {OneIn: 10},
		served:    {},
	}
}

// events are derived, so that every run counts the same ones.
func events(n int) []id.Event {
	made := make([]id.Event, n)
	var from id.Request
	for i := range made {
		from = id.Derive[id.Request](from, "next")
		made[i] = id.Event(from)
	}
	return made
}

func rates(t *testing.T, document string) flags.Rates {
	t.Helper()
	return check.Got(rules().Parse([]byte(document))).Must(t)
}

func TestRates(t *testing.T) {
	t.Parallel()
	one := events(1)[0]
	for _, test := range []struct {
		name  string
		rates flags.Rates
		want  map[string]int
	}{
		{"defaults", rules().Rates(), map[string]int{converted: 1, stepped: 4, searched: 10, served: 1, "stranger.v1": 1}},
		{"empty document", rates(t, `{}`), map[string]int{converted: 1, stepped: 4, searched: 10, served: 1}},
		{"document with two subjects", rates(t, `{"`+stepped+`": 1, "`+served+`": 20}`), map[string]int{converted: 1, stepped: 1, searched: 10, served: 20}},
		{"rate 1 for an event that is always kept", rates(t, `{"`+converted+`": 1}`), map[string]int{converted: 1, stepped: 4}},
		{"subject of another version", rates(t, `{"stranger.v1": 50}`), map[string]int{"stranger.v1": 1, stepped: 4}},
		{"zero value", flags.Rates{}, map[string]int{converted: 1, stepped: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for subject, want := range test.want {
				if _, got := test.rates.Keep(subject, one); got != want {
					t.Errorf("%s: one in %d, want one in %d", subject, got, want)
				}
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, document string
		want           error
		names          string // the text in the error
	}{
		{"empty", ``, flags.ErrForm, ""},
		{"incomplete document", `{"` + stepped + `": 1`, flags.ErrForm, ""},
		{"two documents", `{} {}`, flags.ErrForm, ""},
		{"null", `null`, flags.ErrForm, ""},
		{"a list", `[4]`, flags.ErrForm, ""},
		{"a subject twice", `{"` + stepped + `": 1, "` + stepped + `": 4}`, flags.ErrForm, ""},
		{"a fraction", `{"` + stepped + `": 0.25}`, flags.ErrRate, stepped},
		{"a text", `{"` + stepped + `": "4"}`, flags.ErrRate, stepped},
		{"zero", `{"` + stepped + `": 0}`, flags.ErrRate, stepped},
		{"negative", `{"` + stepped + `": -4}`, flags.ErrRate, stepped},
		{"above the maximum", `{"` + stepped + `": 1000001}`, flags.ErrRate, stepped},
		{"a number too large to read", `{"` + stepped + `": 99999999999999999999}`, flags.ErrRate, stepped},
		{"wrong rate of an unknown subject", `{"stranger.v1": 0}`, flags.ErrRate, "stranger.v1"},
		{"rate 2 for an event that is always kept", `{"` + stepped + `": 1, "` + converted + `": 2}`, flags.ErrAlways, converted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := rules().Parse([]byte(test.document))
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.names) {
				t.Errorf("got %+v, %v, want %v about %q", got, err, test.want, test.names)
			}
		})
	}
}

func TestSampling_share(t *testing.T) {
	t.Parallel()
	const all = 100_000
	sample := events(all)
	for _, n := range []int{1, 2, 3, 4, 10, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := check.Got((flags.Table{stepped: {OneIn: n}}).Parse([]byte(`{}`))).Must(t)
			kept := 0
			for _, e := range sample {
				if keep, _ := r.Keep(stepped, e); keep {
					kept++
				}
			}
			want := float64(all) / float64(n)
			// Five standard deviations of a fair coin with n sides: the sample is fixed, so a failure is no accident.
			if away := math.Abs(float64(kept) - want); away > 5*math.Sqrt(want*(1-1/float64(n))) {
				t.Errorf("one in %d: kept %d of %d, want about %.0f", n, kept, all, want)
			}
		})
	}
}

func TestSampling_nested(t *testing.T) {
	t.Parallel()
	ladder := []int{1, 2, 3, 4, 7, 10, 100, 1_000_000}
	for _, e := range events(5_000) {
		kept := true
		for _, n := range ladder {
			keep, _ := (flags.Table{stepped: {OneIn: n}}).Rates().Keep(stepped, e)
			if keep && !kept {
				t.Fatalf("%s is kept at one in %d and not at a higher rate", e, n)
			}
			kept = keep
		}
	}
}

// TestSampling_stable holds the choice for known ids, computed elsewhere: every instance and every release keeps the same events.
func TestSampling_stable(t *testing.T) {
	t.Parallel()
	r := (flags.Table{stepped: {OneIn: 4}}).Rates()
	for text, want := range map[string]bool{
		"evt_01H8YN7QV4D8KZ4F8Y5CK4MV3D": true,
		"evt_01H8YN7QV4D8KZ4F8Y5CK4MV3E": false,
		"evt_01H8YN7QV4D8KZ4F8Y5CK4MV3F": true,
		"evt_01H8YN7QV4D8KZ4F8Y5CK4MV3G": true,
		"evt_01H8YN7QV4D8KZ4F8Y5CK4MV3H": false,
		"evt_01H8YN7QV4D8KZ4F8Y5CK4MV3J": true,
		"evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ": false,
	} {
		t.Run(text, func(t *testing.T) {
			e := check.Got(id.Parse[id.Event](text)).Must(t)
			if got, _ := r.Keep(stepped, e); got != want {
				t.Errorf("%s: got %v, want %v", text, got, want)
			}
		})
	}
}

func TestSampling_tableUnchanged(t *testing.T) {
	t.Parallel()
	declared := rules()
	check.Got(declared.Parse([]byte(`{"` + stepped + `": 9, "stranger.v1": 3}`))).Must(t)
	if _, known := declared["stranger.v1"]; known || declared[stepped].OneIn != 4 {
		t.Errorf("the table is now %v", declared)
	}
}

func FuzzParse(f *testing.F) {
	for _, document := range []string{`{}`, `{"` + stepped + `": 4}`, `{"` + converted + `": 2}`, `{"a": 1e3}`, "\xff", `{"a":{"b":1}}`} {
		f.Add([]byte(document))
	}
	e := events(1)[0]
	f.Fuzz(func(t *testing.T, document []byte) {
		r, err := rules().Parse(document)
		if keep, n := r.Keep(converted, e); !keep || n != 1 {
			t.Errorf("%q changed the rate of a subject with Always (%v)", document, err)
		}
	})
}

func BenchmarkKeep(b *testing.B) {
	r, e := rules().Rates(), events(1)[0]
	for b.Loop() {
		r.Keep(stepped, e)
	}
}
