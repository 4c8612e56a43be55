package emulated

import (
	"crypto/rand"
	"maps"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// A debt is a message of this process that is owed to a subscription. Debts only serve those who wait for quiet.
type debt struct{ subscription, mark string }

// marked is the attribute that tells the gate which debt is paid. No endpoint sees it.
const marked = "melmastoon-gate"

// track writes down to whom a message is owed before it is published, for its pushes may come before the answer, and
// returns the message with its mark.
func (b *Bus) track(m topic.Message) topic.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	mark := rand.Text()
	for name, s := range b.subscriptions {
		if s.Topic == m.Topic && s.Wants(func(attribute string) string { return m.Attributes[attribute] }) {
			b.owed[debt{name, mark}] = true
		}
	}
	attributes := map[string]string{marked: mark}
	maps.Copy(attributes, m.Attributes)
	m.Attributes = attributes
	return m
}

// untrack takes off all that is owed of a message.
func (b *Bus) untrack(m topic.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for d := range b.owed {
		if d.mark == m.Attributes[marked] {
			delete(b.owed, d)
		}
	}
}

// Waiting is how many messages of this process are on their way to a subscription.
func (b *Bus) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.owed)
}

// A receipt is one message at one subscription, as the emulator numbers it.
type receipt struct{ subscription, message string }

// begin counts an attempt, unless nobody knows the subscription: then it is being dropped.
func (b *Bus) begin(r receipt) (s topic.Subscription, attempt int, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, known = b.subscriptions[r.subscription]; known {
		b.attempts[r]++
	}
	return s, b.attempts[r], known
}

// settle crosses off a message that need not come again.
func (b *Bus) settle(r receipt, mark string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.attempts, r)
	delete(b.owed, debt{r.subscription, mark})
}
