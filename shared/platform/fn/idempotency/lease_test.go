package idempotency_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// A gate keeps the first run of an act until it is opened.
type gate struct {
	taken   atomic.Bool
	entered chan struct{}
	opened  chan struct{}
}

func newAuth() *gate { return &gate{entered: make(chan struct{}), opened: make(chan struct{})} }

func (g *gate) answer(_ context.Context, c confirmation) (confirmation, error) {
	if g.taken.CompareAndSwap(false, true) {
		close(g.entered)
		<-g.opened
	}
	return c, nil
}

func TestLedger_inProgress(t *testing.T) {
	t.Parallel()
	r, g := open(t), newAuth()
	r.answer = g.answer
	first := make(chan fntest.Answer)
	go func() { first <- r.order("k-1", `{"rooms":1}`) }()
	<-g.entered
	a := r.order("k-1", `{"rooms":1}`)
	if a.Status != 409 || a.Code() != fault.ErrIdempotencyInProgress.Code || a.Header.Get("Retry-After") == "" || !a.Problem().Retriable {
		t.Errorf("got %d %v %s", a.Status, a.Header, a.Body)
	}
	if a := r.order("k-1", `{"rooms":2}`); a.Status != 422 {
		t.Errorf("another body: got %d %s", a.Status, a.Body)
	}
	close(g.opened)
	if a := <-first; a.Status != 201 {
		t.Errorf("first: got %d %s", a.Status, a.Body)
	}
	if a := r.order("k-1", `{"rooms":1}`); a.Status != 201 || a.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("afterwards: got %d %s", a.Status, a.Body)
	}
}

func TestAfterItsLeaseAClaimIsTakenOverAsTheSameAct(t *testing.T) {
	t.Parallel()
	r, g := open(t), newAuth()
	r.answer = g.answer
	slow := make(chan fntest.Answer)
	go func() { slow <- r.order("k-1", `{"rooms":1}`) }()
	<-g.entered
	r.runOut(t)
	if a := r.order("k-1", `{"rooms":2}`); a.Status != 422 {
		t.Errorf("another body: got %d %s", a.Status, a.Body)
	}
	second := r.order("k-1", `{"rooms":1}`)
	if ran := r.ran(); second.Status != 201 || len(ran) != 2 || ran[0] != ran[1] {
		t.Fatalf("got %d %s, acts %v", second.Status, second.Body, ran)
	}
	// The call that had lost its lease continues: all callers get the first stored answer.
	close(g.opened)
	late := <-slow
	expectReplay(t, second, late)
}

func TestOfManyAtOnceOneRuns(t *testing.T) {
	t.Parallel()
	r := open(t)
	const callers = 16
	answers := make([]fntest.Answer, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() { answers[i] = r.order("k-1", `{"rooms":1}`) })
	}
	wg.Wait()
	if ran := r.ran(); len(ran) != 1 {
		t.Errorf("ran %d times", len(ran))
	}
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
