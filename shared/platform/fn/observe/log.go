package observe

import (
	"fmt"
	"io"
	"os"
	"sync"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Log takes one line per call.
type Log struct {
	mu      sync.Mutex
	to      io.Writer
	project string // as Cloud Logging wants it before a trace
}

// To is a log that writes to w. Whoever builds a binary or a test may give one: env.Give(e, observe.To(w)).
func To(w io.Writer) *Log { return &Log{to: w} }

// Open returns the log of these surroundings: the one that was given, else standard output, which is where the cloud reads.
func Open(e env.Env) (*Log, error) {
	if given, ok := env.Given[*Log](e); ok {
		return given, nil
	}
	return env.Once(e, "observe", func() (*Log, error) {
		var c struct {
			Project string `env:"GOOGLE_CLOUD_PROJECT"`
		}
		if err := e.Load(&c); err != nil {
			return nil, fmt.Errorf("observe: %w", err)
		}
		return &Log{to: os.Stdout, project: c.Project}, nil
	})
}

// lines are kept between calls: a log line should cost no memory.
var lines = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Write writes one line, whole: lines of calls that end together never mix. A log that cannot be written to is not a
// reason to fail a call.
func (l *Log) Write(line *Line) {
	buf := lines.Get().(*[]byte)
	defer lines.Put(buf)
	*buf = line.append((*buf)[:0], l.project)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.to.Write(*buf)
}
