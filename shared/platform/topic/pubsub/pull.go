package pubsub

import (
	"context"
	"fmt"
	"slices"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"

	"melmastoon.ghasi.io/shared/platform/topic"
)

var _ topic.Puller = (*Bus)(nil)

const (
	maxPulled   = 1000
	maxReceipts = 500               // per request, which may have half a megabyte
	maxLease    = 600 * time.Second // Pub/Sub's limit
)

// pullTime bounds the wait for the first message. Messages in transit at the end of a pull are redelivered after the
// subscription's own deadline.
const pullTime = 3 * time.Second

// Pull implements topic.Puller. A lease is at most ten minutes.
func (b *Bus) Pull(ctx context.Context, subscription string, limit int, lease time.Duration) ([]topic.Pulled, error) {
	l, err := b.line()
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	answer, err := l.subscriptions.Pull(waiting, &pb.PullRequest{Subscription: l.subscription(subscription), MaxMessages: int32(min(limit, maxPulled))})
	if waiting.Err() != nil && ctx.Err() == nil {
		return nil, nil // no messages
	}
	if err != nil {
		return nil, fmt.Errorf("pubsub: pull: %w", outage(ctx, err))
	}
	var pulled []topic.Pulled
	var receipts []string
	for _, r := range answer.ReceivedMessages {
		m := r.Message
		pulled = append(pulled, topic.Pulled{Receipt: r.AckId, PublishedAt: m.PublishTime.AsTime(),
			Message: topic.Message{OrderingKey: m.OrderingKey, Attributes: m.Attributes, Data: m.Data}})
		receipts = append(receipts, r.AckId)
	}
	return pulled, l.lease(ctx, subscription, receipts, min(lease, maxLease))
}

// Release implements topic.Puller.
func (b *Bus) Release(ctx context.Context, subscription string, receipts []string) error {
	l, err := b.line()
	if err != nil {
		return err
	}
	return l.lease(ctx, subscription, receipts, 0)
}

// lease sets the lease of messages, from now on.
func (l *line) lease(ctx context.Context, subscription string, receipts []string, lasting time.Duration) error {
	for some := range slices.Chunk(receipts, maxReceipts) {
		err := l.subscriptions.ModifyAckDeadline(ctx, &pb.ModifyAckDeadlineRequest{
			Subscription: l.subscription(subscription), AckIds: some, AckDeadlineSeconds: int32(lasting / time.Second)})
		if err != nil {
			return fmt.Errorf("pubsub: lease: %w", outage(ctx, err))
		}
	}
	return nil
}

// Acknowledge implements topic.Puller.
func (b *Bus) Acknowledge(ctx context.Context, subscription string, receipts []string) error {
	l, err := b.line()
	if err != nil {
		return err
	}
	for some := range slices.Chunk(receipts, maxReceipts) {
		if err := l.subscriptions.Acknowledge(ctx, &pb.AcknowledgeRequest{Subscription: l.subscription(subscription), AckIds: some}); err != nil {
			return fmt.Errorf("pubsub: acknowledge: %w", outage(ctx, err))
		}
	}
	return nil
}
