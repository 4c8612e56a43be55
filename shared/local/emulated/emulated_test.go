package emulated_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/emulated"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stamps is a source of tokens that contain only the audience.
type stamps struct{}

func (stamps) Token(_ context.Context, audience string) (string, error) {
	return "token for " + audience, nil
}

// another returns the bus of another process on a project, which shares only the emulator's data.
func another(t testing.TB, address, project string) *emulated.Bus {
	t.Helper()
	e := env.Of(map[string]string{"PUBSUB_EMULATOR_HOST": address, "GOOGLE_CLOUD_PROJECT": project})
	b, err := emulated.Open(identity.SourceKey.With(e, stamps{}))
	must(t, err)
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	return b
}

// stranger returns a publisher of another process, which publishes to the emulator without the proxy.
func stranger(t testing.TB, address, project string) *pubsub.Bus {
	e := env.Of(map[string]string{"PUBSUB_EMULATOR_HOST": address, "GOOGLE_CLOUD_PROJECT": project})
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	return pubsub.Open(e)
}

func TestEmulator_conforms(t *testing.T) {
	t.Parallel()
	topictest.Conform(t, func(t testing.TB) topictest.Setup {
		address, project := emulatortest.PubSub(t), emulatortest.Name()
		return topictest.Setup{
			Open:  func() topictest.Driver { return another(t, address, project) },
			Token: func(audience string) string { return "token for " + audience },
			Lacks: []topictest.Trait{topictest.Waits, topictest.Keeps},
		}
	})
}

func TestPubSub_pullerConformance(t *testing.T) {
	t.Parallel()
	topictest.ConformPuller(t, func(t testing.TB) topictest.PullSetup {
		address, project := emulatortest.PubSub(t), emulatortest.Name()
		b := another(t, address, project)
		must(t, b.Subscribe(t.Context(), []topic.Subscription{{Name: "to-orders", Topic: "orders", Endpoint: "http://localhost", DeadLetter: topictest.DeadLetters, Attempts: 5}}))
		p := stranger(t, address, project) // the process that pulls has no gate
		return topictest.PullSetup{Puller: p, Publish: func(t testing.TB, messages ...topic.Message) {
			must(t, errors.Join(p.Publish(t.Context(), messages)...))
		}}
	})
}

// A listener is an endpoint that acknowledges pushes only when the test allows it.
type listener struct {
	url    string
	pushes chan *http.Request
	answer chan int
}

func listen(t testing.TB) *listener {
	l := &listener{pushes: make(chan *http.Request, 100), answer: make(chan int, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.pushes <- r
		w.WriteHeader(<-l.answer)
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

func (l *listener) next(t testing.TB) *http.Request {
	t.Helper()
	select {
	case r := <-l.pushes:
		return r
	case <-time.After(timeout):
		t.Fatalf("no push within %v", timeout)
		return nil
	}
}

const timeout = 20 * time.Second

// run runs the bus until the test ends.
func run(t testing.TB, b *emulated.Bus) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("run: %v", err)
		}
	})
}

func to(l *listener) topic.Subscription {
	return topic.Subscription{Name: "to-orders", Topic: "orders", Endpoint: l.url, Audience: "https://listener",
		DeadLetter: "orders.dlq", Attempts: 5, MinBackoff: time.Second, MaxBackoff: time.Minute, AckDeadline: 30 * time.Second}
}

func orders(bodies ...string) (messages []topic.Message) {
	for _, body := range bodies {
		messages = append(messages, topic.Message{Topic: "orders", OrderingKey: "k", Attributes: map[string]string{"ce-id": body}, Data: []byte(body)})
	}
	return messages
}

