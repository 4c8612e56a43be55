package replay

import (
	"fmt"
	"slices"
	"strings"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Listeners formats subscriptions for DEAD_LETTERS: subscription:subject:dead-letter topic, separated by commas.
func Listeners(subscriptions []topic.Subscription) string {
	var all []string
	for _, s := range subscriptions {
		all = append(all, s.Name+":"+s.Topic+":"+s.DeadLetter)
	}
	return strings.Join(all, ",")
}

// Subscriptions returns the subscriptions in DEAD_LETTERS.
func Subscriptions(e env.Env) (subscriptions []topic.Subscription, err error) {
	var c struct {
		DeadLetters []string `env:"DEAD_LETTERS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	for _, entry := range c.DeadLetters {
		part := strings.Split(strings.TrimSpace(entry), ":")
		if len(part) != 3 {
			return nil, fmt.Errorf("replay: %q in DEAD_LETTERS is not subscription:subject:topic", entry)
		}
		subscriptions = append(subscriptions, topic.Subscription{Name: part[0], Topic: part[1], DeadLetter: part[2]})
	}
	return subscriptions, nil
}

// A backlog is a dead-letter topic with the messages read from it.
type backlog struct {
	name          string
	subscriptions []topic.Subscription // that use this dead-letter topic
	messages      []message            // in the order of replay
	more          bool                 // messages were not read
	failed        error                // the error of reading
}

// choose returns the named backlogs, or all.
func (r *replayer) choose(names []string) (backlogs []*backlog, err error) {
	known := map[string]*backlog{}
	for _, l := range r.subscriptions {
		s, again := known[l.DeadLetter]
		if !again {
			s = &backlog{name: l.DeadLetter}
			known[l.DeadLetter], backlogs = s, append(backlogs, s)
		}
		s.subscriptions = append(s.subscriptions, l)
	}
	if len(names) == 0 {
		return backlogs, nil
	}
	backlogs = nil
	for _, name := range names {
		s, ok := known[name]
		if !ok {
			return nil, command.Usage(fmt.Errorf("no dead-letter topic %q; run replay without a topic to list those with messages", name))
		}
		if !slices.Contains(backlogs, s) {
			backlogs = append(backlogs, s)
		}
	}
	return backlogs, nil
}

// subscription returns the subscription that gave a message up: the one with that name, or the only one of this topic.
func (s *backlog) subscription(name string) (topic.Subscription, bool) {
	for _, l := range s.subscriptions {
		if l.Name == name || name == "" && len(s.subscriptions) == 1 {
			return l, true
		}
	}
	return topic.Subscription{Name: name}, false
}
