package emulated

import (
	"context"
	"fmt"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

// kept is the retention of unacknowledged messages.
const kept = 7 * 24 * time.Hour

// Subscribe replaces the set of subscriptions, with their topics and dead-letter topics. Existing subscriptions keep their
// pending messages; missing ones are deleted with theirs.
func (b *Bus) Subscribe(ctx context.Context, subscriptions []topic.Subscription) error {
	named := map[string]topic.Subscription{}
	shelves := map[string]bool{}
	for _, s := range subscriptions {
		named[s.Name], shelves[s.DeadLetter] = s, true
	}
	b.replace(named)
	for _, s := range subscriptions {
		if err := b.subscribe(ctx, s); err != nil {
			return fmt.Errorf("emulated: subscribe %s: %w", s.Name, err)
		}
	}
	return b.admin.dropUnless(ctx, func(name string) bool {
		_, stays := named[name]
		return stays || shelves[name]
	})
}

// replace replaces the subscriptions of the proxy.
func (b *Bus) replace(named map[string]topic.Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscriptions = named
	for d := range b.owed {
		if _, stays := named[d.subscription]; !stays {
			delete(b.owed, d)
		}
	}
	for r := range b.attempts {
		if _, stays := named[r.subscription]; !stays {
			delete(b.attempts, r)
		}
	}
}

func (b *Bus) subscribe(ctx context.Context, s topic.Subscription) error {
	if err := b.makeTopic(ctx, s.Topic); err != nil {
		return err
	}
	if s.DeadLetter != "" {
		if err := b.createDeadLetterTopic(ctx, s.DeadLetter); err != nil {
			return err
		}
	}
	return b.admin.create(ctx, b.pushed(s))
}

// pushed returns the subscription for the emulator. It pushes to the proxy, which implements dead-lettering.
func (b *Bus) pushed(s topic.Subscription) *pb.Subscription {
	return &pb.Subscription{
		Name: b.admin.subscription(s.Name), Topic: b.admin.topic(s.Topic), Filter: pubsub.Filter(s),
		PushConfig: &pb.PushConfig{
			PushEndpoint: b.address + "/" + s.Name,
			Wrapper:      &pb.PushConfig_NoWrapper_{NoWrapper: &pb.PushConfig_NoWrapper{WriteMetadata: true}},
		},
		EnableMessageOrdering:    true,
		AckDeadlineSeconds:       int32(max(s.AckDeadline, minAckDeadline) / time.Second),
		RetryPolicy:              &pb.RetryPolicy{MinimumBackoff: durationpb.New(s.MinBackoff), MaximumBackoff: durationpb.New(s.MaxBackoff)},
		ExpirationPolicy:         &pb.ExpirationPolicy{}, // empty: never
		MessageRetentionDuration: durationpb.New(kept),
	}
}

// minAckDeadline is Pub/Sub's minimum. The proxy enforces shorter deadlines.
const minAckDeadline = 10 * time.Second

func (b *Bus) makeTopic(ctx context.Context, name string) error {
	b.mu.Lock()
	made := b.topics[name]
	b.mu.Unlock()
	if made {
		return nil
	}
	_, err := b.admin.topics.CreateTopic(ctx, &pb.Topic{Name: b.admin.topic(name)})
	if err := unless(codes.AlreadyExists, err); err != nil {
		return fmt.Errorf("emulated: make topic %s: %w", name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.topics[name] = true
	return nil
}

// createDeadLetterTopic creates a dead-letter topic and a pull subscription of the same name; without a subscription, messages would be
// lost.
func (b *Bus) createDeadLetterTopic(ctx context.Context, name string) error {
	if err := b.makeTopic(ctx, name); err != nil {
		return err
	}
	return b.admin.create(ctx, &pb.Subscription{
		Name: b.admin.subscription(name), Topic: b.admin.topic(name), AckDeadlineSeconds: 60,
		ExpirationPolicy: &pb.ExpirationPolicy{}, MessageRetentionDuration: durationpb.New(kept),
	})
}
