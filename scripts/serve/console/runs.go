package console

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Limits of the changes.
const (
	maxRuns   = 50
	maxOutput = 1 << 20
	runTime   = 5 * time.Minute
)

// runs holds the latest changes and their output.
type runs struct {
	life    context.Context // of all changes
	running sync.WaitGroup
	mu      sync.Mutex
	all     []*run
}

// A run is one change that was started from a page.
type run struct {
	ID, Name, Back string
	done           chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
	err error
}

// start begins a change, which continues if its caller leaves.
func (s *runs) start(name, back string, do change) *run {
	r := &run{ID: rand.Text(), Name: name, Back: back, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, r)
	if len(s.all) > maxRuns {
		s.all = s.all[1:]
	}
	s.running.Go(func() {
		defer close(r.done)
		ctx, cancel := context.WithTimeout(s.life, runTime)
		defer cancel()
		err := do(ctx, r)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.err = err
	})
	return r
}

// Write appends output. It drops output beyond the limit.
func (r *run) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out.Len() < maxOutput {
		r.out.Write(text)
	}
	return len(text), nil
}

// await waits until the run has ended, but not longer than the given time.
func (r *run) await(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// progress is the state of a run for its page.
type progress struct {
	Name, Back, Output, Failure string
	Running                     bool
}

func (r *run) progress() progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := progress{Name: r.Name, Back: r.Back, Output: r.out.String(), Running: true}
	select {
	case <-r.done:
		p.Running = false
	default:
	}
	if r.err != nil {
		p.Failure = r.err.Error()
	}
	return p
}

func (c *Console) run(r *http.Request) (any, error) {
	c.runs.mu.Lock()
	defer c.runs.mu.Unlock()
	for _, one := range c.runs.all {
		if one.ID == r.PathValue("id") {
			return one.progress(), nil
		}
	}
	return nil, fmt.Errorf("%w: the console keeps the last %d changes of this run", errUnknown, maxRuns)
}

// errForm is the error of a form with a wrong value.
var errForm = errors.New("the form has a wrong value")
