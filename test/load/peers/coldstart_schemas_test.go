package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkColdStart_schemas measures from process start until one event of each of two subjects is validated. Schemas are
// compiled at their first use, so a function that publishes nothing pays only for the package.
func BenchmarkColdStart_schemas(b *testing.B) {
	bare, ours, google := runs(b, "bare"), runs(b, "contract"), runs(b, "google")
	samples := alternate(b, rounds(101), bare, ours, google)
	put(line{what: "process start until two events are validated", ours: millis(samples[1]), peer: "no validation: " + millis(samples[0]), ratio: over(samples[1], samples[0])})
	put(line{what: "the same", ours: millis(samples[1]), peer: "google/jsonschema-go: " + millis(samples[2]), ratio: over(samples[1], samples[2])})
	added := median(samples[1]) - median(samples[0])
	addRow("what validating events adds to a process start", fmt.Sprintf("%.1f ms", added*1e3), "≤ 10 ms", added <= 0.010)
}

// runs builds a program below validators and returns the side that runs it once.
func runs(b *testing.B, name string) side {
	b.Helper()
	path := filepath.Join(b.TempDir(), name)
	command(b, ".", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./validators/"+name)
	run := func(b *testing.B) float64 {
		return clock(b, exec.CommandContext(b.Context(), path).Run)
	}
	run(b) // the first run reads the program from the disk
	return run
}
