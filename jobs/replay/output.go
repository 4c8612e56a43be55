package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
)

// A Group holds the messages of one dead-letter topic with the same consumer, subject and cause.
type Group struct {
	Topic, Subscription, Subject, Cause string
	Count                               int
	Replayed                            int // that were already replayed twice
	Oldest                              time.Time
	Event                               string // the id of the oldest one; "" if it is not readable
}

// groups returns the groups of messages, in the order of their first messages.
func (s *backlog) groups(messages []message) (groups []Group) {
	for _, l := range messages {
		g := Group{Topic: s.name, Subscription: l.to.Name, Subject: cmp.Or(l.subject, "unreadable"), Cause: l.cause, Oldest: l.at, Event: l.event}
		at := slices.IndexFunc(groups, func(o Group) bool {
			return o.Subscription == g.Subscription && o.Subject == g.Subject && o.Cause == g.Cause
		})
		if at < 0 {
			at, groups = len(groups), append(groups, g)
		}
		of := &groups[at]
		of.Count++
		if l.at.Before(of.Oldest) {
			of.Oldest, of.Event = l.at, l.event
		}
		if l.replays >= maxReplays {
			of.Replayed++
		}
	}
	return groups
}

// list prints a line for each cause, ordered by the oldest message.
func (r *replayer) list(s *backlog, messages []message) error {
	for _, g := range s.groups(messages) {
		repeated := ""
		if g.Replayed > 0 {
			repeated = fmt.Sprintf(", %d already replayed twice", g.Replayed)
		}
		if err := r.say("%s: %d of %s to %s, the oldest of %s%s: %s", s.name, g.Count, g.Subject, g.Subscription, instant(g.Oldest), repeated, g.Cause); err != nil {
			return err
		}
	}
	return nil
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// dryRun prints for each message what a replay would do.
func (r *replayer) dryRun(s *backlog, o options, messages []message) error {
	sent := 0
	for _, l := range messages {
		line := fmt.Sprintf("would replay %s of %s to %s, key %q, replayed %d times before", l.name(), instant(l.at), l.to.Name, l.key, l.replays)
		if why := l.skipReason(o); why != "" {
			line = fmt.Sprintf("would skip %s: %s", l.name(), why)
		} else {
			sent++
		}
		if err := r.say("%s: %s", s.name, line); err != nil {
			return err
		}
	}
	return r.say("%s: would replay %d of %d messages", s.name, sent, len(s.messages))
}

// shown are the prefixes of attributes that contain no guest data. Other attributes belong to the publisher and are not
// shown.
var shown = []string{"ce-", "content-type", "melmastoon-parked-", "melmastoon-last-", "CloudPubSub"}

// A summary is the visible part of a message: without the payload, and without the personal data of the envelope.
type summary struct {
	Attributes map[string]string `json:"attributes"`
	Envelope   *event.Envelope   `json:"envelope,omitzero"`
	Payload    string            `json:"payload"`
}

func (l message) summary() summary {
	p := summary{Attributes: map[string]string{}, Payload: fmt.Sprintf("%d bytes, not shown", len(l.Data))}
	for name, value := range l.Attributes {
		if slices.ContainsFunc(shown, func(beginning string) bool { return strings.HasPrefix(name, beginning) }) {
			p.Attributes[name] = value
		}
	}
	if l.envelope != nil {
		bare := *l.envelope
		bare.UserID, bare.SessionID, bare.Attribution = nil, nil, nil
		p.Envelope = &bare
	}
	return p
}

// show prints a line of JSON for each message.
func (r *replayer) show(s *backlog, messages []message) error {
	for _, l := range messages {
		text, err := json.Marshal(l.summary(), json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("replay: show %s: %w", l.name(), err)
		}
		if err := r.say("%s: %s", s.name, text); err != nil {
			return err
		}
	}
	return nil
}
