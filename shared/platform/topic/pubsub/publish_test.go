package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// A reactor answers publish requests in the server's place, or lets them pass with nil.
type reactor func(*pubsubpb.PublishRequest) error

// React is pstest.ServerReactor's.
func (r reactor) React(request any) (handled bool, answer any, err error) {
	err = r(request.(*pubsubpb.PublishRequest))
	return err != nil, nil, err
}

func reacting(r reactor) pstest.ServerReactorOption {
	return pstest.ServerReactorOption{FuncName: "Publish", Reactor: r}
}

func says(key string, bodies ...string) (messages []topic.Message) {
	for _, body := range bodies {
		messages = append(messages, topic.Message{Topic: "orders", OrderingKey: key, Data: []byte(body)})
	}
	return messages
}

func bodies(server *pstest.Server) (all []string) {
	for _, m := range published(server) {
		all = append(all, string(m.Data))
	}
	return all
}

// expect fails unless each error is of its kind.
func expect(t *testing.T, got []error, want ...error) {
	t.Helper()
	for i := range want {
		if !errors.Is(got[i], want[i]) || want[i] != nil && want[i] != topic.ErrHeldBack && errors.Is(got[i], topic.ErrHeldBack) {
			t.Errorf("message %d: got %v, want %v", i+1, got[i], want[i])
		}
	}
}

// One message that the service refuses spoils the request that it came in. It alone is to blame.
func TestPublish_rejectedMessage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key  string
		want []error
		left []string
	}{
		"ordering key is held back": {"k", []error{nil, nil, topic.ErrRefused, topic.ErrHeldBack, topic.ErrHeldBack}, []string{"1", "2"}},
		"no ordering key":           {"", []error{nil, nil, topic.ErrRefused, nil, nil}, []string{"1", "2", "4", "5"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, b := fake(t, reacting(func(r *pubsubpb.PublishRequest) error {
				if slices.ContainsFunc(r.Messages, func(m *pubsubpb.PubsubMessage) bool { return string(m.Data) == "spoilt" }) {
					return status.Error(codes.InvalidArgument, "no")
				}
				return nil
			}))
			expect(t, b.Publish(t.Context(), says(test.key, "1", "2", "spoilt", "4", "5")), test.want...)
			check.Equal(t, bodies(server), test.left, "published")
		})
	}
}

func TestPublish_failedKey(t *testing.T) {
	t.Parallel()
	var healed atomic.Bool
	server, b := fake(t, reacting(func(r *pubsubpb.PublishRequest) error {
		if r.Messages[0].OrderingKey == "bad" && !healed.Load() {
			return status.Error(codes.PermissionDenied, "not yet")
		}
		return nil
	}))
	messages := slices.Concat(says("bad", "1", "2"), says("good", "3"))
	errs := b.Publish(t.Context(), messages)
	switch {
	case errs[0] == nil:
		t.Errorf("the first: errs[0] = nil, want a value")
	case errors.Is(errs[0], topic.ErrHeldBack):
		t.Errorf("the first: errs[0] = %v, want the service's error", errs[0])
	case errors.Is(errs[0], topic.ErrRefused):
		t.Errorf("the first: errs[0] = %v, want the service's error", errs[0])
	}
	expect(t, errs[1:], topic.ErrHeldBack, nil)
	healed.Store(true)
	expect(t, b.Publish(t.Context(), messages[:2]), nil, nil)
	check.Equal(t, bodies(server), []string{"3", "1", "2"}, "published")
}

func TestPublish_batches(t *testing.T) {
	t.Parallel()
	var largest atomic.Int64
	server, b := fake(t, reacting(func(r *pubsubpb.PublishRequest) error {
		largest.Store(max(largest.Load(), int64(len(r.Messages))))
		return nil
	}))
	var want []string
	for n := range 2500 {
		want = append(want, strconv.Itoa(n))
	}
	for i, err := range b.Publish(t.Context(), says("k", want...)) {
		check.Must(t, err, "message %d", i)
	}
	if got := bodies(server); !slices.Equal(got, want) {
		t.Errorf("%d messages published, want %d in their order", len(got), len(want))
	}
	if largest.Load() > 1000 {
		t.Errorf("a request had %d messages", largest.Load())
	}
}

// A crowded server answers only after a number of concurrent requests.
type crowded struct {
	pubsubpb.UnimplementedPublisherServer
	most int64

	now, peak, all atomic.Int64
	full           chan struct{}
}

// Publish is pubsubpb.PublisherServer's.
func (c *crowded) Publish(ctx context.Context, r *pubsubpb.PublishRequest) (*pubsubpb.PublishResponse, error) {
	defer c.now.Add(-1)
	n := c.now.Add(1)
	for old := c.peak.Load(); n > old && !c.peak.CompareAndSwap(old, n); old = c.peak.Load() { //nolint:revive // the condition does the work
	}
	if c.all.Add(1) == c.most {
		close(c.full)
	}
	select {
	case <-c.full:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for range 100 {
		runtime.Gosched() // more would come meanwhile, if they might
	}
	return &pubsubpb.PublishResponse{MessageIds: make([]string, len(r.Messages))}, nil
}

func TestPublish_inFlightLimit(t *testing.T) {
	t.Parallel()
	const keys, most = 500, 64
	c := &crowded{most: most, full: make(chan struct{})}
	listener := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	server := grpc.NewServer()
	pubsubpb.RegisterPublisherServer(server, c)
	go func() { _ = server.Serve(listener) }() // until it is stopped
	t.Cleanup(server.Stop)
	var messages []topic.Message
	for n := range keys {
		messages = append(messages, says(fmt.Sprint("k", n), "x")...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	check.Must(t, errors.Join(at(t, listener.Addr().String()).Publish(ctx, messages)...))
	if all, peak := c.all.Load(), c.peak.Load(); all != keys || peak != most {
		t.Errorf("%d requests, %d at once, want %d and %d", all, peak, keys, most)
	}
}

// A call that ends leaves nothing behind that publishes later.
func TestPublish_deadline(t *testing.T) {
	t.Parallel()
	unused := check.Got(subprocess.FreeAddress()).Must(t)
	for name, address := range map[string]string{"connection refused": unused, "no response": documenttest.Listener(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			expect(t, at(t, address).Publish(ctx, says("k", "1", "2")), context.DeadlineExceeded, topic.ErrHeldBack)
		})
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	const own = `(NOT attributes:"ce-replayto" OR attributes."ce-replayto" = "me")`
	for want, attributes := range map[string]map[string]string{
		own: nil,
		`attributes."ce-type" = "a\"b" AND ` + own:                                    {"ce-type": `a"b`},
		`attributes."ce-errorcode" = "X" AND attributes."ce-tenant" = "t" AND ` + own: {"ce-tenant": "t", "ce-errorcode": "X"},
	} {
		t.Run(want, func(t *testing.T) {
			check.Equal(t, pubsub.Filter(topic.Subscription{Name: "me", Filter: attributes}), want)
		})
	}
}
