package emulated

import (
	"crypto/rand"
	"maps"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// A pendingDelivery is a pending delivery of a message that this process has published. Only [Bus.Waiting] uses it.
type pendingDelivery struct{ subscription, mark string }

// marked is the attribute that identifies a message's debts. Endpoints do not receive it.
const marked = "melmastoon-gate"

// track records the pending deliveries of a message and returns the message with its mark. It is called before publishing,
// because pushes may arrive before the answer.
func (b *Bus) track(m topic.Message) topic.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	mark := rand.Text()
	for name, s := range b.subscriptions {
		if s.Topic == m.Topic && s.Wants(func(attribute string) string { return m.Attributes[attribute] }) {
			b.owed[pendingDelivery{name, mark}] = true
		}
	}
	attributes := map[string]string{marked: mark}
	maps.Copy(attributes, m.Attributes)
	m.Attributes = attributes
	return m
}

// untrack removes all pending deliveries of a message.
func (b *Bus) untrack(m topic.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for d := range b.owed {
		if d.mark == m.Attributes[marked] {
			delete(b.owed, d)
		}
	}
}

// Waiting returns the number of pending deliveries of messages that this process has published.
func (b *Bus) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.owed)
}

// A receipt identifies a message of a subscription by the emulator's message id.
type receipt struct{ subscription, message string }

// begin counts an attempt, unless the subscription is unknown because it is being deleted.
func (b *Bus) begin(r receipt) (s topic.Subscription, attempt int, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, known = b.subscriptions[r.subscription]; known {
		b.attempts[r]++
	}
	return s, b.attempts[r], known
}

// settle removes a message that was acknowledged or dead-lettered.
func (b *Bus) settle(r receipt, mark string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.attempts, r)
	delete(b.owed, pendingDelivery{r.subscription, mark})
}
