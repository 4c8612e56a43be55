package system

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Log holds the latest log lines of the functions.
type Log struct {
	mu    sync.Mutex
	lines [][]byte
	size  int
	lost  int
}

// logLimit is the maximum size of a log, so that a long test does not fill the memory.
const logLimit = 64 << 20

// Write appends one line.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, bytes.Clone(line))
	l.size += len(line)
	for l.size > logLimit {
		l.size -= len(l.lines[0])
		l.lines = l.lines[1:]
		l.lost++
	}
	return len(line), nil
}

// Reader returns a reader of the current lines.
func (l *Log) Reader() io.Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.NewReader(bytes.Join(l.lines, nil))
}

// Take returns the lines since the last call, and the number of lines lost since then.
func (l *Log) Take() (lines [][]byte, lost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, lost = l.lines, l.lost
	l.lines, l.size, l.lost = nil, 0, 0
	return lines, lost
}

// maxStoryLength is the number of timeline entries that a failing test prints, from the end.
const maxStoryLength = 400

// Timeline returns the rows, events and calls so far in order, each with its cause.
func (s *System) Timeline(ctx context.Context) string {
	story, err := s.read(ctx)
	if err != nil {
		return "no story: " + err.Error()
	}
	var text strings.Builder
	_ = story.Write(&text, maxStoryLength) // a Builder returns no error
	return text.String()
}

func (s *System) read(ctx context.Context) (booking.Timeline, error) {
	conn, err := pgx.Connect(ctx, s.DB.OwnerURL())
	if err != nil {
		return booking.Timeline{}, err
	}
	defer conn.Close(ctx)
	return booking.Everything(ctx, booking.Owner{Conn: conn}, booking.Whole(s.Log.Reader()))
}

// BookingTimeline returns the timeline of one booking, by any of its ids.
func (s *System) BookingTimeline(name string) booking.Timeline {
	s.t.Helper()
	return check.Got(booking.Of(s.t.Context(), booking.Owner{Conn: s.DB.Owner(s.t)}, booking.Whole(s.Log.Reader()), name)).Must(s.t)
}

// printTimeline prints the timeline if the test has failed. It is called last, after the system has ended.
func (s *System) printTimeline() {
	if !s.t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	s.t.Log("What happened:\n" + s.Timeline(ctx))
}
