// Package pubsub publishes to Google Cloud Pub/Sub, and pulls dead letters from it. A topic is named after its subject; a
// message's attributes are those of the event.
//
// Messages of one topic and key are sent in separate requests, one after the other, so their order holds; different keys are
// sent concurrently. Publishing ends with the call: no background sending and no state of a failed key remain. That is why the
// package uses the generated client: the other one sends in the background for up to a minute, and rejects a key after a failure
// until it is resumed.
package pubsub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// Open returns the bus of the environment's project. It connects on first use.
func Open(e env.Env) *Bus { return &Bus{e} }

// where configures the project.
type where struct {
	Project  string `env:"GOOGLE_CLOUD_PROJECT,required"`
	Emulator string `env:"PUBSUB_EMULATOR_HOST"` // host:port; if it is empty, Google's endpoint
}

// A line is a project and its clients.
type line struct {
	where
	topics        *api.TopicAdminClient
	subscriptions *api.SubscriptionAdminClient
	flow          *semaphore.Weighted // counts the requests of all calls together
}

// line returns the environment's line. It does not connect before the first call.
func (b *Bus) line() (*line, error) {
	return env.Once(b.env, "pubsub", func() (*line, error) {
		l := &line{flow: semaphore.NewWeighted(maxRequests)}
		err := b.env.Load(&l.where)
		if err == nil {
			l.topics, err = api.NewTopicAdminClient(context.Background(), l.options()...) // does not dial
		}
		if err == nil {
			l.subscriptions, err = api.NewSubscriptionAdminClient(context.Background(), l.options()...)
		}
		if err != nil {
			return nil, fmt.Errorf("pubsub: %w", err)
		}
		b.env.OnClose(func(context.Context) error { return errors.Join(l.topics.Close(), l.subscriptions.Close()) })
		return l, nil
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

func (w where) subscription(name string) string {
	return "projects/" + w.Project + "/subscriptions/" + name
}

// Filter returns the subscription's filter in Pub/Sub's filter language: it matches messages with the wanted attributes, except
// replays for another subscription.
func Filter(s topic.Subscription) string {
	var terms []string
	for _, name := range slices.Sorted(maps.Keys(s.Filter)) {
		terms = append(terms, "attributes."+strconv.Quote(name)+" = "+strconv.Quote(s.Filter[name]))
	}
	own := fmt.Sprintf("(NOT attributes:%[1]q OR attributes.%[1]q = %[2]q)", topic.ReplayTo, s.Name)
	return strings.Join(append(terms, own), " AND ")
}
