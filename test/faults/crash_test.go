package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// TestCrash_answeredIsKept stops the whole local cloud in the middle of many journeys, by SIGTERM and by
// kill -9, database and all. Guests repeat what was not answered under the same key. What was answered must hold
// afterwards, every journey must end, and the books must balance.
func TestCrash_answeredIsKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the local cloud as a program")
	}
	random := seedrand.New(t).Of(0)
	p := system.Install(t)
	p.Start()
	guests := &programGuests{program: p, guests: 4}
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for g := range guests.guests {
		running.Go(func() { guests.run(ctx, t, g) })
	}
	wanted, rounds := seedrand.Iterations(t, 4, 20), 0
	for ; rounds < wanted || guests.interrupted.Load() == 0 && rounds < 5*wanted; rounds++ { // until something was cut off
		<-time.After(time.Duration(300+random.IntN(900)) * time.Millisecond) // the moment of the fault, not a wait for anything
		signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[rounds%2]
		p.End(signal)
		p.Start()
	}
	guests.stopped.Store(true)
	running.Wait()
	end()
	t.Logf("%d crashes, %d requests cut off, %d journeys ended", rounds, guests.interrupted.Load(), len(guests.done))
	if guests.interrupted.Load() == 0 {
		t.Error("got no interrupted request, want some")
	}
	if len(guests.done) == 0 {
		t.Error("got no completed journey, want some")
	}
	for _, b := range guests.done {
		a, err := p.Do(t.Context(), b.ReadRequest())
		if err != nil || a.Status != http.StatusOK {
			t.Errorf("%s was answered and is gone: %d %s %v", b.ReservationID, a.Status, a.Body, err)
		}
	}
	p.Settle()
	p.End(syscall.SIGTERM)
}

// programGuests book one room after the other while the system crashes and restarts.
type programGuests struct {
	program     *system.Program
	guests      int
	stopped     atomic.Bool
	interrupted atomic.Int64

	mu   sync.Mutex
	done []*system.Booking
}

// run books until it is enough. Guest g takes days of its own, so that rooms suffice.
func (c *programGuests) run(ctx context.Context, t *testing.T, g int) {
	for n := 0; !c.stopped.Load(); n++ {
		w := system.Usual()
		w.From, w.Nights = 1+(g+c.guests*n)%300, 1
		b, err := c.journey(ctx, w)
		if err != nil {
			t.Error(err)
			return
		}
		c.mu.Lock()
		c.done = append(c.done, b)
		c.mu.Unlock()
	}
}

// journey books one room and pays for it, and comes back with what was answered.
func (c *programGuests) journey(ctx context.Context, w system.Wish) (*system.Booking, error) {
	b := c.program.Guest(w)
	steps := []struct {
		request func(key string) system.Request
		learn   func(system.Answer) error
		want    int
	}{
		{b.QuoteRequest, b.LearnQuote, http.StatusCreated},
		{b.HoldRequest, b.LearnHold, http.StatusCreated},
		{func(string) system.Request { return b.IntentRequest("card") }, b.LearnIntent, http.StatusCreated},
		{func(string) system.Request { return b.PressRequest("pay") }, nil, http.StatusSeeOther},
		{func(key string) system.Request { return b.ConfirmRequest("card", key) }, nil, http.StatusOK},
	}
	for i, step := range steps {
		a, err := c.retry(ctx, step.request(system.Key()), step.want)
		if err == nil && step.learn != nil {
			err = step.learn(a)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d of %s: %w", i, b, err)
		}
	}
	return b, nil
}

// retry repeats a request, the same under the same key, until it is answered as it should be. The system may be
// gone, starting, or still hold the claim of a process that was killed.
func (c *programGuests) retry(ctx context.Context, r system.Request, want int) (system.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	for {
		a, err := c.program.Do(ctx, r)
		if err == nil && a.Status == want {
			return a, nil
		}
		if err != nil {
			if !errors.Is(err, syscall.ECONNREFUSED) { // a refused connection cuts off no request
				c.interrupted.Add(1)
			}
		} else if a.Status != http.StatusConflict && a.Status < 500 || a.Status == http.StatusConflict && a.Code() != "GENERAL.IDEMPOTENCY_IN_PROGRESS" && a.Code() != "PAYMENT.NOT_CAPTURED" {
			return a, fmt.Errorf("%s %s answered %d %s", r.Method, r.Path, a.Status, a.Body)
		}
		select {
		case <-ctx.Done():
			return a, fmt.Errorf("%s %s: %w after %d %s %v", r.Method, r.Path, ctx.Err(), a.Status, a.Body, err)
		case <-retry.C:
		}
	}
}
