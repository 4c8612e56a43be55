package idempotency_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// A pausedAct is an act whose first run waits until resume is called, or the test ends.
type pausedAct struct {
	taken   atomic.Bool
	entered chan struct{}
	resumed chan struct{}
	resume  func()
}

func newPausedAct(t *testing.T) *pausedAct {
	t.Helper()
	p := &pausedAct{entered: make(chan struct{}), resumed: make(chan struct{})}
	p.resume = sync.OnceFunc(func() { close(p.resumed) })
	t.Cleanup(p.resume)
	return p
}

// wait waits until the first run has begun.
func (p *pausedAct) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.entered:
	case <-time.After(time.Minute):
		t.Fatal("the act did not begin")
	}
}

func (p *pausedAct) answer(_ context.Context, c confirmation) (confirmation, error) {
	if p.taken.CompareAndSwap(false, true) {
		close(p.entered)
		<-p.resumed
	}
	return c, nil
}

func TestLedger_inProgress(t *testing.T) {
	t.Parallel()
	r, g := open(t), newPausedAct(t)
	r.answer = g.answer
	first := make(chan fntest.Answer)
	go func() { first <- r.order("k-1", `{"rooms":1}`) }()
	g.wait(t)
	a := r.order("k-1", `{"rooms":1}`)
	switch {
	case a.Status != 409:
		t.Errorf("a.Status = %v, want 409", a.Status)
	case a.Code() != fault.ErrIdempotencyInProgress.Code:
		t.Errorf("a.Code() = %v, want %v", a.Code(), fault.ErrIdempotencyInProgress.Code)
	case a.Header.Get("Retry-After") == "":
		t.Errorf(`a.Header.Get("Retry-After") = %q, want other than ""`, a.Header.Get("Retry-After"))
	case !a.Problem().Retriable:
		t.Errorf("a.Problem().Retriable = false, want true")
	}
	r.order("k-1", `{"rooms":2}`).Want(t, 422)
	g.resume()
	(<-first).Want(t, 201)
	if a := r.order("k-1", `{"rooms":1}`); a.Status != 201 || a.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("afterwards: got %d %s", a.Status, a.Body)
	}
}

func TestLedger_takeOverContinuesAct(t *testing.T) {
	t.Parallel()
	r, g := open(t), newPausedAct(t)
	r.answer = g.answer
	slow := make(chan fntest.Answer)
	go func() { slow <- r.order("k-1", `{"rooms":1}`) }()
	g.wait(t)
	r.runOut(t)
	r.order("k-1", `{"rooms":2}`).Want(t, 422)
	second := r.order("k-1", `{"rooms":1}`)
	switch ran := r.ran(); {
	case second.Status != 201:
		t.Fatalf("second.Status = %v, want 201", second.Status)
	case len(ran) != 2:
		t.Fatalf("len(ran) = %v, want 2", len(ran))
	case ran[0] != ran[1]:
		t.Fatalf("ran[0] = %v, want %v", ran[0], ran[1])
	}
	// The call that had lost its lease continues: all callers get the first stored answer.
	g.resume()
	late := <-slow
	expectReplay(t, second, late)
}

func TestLedger_concurrentCallsRunOnce(t *testing.T) {
	t.Parallel()
	r := open(t)
	const callers = 16
	answers := make([]fntest.Answer, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() { answers[i] = r.order("k-1", `{"rooms":1}`) })
	}
	wg.Wait()
	check.Equal(t, len(r.ran()), 1, "runs")
	var body string
	for _, a := range answers {
		switch {
		case a.Status == 409:
		case a.Status != 201:
			t.Errorf("got %d %s", a.Status, a.Body)
		case body == "":
			body = string(a.Body)
		case string(a.Body) != body:
			t.Errorf("got %s and %s", body, a.Body)
		}
	}
	if body == "" {
		t.Error("no caller got an answer")
	}
}
