package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A message is dead-lettered, listed, replayed too early, rejected again, and processed once after the consumer is
// fixed.
func TestReplay_untilProcessedOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w *fixture) {
		w.consumer.deadLetters.Store(true)
		published := slices.Concat(w.publish("k1", 3), w.publish("k2", 1))
		w.says(w.backlog(4), ": consumer: no reservation for evt_…\n")
		w.until("the counter has received all", func() bool { return w.seen.Load() == 4 })

		w.says(w.call(0, "-dry", deadLetterTopic), "would replay "+published[0].String(), "would replay 4 of 4")
		w.backlog(4)
		if n := w.consumer.received(); n != 4 || len(w.consumer.processed()) > 0 {
			t.Errorf("got %d pushes after a dry run, want 4", n)
		}

		for replay := 1; replay <= 2; replay++ { // too early: the consumer is not fixed
			w.says(w.call(0, "-go", deadLetterTopic), "replayed 4 of 4")
			w.until("the consumer has received all", func() bool { return w.consumer.received() == 4+4*replay })
			w.backlog(4)
			w.says(w.call(0, "-show=1", deadLetterTopic), published[0].String(), fmt.Sprintf(`"ce-replays":"%d"`, replay), `"melmastoon-parked-reason":"consumer: no reservation for `+published[0].String())
		}
		w.says(w.call(0, deadLetterTopic), "4 already replayed twice")
		w.says(w.call(0, "-go", deadLetterTopic), "skipped "+published[0].String()+": already replayed 2 times", "replayed 0 of 4")

		w.consumer.deadLetters.Store(false)
		w.says(w.call(0, "-go", "-again", deadLetterTopic), "replayed 4 of 4")
		w.until("each has its effect", func() bool { return len(w.consumer.processed()) == 4 })
		w.says(w.call(0, "-go", deadLetterTopic), "replayed 0 of 0")
		processed := w.consumer.processed()
		check.Equal(t, slices.DeleteFunc(slices.Clone(processed), func(e id.Event) bool { return e == published[3] }), published[:3], "processed")
		if n := w.seen.Load(); n != 4 {
			t.Errorf("the counter received %d events, want the 4 from before", n)
		}
	})
}

// Messages that a function gives up after their last attempt have a cause too and are replayed like the others.
func TestReplay_givenUp(t *testing.T) {
	everywhere(t, func(t *testing.T, w *fixture) {
		w.consumer.fails.Store(true)
		published := w.publish("k1", 1)
		hurry := func(pushes int) {
			w.until("it is refused often enough", func() bool { w.db.Advance(10 * time.Minute); return w.consumer.received() == pushes })
		}
		hurry(5)
		w.says(w.backlog(1), ": given up after 5 attempts: consumer: disk full\n")
		w.says(w.call(0, "-go", deadLetterTopic), "replayed 1 of 1")
		hurry(10)
		w.backlog(1)
		w.says(w.call(0, "-show=9", deadLetterTopic), `"ce-replays":"1"`, `"melmastoon-parked-attempt":"5"`)
		w.consumer.fails.Store(false)
		w.says(w.call(0, "-go", deadLetterTopic), "replayed 1 of 1")
		w.until("it has its effect", func() bool { return slices.Equal(w.consumer.processed(), published) })
		check.Equal(t, w.seen.Load(), 1, "events that the counter received")
	})
}

// A doomed puller fails like a process that is killed after publishing: it acknowledges and releases nothing.
type doomed struct {
	topic.Puller
	mu   sync.Mutex
	held []string
}

var errKilled = errors.New("killed")

// Acknowledge records the receipts.
func (d *doomed) Acknowledge(_ context.Context, _ string, receipts []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = append(d.held, receipts...)
	return errKilled
}

// Release does nothing.
func (d *doomed) Release(context.Context, string, []string) error { return errKilled }

func TestReplay_killedHasNoSecondEffect(t *testing.T) {
	everywhere(t, func(t *testing.T, w *fixture) {
		w.consumer.deadLetters.Store(true)
		published := w.publish("k1", 2)
		w.backlog(2)
		w.consumer.deadLetters.Store(false)
		puller, _ := topic.PullerKey.Get(w.env)
		d := &doomed{Puller: puller}
		w.says(w.callOn(topic.PullerKey.With(w.env, d), 1, "-go", deadLetterTopic), "replayed 2 of 2")
		w.until("each has its effect", func() bool { return slices.Equal(w.consumer.processed(), published) })

		if err := puller.Release(t.Context(), deadLetterTopic, d.held); err != nil { // as the end of their leases does
			t.Fatal(err)
		}
		w.backlog(2)
		w.says(w.call(0, "-go", deadLetterTopic), "replayed 2 of 2")
		w.until("the consumer has received both again", func() bool { return w.consumer.received() == 6 })
		w.says(w.call(0, "-go", deadLetterTopic), "replayed 0 of 0")
		check.Equal(t, w.consumer.processed(), published, "processed events")
	})
}

func TestReplay_concurrently(t *testing.T) {
	everywhere(t, func(t *testing.T, w *fixture) {
		const keys, each = 10, 3
		w.consumer.deadLetters.Store(true)
		want := map[id.Event]int{}
		for key := range keys {
			for _, e := range w.publish(fmt.Sprint("k", key), each) {
				want[e] = 1
			}
		}
		w.backlog(keys * each)
		w.consumer.deadLetters.Store(false)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { w.call(0, "-go", deadLetterTopic) })
		}
		both.Wait()
		w.until("all have their effect", func() bool { return len(w.consumer.processed()) >= keys*each })
		w.says(w.call(0, "-go", deadLetterTopic), "replayed 0 of 0")
		got := map[id.Event]int{}
		for _, e := range w.consumer.processed() {
			got[e]++
		}
		switch {
		case len(got) != len(want):
			t.Errorf("len(got) = %v, want %v", len(got), len(want))
		case len(w.consumer.processed()) != len(want):
			t.Errorf("len(w.consumer.processed()) = %v, want %v", len(w.consumer.processed()), len(want))
		case w.seen.Load() != keys*each:
			t.Errorf("w.seen.Load() = %v, want %v", w.seen.Load(), keys*each)
		}
	})
}
