package topictest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A PullSetup is a puller under test. Messages published to the topic DeadLetters go to the subscription of the same name.
type PullSetup struct {
	Puller  topic.Puller
	Publish func(t testing.TB, messages ...topic.Message)

	Timeout time.Duration // timeout for expected messages; 0 means the default for a busy machine
}

// DeadLetters is the name of the subscription of a PullSetup.
const DeadLetters = "letters.dlq"

// pullChecks maps names to checks of a puller's contract.
var pullChecks = map[string]func(testing.TB, PullSetup){
	"whole message":        pullsWhole,
	"max messages":         pullsNoMore,
	"lease":                leases,
	"release":              releases,
	"acknowledgement":      acknowledgesForGood,
	"expired lease":        endsLeases,
	"concurrent pulls":     shares,
	"unknown subscription": knowsItsSubscriptions,
}

// ConformPuller runs the suite for pullers. Each check gets a setup of its own.
func ConformPuller(t *testing.T, setup func(testing.TB) PullSetup) {
	for name, run := range pullChecks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, setup(t))
		})
	}
}

const long = 5 * time.Minute // longer than every check

func deadLetters(bodies ...string) (messages []topic.Message) {
	for _, body := range bodies {
		messages = append(messages, text(DeadLetters, "", body))
	}
	return messages
}

// pull pulls up to limit messages at a time until it has want messages or, if want is 0, until a pull returns none.
func (r PullSetup) pull(t testing.TB, want, limit int, lease time.Duration) (all []topic.Pulled) {
	t.Helper()
	enough, again := time.NewTimer(cmp.Or(r.Timeout, timeout)), time.NewTicker(10*time.Millisecond)
	defer enough.Stop()
	defer again.Stop()
	for {
		some, err := r.Puller.Pull(t.Context(), DeadLetters, limit, lease)
		check.Must(t, err, "pull")
		all = append(all, some...)
		if want == 0 && len(some) == 0 || want > 0 && len(all) >= want {
			return all
		}
		select {
		case <-enough.C:
			t.Fatalf("got %d messages in time, want %d", len(all), want)
		case <-again.C:
		}
	}
}

func bodiesOf(pulled []topic.Pulled) (bodies []string) {
	for _, p := range pulled {
		bodies = append(bodies, string(p.Data))
	}
	slices.Sort(bodies)
	return bodies
}

func receiptsOf(pulled []topic.Pulled) (receipts []string) {
	for _, p := range pulled {
		receipts = append(receipts, p.Receipt)
	}
	return receipts
}

// came fails the test unless exactly these messages were pulled.
func came(t testing.TB, pulled []topic.Pulled, want ...string) {
	t.Helper()
	check.Equal(t, bodiesOf(pulled), want, "pulled")
}

func pullsWhole(t testing.TB, r PullSetup) {
	sent := topic.Message{Topic: DeadLetters, OrderingKey: "t:k", Attributes: map[string]string{"ce-id": "evt_1", "melmastoon-parked-reason": "it's so"}, Data: []byte("\x00{}\xff")}
	r.Publish(t, sent)
	got := r.pull(t, 1, 10, long)[0]
	switch {
	case got.Receipt == "":
		t.Errorf(`got.Receipt = %q, want other than ""`, got.Receipt)
	case got.PublishedAt.IsZero():
		t.Errorf("got.PublishedAt.IsZero() = true, want false")
	case got.OrderingKey != sent.OrderingKey:
		t.Errorf("got.OrderingKey = %v, want %v", got.OrderingKey, sent.OrderingKey)
	case !bytes.Equal(got.Data, sent.Data):
		t.Errorf("got.Data = %s, want %s", got.Data, sent.Data)
	case !maps.Equal(got.Attributes, sent.Attributes):
		t.Errorf("got.Attributes = %v, want %v", got.Attributes, sent.Attributes)
	}
}

func pullsNoMore(t testing.TB, r PullSetup) {
	r.Publish(t, deadLetters("1", "2", "3", "4", "5")...)
	for range 5 {
		check.Equal(t, len(r.pull(t, 1, 1, long)), 1, "messages pulled")
	}
}

func leases(t testing.TB, r PullSetup) {
	r.Publish(t, deadLetters("1", "2")...)
	r.pull(t, 2, 10, long)
	r.Publish(t, deadLetters("3")...)
	came(t, r.pull(t, 1, 10, long), "3")
}

func releases(t testing.TB, r PullSetup) {
	r.Publish(t, deadLetters("1", "2", "3")...)
	pulled := r.pull(t, 3, 10, long)
	check.Must(t, r.Puller.Release(t.Context(), DeadLetters, receiptsOf(pulled)), "release")
	came(t, r.pull(t, 3, 10, long), "1", "2", "3")
	check.NoError(t, r.Puller.Release(t.Context(), DeadLetters, nil), "release nothing")
}

func acknowledgesForGood(t testing.TB, r PullSetup) {
	r.Publish(t, deadLetters("1", "2", "3")...)
	pulled := r.pull(t, 3, 10, time.Second)
	var stays []topic.Pulled
	var goes []string
	for _, p := range pulled {
		if string(p.Data) == "2" {
			stays = append(stays, p)
		} else {
			goes = append(goes, p.Receipt)
		}
	}
	for range 2 { // a second call is no error
		check.Must(t, r.Puller.Acknowledge(t.Context(), DeadLetters, goes), "acknowledge")
	}
	check.Must(t, r.Puller.Release(t.Context(), DeadLetters, receiptsOf(stays)), "release")
	came(t, r.pull(t, 1, 10, long), "2")
	came(t, r.pull(t, 0, 10, long))
}

func endsLeases(t testing.TB, r PullSetup) {
	r.Publish(t, deadLetters("1")...)
	r.pull(t, 1, 10, time.Second)
	came(t, r.pull(t, 1, 10, long), "1")
}

func shares(t testing.TB, r PullSetup) {
	const all, pullers = 40, 4
	var want []string
	for n := range all {
		want = append(want, fmt.Sprintf("%02d", n))
	}
	r.Publish(t, deadLetters(want...)...)
	var mu sync.Mutex
	var got []topic.Pulled
	var group sync.WaitGroup
	for range pullers {
		group.Go(func() {
			some := r.pull(t, 0, 3, long)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, some...)
		})
	}
	group.Wait()
	came(t, got, want...)
}

func knowsItsSubscriptions(t testing.TB, r PullSetup) {
	if pulled, err := r.Puller.Pull(t.Context(), "nobody.dlq", 10, long); err == nil {
		t.Errorf("pull of a missing subscription: got %v, want an error", pulled)
	}
}
