package processes

import (
	"bytes"
	"sync"
)

// kept is how much of what a process prints is kept.
const kept = 64 << 10

// Output is the end of what a process has printed.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write takes what is printed next.
func (s *Output) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Write(p)
	if over := s.b.Len() - kept; over > 0 {
		s.b.Next(over)
	}
	return len(p), nil
}

func (s *Output) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
