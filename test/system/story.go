package system

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/scripts/timeline/booking"
)

// A Log is what the functions have logged: the latest lines, as many as fit.
type Log struct {
	mu    sync.Mutex
	lines [][]byte
	size  int
	lost  int
}

// logLimit bounds what is kept, so that a long test does not fill the memory.
const logLimit = 64 << 20

// Write takes one line.
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

// Reader reads what there is now.
func (l *Log) Reader() io.Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.NewReader(bytes.Join(l.lines, nil))
}

// Take returns the lines since the last time, and how many were lost before somebody took them.
func (l *Log) Take() (lines [][]byte, lost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, lost = l.lines, l.lost
	l.lines, l.size, l.lost = nil, 0, 0
	return lines, lost
}

// maxStoryLength is how many moments a failing test prints: the end is where it went wrong.
const maxStoryLength = 400

// Timeline is what happened so far: rows, events and calls in order, each with what led to it.
func (s *System) Timeline(ctx context.Context) string {
	story, err := s.read(ctx)
	if err != nil {
		return "no story: " + err.Error()
	}
	var text strings.Builder
	_ = story.Write(&text, maxStoryLength) // a Builder takes everything
	return text.String()
}

func (s *System) read(ctx context.Context) (booking.Timeline, error) {
	conn, err := pgx.Connect(ctx, s.DB.OwnerURL())
	if err != nil {
		return booking.Timeline{}, err
	}
	defer conn.Close(ctx)
	return booking.Everything(ctx, conn, s.Log.Reader())
}

// Life is the story of one booking, by any of its names.
func (s *System) Life(name string) booking.Timeline {
	s.t.Helper()
	story, err := booking.Of(s.t.Context(), s.DB.Owner(s.t), s.Log.Reader(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return story
}

// explain prints the story when the test has failed. It is called last, when everything that was begun has ended.
func (s *System) explain() {
	if !s.t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	s.t.Log("What happened:\n" + s.Timeline(ctx))
}
