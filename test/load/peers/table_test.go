package peers

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/cluster"
)

var scale = flag.Float64("scale", 1, "how much of everything is done: a fraction for a first look")

// times is so many of something, by the scale.
func times(n int) int { return max(2, int(float64(n)**scale)) }

// rounds is how often each side has its turn. The sides alternate, so that what else the machine does falls on both.
func rounds(n int) int { return max(1, min(n, int(math.Ceil(float64(n)**scale*3)))) }

// results are the lines of the table, in the order in which they were measured.
var results struct {
	sync.Mutex
	lines []string
}

// A line is one comparison: what, the figures of both sides, and how they are held against each other.
type line struct {
	what   string
	ours   string // with its unit
	peer   string // which, and its figure
	ratio  []float64
	least  float64 // the target: zero where there is none
	most   float64
	remark string
}

// put prints a line. The ratio is the median over the rounds, with the lowest and the highest beside it.
func put(l line) {
	r := median(l.ratio)
	target, verdict := "", ""
	switch {
	case l.least > 0:
		target, verdict = fmt.Sprintf("≥ %.2f", l.least), judge(r >= l.least)
	case l.most > 0:
		target, verdict = fmt.Sprintf("≤ %.2f", l.most), judge(r <= l.most)
	}
	spread := ""
	if len(l.ratio) > 1 {
		spread = fmt.Sprintf(" (%.2f–%.2f)", slices.Min(l.ratio), slices.Max(l.ratio))
	}
	what := l.what
	if l.remark != "" {
		what += " — " + l.remark
	}
	row := fmt.Sprintf("| %s | %s | %s | **%.2f**%s | %s | %s |", what, l.ours, l.peer, r, spread, target, verdict)
	results.Lock()
	defer results.Unlock()
	results.lines = append(results.lines, row)
	fmt.Fprintln(os.Stderr, row)
}

// addRow prints a line that has no peer: a figure and its own bound.
func addRow(what, figure, target string, met bool) {
	row := fmt.Sprintf("| %s | %s | | | %s | %s |", what, figure, target, judge(met))
	results.Lock()
	defer results.Unlock()
	results.lines = append(results.lines, row)
	fmt.Fprintln(os.Stderr, row)
}

func judge(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// quantile of durations that need not be sorted.
func quantile(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// A side is one of those that are compared; it does its work once and says how long that took, or how often it
// happened in a second.
type side func(b *testing.B) float64

// alternate gives each side its turns and returns what each said, round by round.
func alternate(b *testing.B, n int, sides ...side) [][]float64 {
	b.Helper()
	samples := make([][]float64, len(sides))
	for round := range n {
		for k := range sides {
			i := (k + round) % len(sides) // each side is first in some rounds
			runtime.GC()                  // no side collects the garbage of another
			samples[i] = append(samples[i], sides[i](b))
		}
	}
	return samples
}

// over divides round by round.
func over(a, b []float64) []float64 {
	var all []float64
	for i := range a {
		all = append(all, a[i]/b[i])
	}
	return all
}

// clock returns how long f takes, in seconds.
func clock(b *testing.B, f func() error) float64 {
	b.Helper()
	began := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began).Seconds()
}

// Units, as the table shows them.
func perSecond(unit string, rates []float64) string {
	return fmt.Sprintf("%s %s/s", thousands(median(rates)), unit)
}

func micros(seconds []float64) string { return fmt.Sprintf("%.1f µs", median(seconds)*1e6) }

func thousands(f float64) string {
	s := fmt.Sprintf("%.0f", f)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// TestMain runs a server of our own that writes to disk what it commits: tests elsewhere do without, but here the cost of
// a commit must be in both sides. It prints the table at the end.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("PGTEST_URL") == "" {
		dir, err := os.MkdirTemp("", "peers-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		c, err := cluster.Start(context.Background(), cluster.Config{Dir: dir + "/db", Durable: true})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = c.Stop() }()
		if err := os.Setenv("PGTEST_URL", c.URL("postgres")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	if len(results.lines) > 0 {
		fmt.Printf("\n%d processors, %s, scale %g\n\n", runtime.NumCPU(), runtime.Version(), *scale)
		fmt.Println("| operation | ours | reference | ratio | target | |\n|---|---|---|---|---|---|")
		fmt.Println(strings.Join(results.lines, "\n"))
	}
	return code
}

func millis(seconds []float64) string { return fmt.Sprintf("%.1f ms", median(seconds)*1e3) }
