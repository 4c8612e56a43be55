package architecture

import (
	"os"
	"sync"
	"testing"

	"melmastoon.ghasi.io/scripts/figures/measure"
)

// figures measures this tree once for all tests. go run ./scripts/figures prints the same figures.
var figures = sync.OnceValues(func() (measure.Figures, error) { return measure.Tree(os.DirFS("../..")) })

func measured(t *testing.T) measure.Figures {
	t.Helper()
	f, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMeasures_comments checks how often certain words occur in comments. If a figure improves, tighten its limit.
func TestMeasures_comments(t *testing.T) {
	t.Parallel()
	f := measured(t)
	if f.Words < 50_000 {
		t.Fatalf("%d words of comments, want at least 50,000", f.Words)
	}
	for _, limit := range []struct {
		word     string
		min, max float64 // per thousand words
	}{
		{"what", 0, 2}, {"who", 0, 1}, {"whoever", 0, 0}, {"nobody", 0, 0}, {"none", 0, 1}, {"if", 7, 1000}, {"returns", 5, 1000},
	} {
		t.Run(limit.word, func(t *testing.T) {
			t.Parallel()
			if got := f.PerThousand(limit.word); got < limit.min || got > limit.max {
				t.Errorf("%.2f in 1,000 words of comments, want %v to %v", got, limit.min, limit.max)
			}
		})
	}
}

// TestMeasures_limits checks numbers that may only become smaller. It also fails if the measurement looked at too little.
func TestMeasures_limits(t *testing.T) {
	t.Parallel()
	f := measured(t)
	for _, test := range []struct {
		name           string
		got, max       int
		counted, least int // the number of things examined
	}{
		{name: "lines of shared/ without local runs and test kits", got: f.Shared, max: 11_700, counted: f.Shared, least: 10_000},
		{name: "literals with six or more fields without keys", got: f.WideUnkeyed, max: 0, counted: f.Unkeyed, least: 100},
		{name: "assertions that join three or more conditions", got: f.Combined, max: 0, counted: f.Assertions, least: 5000},
		{name: "names of tests that are sentences", got: f.Sentences, max: 0, counted: f.Tests, least: 1000},
		{name: "tables in tests without t.Run per row", got: f.TablesWithoutRun, max: 25, counted: f.Tables, least: 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.got > test.max {
				t.Errorf("got %d, want at most %d", test.got, test.max)
			}
			if test.counted < test.least {
				t.Errorf("counted %d, want at least %d", test.counted, test.least)
			}
		})
	}
	for _, place := range f.Places {
		t.Error(place)
	}
}
