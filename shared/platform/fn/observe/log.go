package observe

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Log writes one line per call, in the JSON that Cloud Logging reads.
type Log struct {
	handler slog.Handler
	project string // the prefix of trace names in Cloud Logging; may be empty
}

// LogKey is the key of a log in an Env, for tests and for the local cloud.
var LogKey = env.NewKey[*Log]("log")

// To returns a log that writes to w.
func To(w io.Writer) *Log { return &Log{handler: cloudLogging(w)} }

// Open returns the log in e, or else a log to standard output, which Cloud Run forwards to Cloud Logging.
func Open(e env.Env) (*Log, error) {
	if given, ok := LogKey.Get(e); ok {
		return given, nil
	}
	return env.Once(e, "observe", func() (*Log, error) {
		var c struct {
			Project string `env:"GOOGLE_CLOUD_PROJECT"`
		}
		if err := e.Load(&c); err != nil {
			return nil, fmt.Errorf("observe: %w", err)
		}
		return &Log{handler: cloudLogging(os.Stdout), project: c.Project}, nil
	})
}

// Write writes the line in one call of the writer, so concurrent lines do not mix. It ignores errors: a call does not fail
// because its line cannot be written.
func (l *Log) Write(line *Line) {
	_ = l.handler.Handle(context.Background(), line.record(l.project))
}

// cloudLogging returns a JSON handler that names level and message as Cloud Logging does, and leaves out empty texts.
func cloudLogging(w io.Writer) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case a.Value.Kind() == slog.KindString && a.Value.String() == "":
			return slog.Attr{}
		case len(groups) > 0:
		case a.Key == slog.MessageKey:
			a.Key = "message"
		case a.Key == slog.LevelKey && a.Value.Any() == slog.LevelWarn:
			return slog.String("severity", "WARNING")
		case a.Key == slog.LevelKey:
			a.Key = "severity"
		}
		return a
	}})
}