// Functions in processes of their own publish without the proxy; their messages must be delivered too. Endpoints must not
// receive the proxy's mark.
func TestRun_otherPublisher(t *testing.T) {
	t.Parallel()
	address, project := emulatortest.PubSub(t), emulatortest.Name()
	b, l := another(t, address, project), listen(t)
	must(t, b.Subscribe(t.Context(), []topic.Subscription{to(l)}))
	run(t, b)
	l.answer <- http.StatusOK
	l.answer <- http.StatusOK
	must(t, errors.Join(stranger(t, address, project).Publish(t.Context(), orders("others"))...))
	theirs := l.next(t).Header
	must(t, errors.Join(b.Publish(t.Context(), orders("ours"))...))
	ours := l.next(t).Header
	for _, name := range []string{"X-Goog-Pubsub-Message-Id", "X-Goog-Pubsub-Publish-Time", "Ce-Id", "Content-Length"} { // which differ
		theirs.Del(name)
		ours.Del(name)
	}
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("pushed with headers %v, another's with %v", ours, theirs)
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	b, l := another(t, emulatortest.PubSub(t), emulatortest.Name()), listen(t)
	s := to(l)
	s.Filter = map[string]string{"ce-id": "1"}
	must(t, b.Subscribe(t.Context(), []topic.Subscription{s}))
	run(t, b)
	must(t, errors.Join(b.Publish(t.Context(), orders("1", "without a subscription"))...))
	l.next(t)
	if got := b.Waiting(); got != 1 {
		t.Errorf("%d wait while the push is not answered, want 1", got)
	}
	l.answer <- http.StatusServiceUnavailable
	l.next(t)
	if got := b.Waiting(); got != 1 {
		t.Errorf("%d wait while it is pushed again, want 1", got)
	}
	l.answer <- http.StatusOK
	must(t, errors.Join(b.Publish(t.Context(), orders("1"))...)) // of the same key: it comes when the first is settled
	l.next(t)
	if got := b.Waiting(); got != 1 {
		t.Errorf("%d wait while only the second is pushed, want 1", got)
	}
	l.answer <- http.StatusOK
	refused := b.Publish(t.Context(), []topic.Message{{Topic: "orders", OrderingKey: "no\nheader", Attributes: map[string]string{"ce-id": "1"}}})
	if !errors.Is(refused[0], topic.ErrRefused) {
		t.Errorf("got %v, want %v", refused[0], topic.ErrRefused)
	}
	must(t, b.Subscribe(t.Context(), nil))
	if got := b.Waiting(); got != 0 {
		t.Errorf("%d messages without a subscription wait, want 0", got)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	b := another(t, emulatortest.PubSub(t), emulatortest.Name())
	must(t, errors.Join(b.Publish(t.Context(), orders("before"))...))
	last, err := b.Last(t.Context())
	must(t, err)
	must(t, errors.Join(b.Publish(t.Context(), orders("1", "2"))...))
	read := make(chan bus.Stored, 3)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Tail(ctx, last, func(s bus.Stored) error { read <- s; return nil }) }()
	first, second := <-read, <-read
	must(t, errors.Join(b.Publish(t.Context(), orders("3"))...))
	third := <-read
	got := string(first.Data) + string(second.Data) + string(third.Data)
	if got != "123" {
		t.Errorf(`got = %q, want "123"`, got)
	}
	if third.Seq != last+3 {
		t.Errorf("third.Seq = %d, want %d", third.Seq, last+3)
	}
	if len(third.Attributes) != 1 {
		t.Errorf("len(third.Attributes) = %d, want 1", len(third.Attributes))
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Dead-lettered messages must remain until they are pulled: Subscribe must not delete their subscription.
func TestSubscribe_deadLetterRetention(t *testing.T) {
	t.Parallel()
	address, project := emulatortest.PubSub(t), emulatortest.Name()
	b, l := another(t, address, project), listen(t)
	must(t, b.Subscribe(t.Context(), []topic.Subscription{to(l)}))
	must(t, b.Subscribe(t.Context(), []topic.Subscription{to(l)})) // again, as a new start does
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	defer conn.Close()
	client := pb.NewSubscriberClient(conn)
	for name, topicName := range map[string]string{"to-orders": "orders", "orders.dlq": "orders.dlq"} {
		t.Run(name, func(t *testing.T) {
			s, err := client.GetSubscription(t.Context(), &pb.GetSubscriptionRequest{Subscription: "projects/" + project + "/subscriptions/" + name})
			must(t, err)
			pushed, want := s.GetPushConfig().GetPushEndpoint() != "", name == "to-orders"
			if s.Topic != "projects/"+project+"/topics/"+topicName {
				t.Errorf("s.Topic = %q, want %q", s.Topic, "projects/"+project+"/topics/"+topicName)
			}
			if pushed != want {
				t.Errorf("pushed = %t, want %t", pushed, want)
			}
			if s.EnableMessageOrdering != want {
				t.Errorf("s.EnableMessageOrdering = %t, want %t", s.EnableMessageOrdering, want)
			}
			if s.GetExpirationPolicy().GetTtl() != nil {
				t.Errorf("s.GetExpirationPolicy().GetTtl() = %v, want nil", s.GetExpirationPolicy().GetTtl())
			}
		})
	}
}
