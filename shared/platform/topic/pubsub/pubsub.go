// Package pubsub publishes to Google's Pub/Sub, and pulls dead letters from it. A topic is called as its subject; a message's
// attributes are the event's.
//
// Messages of one topic and key go out in requests of their own, one after another, so their order holds; different keys
// go side by side. A call ends when its publishing has, in whatever way: nothing is sent with a time of its own, nothing
// is remembered of a key that has failed, and the next call begins with it anew. That is why the generated client is used:
// the other one sends behind the caller's back for up to a minute, and refuses a key after a failure until it is told.
package pubsub

import (
	"context"
	"fmt"

	api "cloud.google.com/go/pubsub/v2/apiv1"
	"golang.org/x/sync/semaphore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A Bus is a project's topics and subscriptions.
type Bus struct{ env env.Env }

var _ topic.Publisher = (*Bus)(nil)

// Open returns the bus of the environment's project. It connects when it is first used.
func Open(e env.Env) *Bus { return &Bus{e} }

// where says whose topics to use.
type where struct {
	Project  string `env:"GOOGLE_CLOUD_PROJECT,required"`
	Emulator string `env:"PUBSUB_EMULATOR_HOST"` // host:port; without it Google's own
}

// A line is a project with a client on it.
type line struct {
	where
	topics *api.TopicAdminClient
	flow   *semaphore.Weighted // of all calls together
}

// line is the environment's one. Connecting is left to the first call.
func (b *Bus) line() (*line, error) {
	return env.Once(b.env, "pubsub", func() (*line, error) {
		var w where
		if err := b.env.Load(&w); err != nil {
			return nil, fmt.Errorf("pubsub: %w", err)
		}
		topics, err := api.NewTopicAdminClient(context.Background(), w.options()...) // dials nothing: the context bounds no later connection
		if err != nil {
			return nil, fmt.Errorf("pubsub: %w", err)
		}
		b.env.OnClose(func(context.Context) error { return topics.Close() })
		return &line{where: w, topics: topics, flow: semaphore.NewWeighted(atOnce)}, nil
	})
}

func (w where) options() []option.ClientOption {
	if w.Emulator == "" {
		return nil
	}
	return []option.ClientOption{
		option.WithEndpoint("passthrough:///" + w.Emulator),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
	}
}

func (w where) topic(name string) string { return "projects/" + w.Project + "/topics/" + name }
