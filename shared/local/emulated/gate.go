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

// maxMessage is what the gate reads of a push: Pub/Sub's own limit.
const maxMessage = 10 << 20

// ServeHTTP is the gate: a push of the emulator's, at the path of its subscription. 204 is what the emulator takes for an
// acknowledgement; after anything else it comes again.
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

// A delivery is a message on its way to a subscription.
type delivery struct {
	topic.Message
	to      topic.Subscription
	attempt int
	header  http.Header // as the emulator wrote it
}

// pass does what the emulator leaves out, and reports whether the push need not come again.
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

// deliver pushes, and buries what was refused so many times.
func (b *Bus) deliver(life context.Context, d delivery) error {
	err := b.push(life, d)
	if err == nil || d.to.DeadLetter == "" || d.attempt < d.to.Attempts {
		return err
	}
	return errors.Join(b.Publish(life, []topic.Message{d.dead(b.office.project, err)})...)
}

// attributes are those headers of a push that were attributes.
func attributes(h http.Header) map[string]string {
	attributes := map[string]string{}
	for name, values := range h {
		if !slices.Contains(transport, name) && !strings.HasPrefix(name, "X-Goog-") && !strings.EqualFold(name, marked) {
			attributes[strings.ToLower(name)] = values[0]
		}
	}
	return attributes
}

// transport are headers that the emulator's client adds for its own purposes.
var transport = []string{"Accept", "Accept-Encoding", "Connection", "Content-Length", "User-Agent"}

// push brings a message to its endpoint, with what the emulator says of it, under the names of the real one. It returns nil
// when the endpoint acknowledges.
func (b *Bus) push(ctx context.Context, d delivery) error {
	return b.pusher.Push(ctx, push.Delivery{
		Message: d.Message, To: d.to, Attempt: d.attempt,
		Subscription: d.header.Get("X-Goog-Pubsub-Subscription-Name"),
		MessageID:    d.header.Get("X-Goog-Pubsub-Message-Id"),
		PublishTime:  d.header.Get("X-Goog-Pubsub-Publish-Time"),
	})
}

// dead is the message for the dead letters: the same, and where it comes from under the names that Pub/Sub uses. What
// the endpoint answered last is our own addition.
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
