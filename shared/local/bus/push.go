package bus

import (
	"context"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/local/push"
)

// project is the project in the names that Pub/Sub would use.
const project = "local"

// push posts a message to its endpoint. It returns nil if the endpoint acknowledges.
func (b *Bus) push(ctx context.Context, d delivery) error {
	return b.pusher.Push(ctx, push.Delivery{
		Message: d.Message, To: d.subscription, Attempt: d.attempt,
		Subscription: "projects/" + project + "/subscriptions/" + d.subscription.Name,
		MessageID:    strconv.FormatInt(d.Seq, 10),
		PublishTime:  d.PublishedAt.UTC().Format(time.RFC3339Nano),
	})
}
