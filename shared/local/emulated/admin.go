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

// kept is how long what is not acknowledged stays.
const kept = 7 * 24 * time.Hour

// Subscribe makes these the subscriptions there are, with their topics and dead letters. One that stays keeps what is owed
// to it; one that is not named any more is dropped with everything owed to it.
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
	return b.office.dropUnless(ctx, func(name string) bool {
		_, stays := named[name]
		return stays || shelves[name]
	})
}

// replace makes these the subscriptions that the gate knows.
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
		if err := b.makeShelf(ctx, s.DeadLetter); err != nil {
			return err
		}
	}
	return b.office.create(ctx, b.pushed(s))
}

// pushed is the subscription as the emulator has it. It pushes to the gate, and its dead letters are the gate's affair.
func (b *Bus) pushed(s topic.Subscription) *pb.Subscription {
	return &pb.Subscription{
		Name: b.office.subscription(s.Name), Topic: b.office.topic(s.Topic), Filter: pubsub.Filter(s),
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

// minAckDeadline is Pub/Sub's. The gate keeps shorter ones.
const minAckDeadline = 10 * time.Second

func (b *Bus) makeTopic(ctx context.Context, name string) error {
	b.mu.Lock()
	made := b.topics[name]
	b.mu.Unlock()
	if made {
		return nil
	}
	_, err := b.office.topics.CreateTopic(ctx, &pb.Topic{Name: b.office.topic(name)})
	if err := unless(codes.AlreadyExists, err); err != nil {
		return fmt.Errorf("emulated: make topic %s: %w", name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.topics[name] = true
	return nil
}

// makeShelf makes a dead-letter topic, and a subscription of the same name that keeps what comes there for whoever looks:
// without one, dead letters are lost.
func (b *Bus) makeShelf(ctx context.Context, name string) error {
	if err := b.makeTopic(ctx, name); err != nil {
		return err
	}
	return b.office.create(ctx, &pb.Subscription{
		Name: b.office.subscription(name), Topic: b.office.topic(name), AckDeadlineSeconds: 60,
		ExpirationPolicy: &pb.ExpirationPolicy{}, MessageRetentionDuration: durationpb.New(kept),
	})
}
