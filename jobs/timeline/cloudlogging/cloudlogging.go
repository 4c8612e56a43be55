// Package cloudlogging finds the log lines of functions in Cloud Logging.
package cloudlogging

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"google.golang.org/api/logging/v2"
	"google.golang.org/api/option"

	"melmastoon.ghasi.io/jobs/timeline/booking"
)

// A Log is the log of one project.
type Log struct {
	project string
	entries *logging.EntriesService
}

// Open returns the log of a project.
func Open(ctx context.Context, project string, options ...option.ClientOption) (*Log, error) {
	service, err := logging.NewService(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("cloud logging: %w", err)
	}
	return &Log{project: project, entries: service.Entries}, nil
}

const (
	idsAtOnce = 100    // a filter has at most 20,000 characters
	pageSize  = 1000   // the maximum of the API
	maxLines  = 20_000 // of one search
)

// Lines returns the lines of the search as the functions have written them. It returns an error if there are too many.
func (l *Log) Lines(ctx context.Context, s booking.Search) (io.Reader, error) {
	var text bytes.Buffer
	lines := 0
	for _, filter := range l.filters(s) {
		request := &logging.ListLogEntriesRequest{ResourceNames: []string{"projects/" + l.project}, Filter: filter, OrderBy: "timestamp asc", PageSize: pageSize}
		err := l.entries.List(request).Pages(ctx, func(page *logging.ListLogEntriesResponse) error {
			if lines += len(page.Entries); lines > maxLines {
				return fmt.Errorf("more than %d lines: ask for a reservation instead of a session", maxLines)
			}
			for _, e := range page.Entries {
				if err := write(&text, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("cloud logging: %w", err)
		}
	}
	return &text, nil
}

// filters returns the filters of a search, which together select its lines.
func (l *Log) filters(s booking.Search) (all []string) {
	traces := make([]string, len(s.Traces))
	for i, trace := range s.Traces {
		traces[i] = "projects/" + l.project + "/traces/" + trace
	}
	since := s.Since.UTC().Format(time.RFC3339)
	for _, part := range []struct {
		field string
		ids   []string
	}{
		{"httpRequest.requestUrl:", s.Paths}, // contains
		{"jsonPayload.eventId=", s.Events},
		{"jsonPayload.requestId=", s.Requests},
		{"trace=", traces},
	} {
		for ids := range slices.Chunk(part.ids, idsAtOnce) {
			quoted := make([]string, len(ids))
			for i, id := range ids {
				quoted[i] = fmt.Sprintf("%q", id)
			}
			all = append(all, fmt.Sprintf(`resource.type="cloud_run_revision" AND jsonPayload.function:* AND timestamp>=%q AND %s(%s)`,
				since, part.field, strings.Join(quoted, " OR ")))
		}
	}
	return all
}

// write writes an entry as the line from which Cloud Logging made it: it has moved time, trace and request out of the payload.
func write(text *bytes.Buffer, e *logging.LogEntry) error {
	line := map[string]any{}
	if len(e.JsonPayload) > 0 {
		if err := json.Unmarshal(e.JsonPayload, &line); err != nil {
			return fmt.Errorf("payload of %s: %w", e.InsertId, err)
		}
	}
	line["time"], line["logging.googleapis.com/trace"] = e.Timestamp, e.Trace
	if r := e.HttpRequest; r != nil {
		line["httpRequest"] = map[string]any{"status": r.Status, "latency": r.Latency, "requestMethod": r.RequestMethod, "requestUrl": r.RequestUrl}
	}
	encoded, err := json.Marshal(line)
	text.Write(append(encoded, '\n'))
	return err
}
