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

// list says a line for each cause, that of the oldest letter first.
func (r *replayer) list(s *backlog, letters []message) error {
	type group struct {
		to, subject, cause string
	}
	var groups []group
	members := map[group][]message{}
	for _, l := range letters {
		g := group{to: l.to.Name, subject: cmp.Or(l.subject, "unreadable"), cause: l.cause}
		if len(members[g]) == 0 {
			groups = append(groups, g)
		}
		members[g] = append(members[g], l)
	}
	for _, g := range groups {
		of := members[g]
		oldest := slices.MinFunc(of, func(a, b message) int { return a.at.Compare(b.at) })
		worn := ""
		if n := len(slices.DeleteFunc(slices.Clone(of), func(l message) bool { return l.replays < enough })); n > 0 {
			worn = fmt.Sprintf(", %d replayed twice already", n)
		}
		if err := r.say("%s: %d of %s to %s, the oldest of %s%s: %s", s.name, len(of), g.subject, g.to, instant(oldest.at), worn, g.cause); err != nil {
			return err
		}
	}
	return nil
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// dryRun says of each letter what a replay would do with it.
func (r *replayer) dryRun(s *backlog, o order, letters []message) error {
	sent := 0
	for _, l := range letters {
		line := fmt.Sprintf("would replay %s of %s to %s, key %q, replayed %d times before", l.name(), instant(l.at), l.to.Name, l.key, l.replays)
		if why := l.reason(o); why != "" {
			line = fmt.Sprintf("would leave %s: %s", l.name(), why)
		} else {
			sent++
		}
		if err := r.say("%s: %s", s.name, line); err != nil {
			return err
		}
	}
	return r.say("%s: would replay %d of %d letters", s.name, sent, len(s.letters))
}

// shown are the beginnings of attributes that say nothing of guests. What else a message has is its publisher's affair.
var shown = []string{"ce-", "content-type", "melmastoon-parked-", "melmastoon-last-", "CloudPubSub"}

// A summary is what is shown of a letter. The payload is not, nor of the envelope what tells of a person.
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

// show says a line of JSON for each letter.
func (r *replayer) show(s *backlog, letters []message) error {
	for _, l := range letters {
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
