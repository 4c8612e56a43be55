package emulated

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/shared/local/push"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// maxMessage is the maximum size of a push: Pub/Sub's limit.
const maxMessage = 10 << 20

// ServeHTTP handles pushes of the emulator. The path is the name of the subscription. The emulator takes 204 for an
// acknowledgement and retries after any other status.
func (b *Bus) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.pushing.RLock()
	defer b.pushing.RUnlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil || b.life == nil || !b.pass(b.life, strings.TrimPrefix(r.URL.Path, "/"), r.Header, body) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// A delivery is a message to be pushed to a subscription.
type delivery struct {
	topic.Message
	to      topic.Subscription
	attempt int
	header  http.Header // from the emulator
}

// pass applies the features that the emulator lacks, and reports whether to acknowledge the push.
func (b *Bus) pass(life context.Context, subscription string, h http.Header, data []byte) bool {
	r := receipt{subscription, h.Get("X-Goog-Pubsub-Message-Id")}
	s, attempt, known := b.begin(r)
	if !known {
		return false
	}
	d := delivery{
		Message: topic.Message{Topic: s.DeadLetter, OrderingKey: h.Get("X-Goog-Ordering-Key"), Attributes: attributes(h), Data: data},
		to:      s,
		attempt: attempt,
		header:  h,
	}
	if s.Wants(h.Get) {
		if err := b.deliver(life, d); err != nil {
			return false
		}
	}
	b.settle(r, h.Get(marked))
	return true
}

// deliver pushes a message, and dead-letters it after the maximum number of attempts.
func (b *Bus) deliver(life context.Context, d delivery) error {
	err := b.push(life, d)
	if err == nil || d.to.DeadLetter == "" || d.attempt < d.to.Attempts {
		return err
	}
	return errors.Join(b.Publish(life, []topic.Message{d.dead(b.admin.project, err)})...)
}

// attributes returns the attributes of a message from the headers of its push.
func attributes(h http.Header) map[string]string {
	attributes := map[string]string{}
	for name, values := range h {
		if !slices.Contains(transport, name) && !strings.HasPrefix(name, "X-Goog-") && !strings.EqualFold(name, marked) {
			attributes[strings.ToLower(name)] = values[0]
		}
	}
	return attributes
}

// transport lists headers of the emulator's HTTP client.
var transport = []string{"Accept", "Accept-Encoding", "Connection", "Content-Length", "User-Agent"}

// push posts a message to its endpoint, with the emulator's metadata under Pub/Sub's header names. It returns nil if the
// endpoint acknowledges.
func (b *Bus) push(ctx context.Context, d delivery) error {
	return b.pusher.Push(ctx, push.Delivery{
		Message: d.Message, To: d.to, Attempt: d.attempt,
		Subscription: d.header.Get("X-Goog-Pubsub-Subscription-Name"),
		MessageID:    d.header.Get("X-Goog-Pubsub-Message-Id"),
		PublishTime:  d.header.Get("X-Goog-Pubsub-Publish-Time"),
	})
}

// dead returns the message for the dead-letter topic: a copy with its origin in the attributes that Pub/Sub uses. The last
// answer of the endpoint is an addition of this project.
func (d delivery) dead(project string, nack error) topic.Message {
	m := d.Message
	m.Attributes = map[string]string{
		topic.RefusedBy: d.to.Name,
		"CloudPubSubDeadLetterSourceSubscriptionProject": project,
		"CloudPubSubDeadLetterSourceTopicPublishTime":    d.header.Get("X-Goog-Pubsub-Publish-Time"),
		topic.Refusals:   strconv.Itoa(d.attempt),
		topic.LastAnswer: nack.Error(),
	}
	maps.Copy(m.Attributes, d.Attributes)
	return m
}
