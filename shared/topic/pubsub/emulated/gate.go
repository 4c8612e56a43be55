package emulated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/shared/topic"
)

// acknowledging are the answers that Pub/Sub takes for yes.
var acknowledging = []int{http.StatusProcessing, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}

// Why a push was not acknowledged. They go into attributes of dead letters, so they never say what was sent.
var (
	errNoToken  = errors.New("no identity token")
	errNoAnswer = errors.New("no answer")
)

// largest is what the gate reads of a push: Pub/Sub's own limit.
const largest = 10 << 20

// ServeHTTP is the gate: a push of the emulator's, at the path of its subscription. 204 is what the emulator takes for an
// acknowledgement; after anything else it comes again.
func (b *Bus) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.door.RLock()
	defer b.door.RUnlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
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
	d := delivery{topic.Message{Topic: s.DeadLetter, OrderingKey: h.Get("X-Goog-Ordering-Key"), Attributes: attributes(h), Data: data}, s, attempt, h}
	if wanted(s, h.Get) {
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

// push posts a message to its endpoint as Pub/Sub does without its wrapper and with metadata: attributes become headers,
// the data is the body. It returns nil when the endpoint acknowledges.
func (b *Bus) push(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithTimeout(ctx, d.to.AckDeadline)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.to.Endpoint, bytes.NewReader(d.Data))
	if err != nil {
		return errNoAnswer
	}
	d.address(req.Header)
	if b.tokens != nil {
		token, err := b.tokens.Token(ctx, d.to.Audience)
		if err != nil {
			return errNoToken
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := b.client.Do(req)
	if err != nil {
		return errNoAnswer
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
	if !slices.Contains(acknowledging, res.StatusCode) {
		return fmt.Errorf("answered %d", res.StatusCode)
	}
	return nil
}

// address writes the headers: the message's attributes, and what the emulator says of it, under the names of the real one.
func (d delivery) address(h http.Header) {
	for name, value := range d.Attributes {
		h.Set(name, value)
	}
	for _, name := range []string{"X-Goog-Pubsub-Subscription-Name", "X-Goog-Pubsub-Message-Id", "X-Goog-Pubsub-Publish-Time"} {
		h.Set(name, d.header.Get(name))
	}
	if d.OrderingKey != "" {
		h.Set("X-Goog-Pubsub-Ordering-Key", d.OrderingKey)
	}
	if d.to.DeadLetter != "" {
		h.Set("X-Goog-Pubsub-Delivery-Attempt", strconv.Itoa(d.attempt))
	}
}

// dead is the message for the dead letters: the same, and where it comes from under the names that Pub/Sub uses. What
// the endpoint answered last is our own addition.
func (d delivery) dead(project string, nack error) topic.Message {
	m := d.Message
	m.Attributes = map[string]string{
		"CloudPubSubDeadLetterSourceSubscription":        d.to.Name,
		"CloudPubSubDeadLetterSourceSubscriptionProject": project,
		"CloudPubSubDeadLetterSourceTopicPublishTime":    d.header.Get("X-Goog-Pubsub-Publish-Time"),
		"CloudPubSubDeadLetterSourceDeliveryCount":       strconv.Itoa(d.attempt),
		"melmastoon-last-answer":                         nack.Error(),
	}
	maps.Copy(m.Attributes, d.Attributes)
	return m
}
