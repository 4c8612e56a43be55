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

// list prints a line for each cause, ordered by the oldest message.
func (r *replayer) list(s *backlog, messages []message) error {
	type group struct {
		to, subject, cause string
	}
	var groups []group
	members := map[group][]message{}
	for _, l := range messages {
		g := group{to: l.to.Name, subject: cmp.Or(l.subject, "unreadable"), cause: l.cause}
		if len(members[g]) == 0 {
			groups = append(groups, g)
		}
		members[g] = append(members[g], l)
	}
	for _, g := range groups {
		of := members[g]
		oldest := slices.MinFunc(of, func(a, b message) int { return a.at.Compare(b.at) })
		repeated := ""
		if n := len(slices.DeleteFunc(slices.Clone(of), func(l message) bool { return l.replays < maxReplays })); n > 0 {
			repeated = fmt.Sprintf(", %d already replayed twice", n)
		}
		if err := r.say("%s: %d of %s to %s, the oldest of %s%s: %s", s.name, len(of), g.subject, g.to, instant(oldest.at), repeated, g.cause); err != nil {
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
