package bus_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

var errEnough = errors.New("enough")

// published returns all messages of the bus.
func published(t testing.TB, b *bus.Bus) []topic.Message {
	t.Helper()
	last, err := b.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []topic.Message
	if last == 0 {
		return nil
	}
	err = b.Tail(t.Context(), 0, func(s bus.Stored) error {
		found = append(found, s.Message)
		if s.Seq == last {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return found
}

func message(key, body string) topic.Message {
	return topic.Message{Topic: "orders", OrderingKey: key, Data: []byte(body)}
}

// A sequence number is assigned before its message is committed, so messages become visible out of order. Tail must wait for
// uncommitted ones and skip none.
func TestTail_concurrentPublishers(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 25
	d := pgtest.New(t)
	b := open(d.Env().With("DATABASE_POOL", "10"))
	var group errgroup.Group
	for w := range writers {
		group.Go(func() error {
			for n := range each {
				if err := errors.Join(b.Publish(t.Context(), []topic.Message{message("", fmt.Sprint(w, "/", n)), message("", "second")})...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	seen, last := map[int64]bool{}, int64(0)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := b.Tail(ctx, 0, func(s bus.Stored) error {
		if s.Seq <= last {
			t.Errorf("s.Seq = %d, want more than %d", s.Seq, last)
		}
		if s.PublishedAt.IsZero() {
			t.Error("s.PublishedAt is zero")
		}
		last, seen[s.Seq] = s.Seq, true
		if len(seen) == writers*each*2 {
			return errEnough
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, errEnough) {
		t.Errorf("saw %d of %d: %v", len(seen), writers*each*2, err)
	}
}

// A message with an early number that commits late must block the reader, so that it is not skipped.
func TestTail_lateCommit(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	b := open(d.Env())
	late, err := d.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = late.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared(hashtextextended('bus messages', 0))`)
	if err == nil {
		_, err = late.Exec(t.Context(), `INSERT INTO bus.messages (topic, ordering_key, attributes, data) VALUES ('orders', '', '{}', 'late')`)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Publish(t.Context(), []topic.Message{message("", "early")})...); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = b.Tail(ctx, 0, func(s bus.Stored) error { read <- string(s.Data); return nil }) }()
	until(t, d, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`)
	select {
	case got := <-read:
		t.Errorf("read %q while an earlier message was on its way", got)
	default:
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, second := <-read, <-read
	if first != "late" {
		t.Errorf(`first = %q, want "late"`, first)
	}
	if second != "early" {
		t.Errorf(`second = %q, want "early"`, second)
	}
}

// until polls until the query returns true.
func until(t testing.TB, d *pgtest.Database, sql string) {
	t.Helper()
	conn := d.Owner(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for yes := false; !yes; {
		if err := conn.QueryRow(ctx, sql).Scan(&yes); err != nil {
			t.Fatal(err)
		}
	}
}

// A killed process leaves deliveries that it was pushing. The next process pushes them again and counts the attempt.
func TestRun_killedProcess(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	attempts := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		attempts <- r.Header.Get("X-Goog-Pubsub-Delivery-Attempt")
	}))
	t.Cleanup(server.Close)
	b := open(d.Env())
	err := b.Subscribe(t.Context(), []topic.Subscription{{Name: "s", Topic: "orders", Endpoint: server.URL, DeadLetter: "dlq", Attempts: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Publish(t.Context(), []topic.Message{message("k", "1")})...); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Owner(t).Exec(t.Context(), `
		WITH killed AS (UPDATE bus.pusher SET holder = gen_random_uuid(), leased_until = clock_timestamp() + interval '1 second' RETURNING holder)
		UPDATE bus.deliveries SET pusher = holder, attempt = attempt + 1 FROM killed`); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	if got := <-attempts; got != "2" {
		t.Errorf("got attempt %s, want 2", got)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var owed int
	err = d.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bus.deliveries`).Scan(&owed)
	if err != nil {
		t.Fatal(err)
	}
	if owed != 0 {
		t.Errorf("owed = %d, want 0", owed)
	}
}

// Two processes run on one database. While a push hangs, neither process pushes it again.
func TestRun_oneLeader(t *testing.T) {
	t.Parallel()
	const messages = 60
	d := pgtest.New(t)
	var flying, most atomic.Int32
	arrived, renewed := make(chan string, 2*messages), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), flying.Add(1)))
		body, _ := io.ReadAll(r.Body)
		<-renewed
		flying.Add(-1)
		arrived <- string(body)
	}))
	t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(t.Context())
	var group errgroup.Group
	for range 2 {
		b := open(d.Env())
		if err := b.Subscribe(t.Context(), []topic.Subscription{{Name: "s", Topic: "orders", Endpoint: server.URL, AckDeadline: time.Minute}}); err != nil {
			t.Fatal(err)
		}
		group.Go(func() error { return b.Run(ctx) })
	}
	b := open(d.Env()) // publishes only, so the others are not woken
	for n := range messages {
		if err := errors.Join(b.Publish(t.Context(), []topic.Message{message("k", fmt.Sprint(n))})...); err != nil {
			t.Fatal(err)
		}
	}
	outlasts(t, d)
	close(renewed)
	for n := range messages {
		if got := <-arrived; got != fmt.Sprint(n) {
			t.Fatalf("got message %s, want %d", got, n)
		}
	}
	stop()
	if err := group.Wait(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if most.Load() != 1 {
		t.Errorf("%d pushes of one key at a time", most.Load())
	}
}

// outlasts waits until the pusher's lease would have expired, and checks that the same holder has renewed it.
func outlasts(t *testing.T, d *pgtest.Database) {
	t.Helper()
	until(t, d, `SELECT EXISTS (SELECT FROM bus.pusher WHERE leased_until > clock_timestamp())`)
	conn := d.Owner(t)
	pusher := func() (holder, end string) {
		err := conn.QueryRow(t.Context(), `SELECT holder::text, leased_until::text FROM bus.pusher`).Scan(&holder, &end)
		if err != nil {
			t.Fatal(err)
		}
		return holder, end
	}
	holder, end := pusher()
	until(t, d, fmt.Sprintf(`SELECT clock_timestamp() BETWEEN '%s' AND leased_until FROM bus.pusher`, end))
	if another, _ := pusher(); another != holder {
		t.Error("another pushes, although the one who did is there")
	}
}

func TestSubscribe_incomplete(t *testing.T) {
	t.Parallel()
	b := open(pgtest.New(t).Env())
	for name, s := range map[string]topic.Subscription{
		"no name":     {Topic: "orders", Endpoint: "http://localhost"},
		"no topic":    {Name: "s", Endpoint: "http://localhost"},
		"no endpoint": {Name: "s", Topic: "orders"},
		"no attempts": {Name: "s", Topic: "orders", Endpoint: "http://localhost", DeadLetter: "dlq"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := b.Subscribe(t.Context(), []topic.Subscription{s}); err == nil {
				t.Error("error = nil, want a value")
			}
		})
	}
}

func TestRun_retention(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	b := open(d.Env())
	if err := b.Subscribe(t.Context(), []topic.Subscription{{Name: "s", Topic: "owed", Endpoint: "http://127.0.0.1:1"}}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Publish(t.Context(), []topic.Message{message("", "old"), {Topic: "owed", Data: []byte("owed")}})...); err != nil {
		t.Fatal(err)
	}
	d.Advance(8 * 24 * time.Hour)
	if err := errors.Join(b.Publish(t.Context(), []topic.Message{message("", "new")})...); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	until(t, d, `SELECT NOT EXISTS (SELECT FROM bus.messages WHERE data = 'old')`)
	stop()
	<-ended
	var kept []string
	for _, m := range published(t, b) {
		kept = append(kept, string(m.Data))
	}
	if want := []string{"owed", "new"}; !slices.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}

// Dead-lettered messages wait to be pulled: the bus does not push them, and keeps them after a restart.
func TestSubscribe_deadLetters(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	b := open(d.Env())
	pushed := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		pushed <- string(body)
	}))
	t.Cleanup(server.Close)
	subscriptions := []topic.Subscription{{Name: "s", Topic: "orders", Endpoint: server.URL, DeadLetter: "dlq", Attempts: 5}}
	if err := b.Subscribe(t.Context(), subscriptions); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(b.Publish(t.Context(), []topic.Message{{Topic: "dlq", Data: []byte("dead")}, message("", "alive")})...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	if got := <-pushed; got != "alive" {
		t.Errorf("pushed %q", got)
	}
	cancel()
	<-ended
	if err := b.Subscribe(t.Context(), subscriptions); err != nil {
		t.Fatal(err)
	}
	var attempts, pushers int
	err = d.Owner(t).QueryRow(t.Context(), `SELECT attempt, num_nonnulls(pusher) FROM bus.deliveries WHERE subscription = 'dlq'`).Scan(&attempts, &pushers)
	if err != nil {
		t.Fatal(err)
	}
	if attempts+pushers != 0 {
		t.Errorf("attempts + pushers = %d, want 0", attempts+pushers)
	}
	pulled, err := b.Pull(t.Context(), "dlq", 10, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if len(pulled) != 1 {
		t.Fatalf("len(pulled) = %d, want 1", len(pulled))
	}
	if string(pulled[0].Data) != "dead" {
		t.Errorf(`string(pulled[0].Data) = %q, want "dead"`, string(pulled[0].Data))
	}
	if err := b.Acknowledge(t.Context(), "dlq", []string{"no receipt"}); err == nil {
		t.Error("what is no receipt is acknowledged")
	}
	if pulled, err := b.Pull(t.Context(), "s", 10, time.Minute); err == nil {
		t.Errorf("pulled %v from a subscription that pushes", pulled)
	}
}
