package replay

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A message is a pulled message with its parsed attributes. Any of them may be missing.
type message struct {
	topic.Pulled
	to       topic.Subscription // the subscription that gave it up
	known    bool               // the subscription is deployed
	subject  string
	event    string
	key      string // empty if unordered
	version  int    // of the aggregate; 0 if unknown
	at       time.Time
	replays  int
	cause    string // for display: without ids and numbers
	envelope *event.Envelope
}

func (s *backlog) read(p topic.Pulled) message {
	a := p.Attributes
	l := message{Pulled: p, subject: a["ce-type"], event: a["ce-id"], key: p.OrderingKey, at: p.PublishedAt, cause: general(cause(a))}
	l.to, l.known = s.subscription(cmp.Or(a[fn.DeadLetteredBy], a[topic.RefusedBy]))
	l.replays, _ = strconv.Atoi(a[topic.Replays]) // 0 if absent
	l.version, _ = strconv.Atoi(a["ce-sequence"])
	if at, err := time.Parse(time.RFC3339, a["ce-time"]); err == nil {
		l.at = at
	}
	if key, err := url.PathUnescape(a["ce-partitionkey"]); err == nil {
		l.key = cmp.Or(l.key, key)
	}
	if raw, err := event.Of(a, p.Data); err == nil {
		l.envelope = &raw.Envelope
	}
	return l
}

func cause(a map[string]string) string {
	switch {
	case a[fn.DeadLetterReason] != "":
		return a[fn.DeadLetterReason]
	case a[topic.LastAnswer] != "":
		return "rejected: it " + a[topic.LastAnswer]
	case a[topic.Refusals] != "":
		return "rejected " + a[topic.Refusals] + " times; see the log of the function"
	}
	return "no reason recorded"
}

var (
	ids     = regexp.MustCompile(`\b([a-z]{3,4}(?:_[a-z]+)?_)[0-9A-HJKMNP-TV-Z]{26}\b`)
	numbers = regexp.MustCompile(`\b[0-9]{4,}\b`)
)

// general replaces ids and numbers in a cause, so that messages with the same cause form one group.
func general(cause string) string {
	return numbers.ReplaceAllString(ids.ReplaceAllString(cause, "${1}…"), "…")
}

// inOrder sorts messages by time, oldest first, and within a key by version.
func inOrder(messages []message) {
	slices.SortFunc(messages, func(a, b message) int {
		return cmp.Or(a.at.Compare(b.at), a.PublishedAt.Compare(b.PublishedAt), cmp.Compare(a.event, b.event))
	})
	places, keyed := map[string][]int{}, map[string][]message{}
	for i, l := range messages {
		if l.key != "" {
			places[l.key], keyed[l.key] = append(places[l.key], i), append(keyed[l.key], l)
		}
	}
	for key, of := range keyed {
		slices.SortStableFunc(of, func(a, b message) int { return cmp.Compare(a.version, b.version) })
		for n, i := range places[key] {
			messages[i] = of[n]
		}
	}
}

// pick returns the messages that match the options.
func (o options) pick(messages []message) (chosen []message) {
	for _, l := range messages {
		if o.subject != "" && l.subject != o.subject || !strings.Contains(l.cause, o.cause) && !strings.Contains(cause(l.Attributes), o.cause) {
			continue
		}
		if chosen = append(chosen, l); len(chosen) == o.limit {
			break
		}
	}
	return chosen
}

// maxReplays is the number of replays of a message without -again: a message that failed twice after a replay is not
// fixed.
const maxReplays = 2

// skipReason returns why a message is not replayed, or "".
func (l message) skipReason(o options) string {
	switch {
	case !l.known:
		return "no subscription " + strconv.Quote(l.to.Name) + " uses this dead-letter topic"
	case l.Attributes[fn.DeadLetterSize] != "":
		return "it was kept without its data of " + l.Attributes[fn.DeadLetterSize] + " bytes, because it was too large; the producer must publish less"
	case l.replays >= maxReplays && !o.again:
		return "already replayed " + strconv.Itoa(l.replays) + " times; -again replays it once more"
	}
	return ""
}

// again returns the message to publish: the original one, for its subscription only, with an incremented count.
func (l message) again() topic.Message {
	m := topic.Message{Topic: l.to.Topic, OrderingKey: l.key, Data: l.Data, Attributes: map[string]string{}}
	for name, value := range l.Attributes {
		if strings.HasPrefix(name, "ce-") || name == "content-type" {
			m.Attributes[name] = value
		}
	}
	m.Attributes[topic.ReplayTo], m.Attributes[topic.Replays] = l.to.Name, strconv.Itoa(l.replays+1)
	return m
}

// name identifies the message in logs.
func (l message) name() string { return cmp.Or(l.event, "an unreadable event") }
