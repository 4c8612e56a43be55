package peers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// untilTick is how long an event waits at most that its writer could not publish.
const untilTick = time.Minute

// BenchmarkDelivery writes 200 events a second, each in a transaction of its own, and measures from the end of the commit
// until the embedded bus has brought the event to a consumer.
func BenchmarkDelivery(b *testing.B) {
	const perSecond, before = 200, 32
	h, n := open(b, 16), times(10*perSecond)
	messages := bus.Open(h.env, postgres.Open(h.env, "bus"))
	store := outbox.Open(topic.PublisherKey.With(h.env, messages), h.db)
	var mu sync.Mutex
	committed, arrived, all := map[string]time.Time{}, map[string]time.Time{}, make(chan struct{})
	consumer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		now := time.Now()
		mu.Lock()
		defer mu.Unlock()
		key := r.Header.Get("Ce-Id")
		if _, again := arrived[key]; !again {
			if arrived[key] = now; len(arrived) == before+n {
				close(all)
			}
		}
	}))
	defer consumer.Close()
	check.Must(b, messages.Subscribe(b.Context(), []topic.Subscription{{Name: "it", Topic: allocationFailed.Name, Endpoint: consumer.URL}}))
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- messages.Run(ctx) }()
	write := func() error {
		d := sampleDraft(id.New[id.Request]().String())
		d.ID = id.New[id.Event]()
		return h.db.InTx(ctx, func(tx postgres.Tx) error {
			tx.AfterCommit("committed", func(context.Context, []string) {
				mu.Lock()
				defer mu.Unlock()
				committed[d.ID.String()] = time.Now()
			})
			return store.Append(ctx, tx, d)
		})
	}
	for range before { // connections and plans are there before anything is measured
		check.Must(b, write())
	}
	mu.Lock()
	clear(committed)
	mu.Unlock()
	beat, failed := time.NewTicker(time.Second/perSecond), make(chan error, n)
	defer beat.Stop()
	for range n {
		<-beat.C
		go func() { failed <- write() }()
	}
	for range n {
		check.Must(b, <-failed)
	}
	select {
	case <-all:
	case <-time.After(2 * time.Second): // what is left now waits for the relay's next tick
	}
	stop()
	<-ended
	var took []time.Duration
	left := 0
	for key, at := range committed {
		delay := untilTick
		if then, there := arrived[key]; there {
			delay = then.Sub(at)
		} else {
			left++
		}
		took = append(took, delay)
	}
	half, most := quantile(took, 0.5), quantile(took, 0.99)
	figure := fmt.Sprintf("p50 %.1f ms, p99 %.1f ms; %d left to the relay", half.Seconds()*1e3, most.Seconds()*1e3, left)
	addRow(fmt.Sprintf("commit → delivered, embedded bus, 200 events/s, %d events", n), figure, "p50 ≤ 10 ms, p99 ≤ 100 ms",
		half <= 10*time.Millisecond && most <= 100*time.Millisecond)
}
