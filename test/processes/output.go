package processes

import (
	"bytes"
	"sync"
)

// kept is the maximum number of bytes of output that are kept.
const kept = 64 << 10

// Output holds the end of a process's output.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
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
