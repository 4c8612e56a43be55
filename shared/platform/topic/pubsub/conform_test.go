package pubsub_test

import (
	"context"
	"path"
	"testing"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// fake returns a Pub/Sub server in this process. It has no pushes, but returns the published messages. The publisher knows only
// these.
func fake(t testing.TB, options ...pstest.ServerReactorOption) (*pstest.Server, *pubsub.Bus) {
	server := pstest.NewServer(options...)
	t.Cleanup(func() { check.Must(t, server.Close()) })
	for _, name := range []string{"orders", "others"} {
		check.Got(server.GServer.CreateTopic(t.Context(), &pubsubpb.Topic{Name: "projects/fake/topics/" + name})).Must(t)
	}
	return server, at(t, server.Addr)
}

func at(t testing.TB, address string) *pubsub.Bus {
	e := env.Of(map[string]string{"PUBSUB_EMULATOR_HOST": address, "GOOGLE_CLOUD_PROJECT": "fake"})
	t.Cleanup(func() { check.Must(t, e.Close(context.Background())) })
	return pubsub.Open(e)
}

func published(server *pstest.Server) (messages []topic.Message) {
	for _, m := range server.Messages() {
		messages = append(messages, topic.Message{Topic: path.Base(m.Topic), OrderingKey: m.OrderingKey, Attributes: m.Attributes, Data: m.Data})
	}
	return messages
}

func TestPubSub_publisherConformance(t *testing.T) {
	t.Parallel()
	server, b := fake(t)
	topictest.ConformPublisher(t, b, func() []topic.Message { return published(server) })
}
