package replay

import (
	"fmt"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Listeners says who hears what, as DEAD_LETTERS is to say it: function:subject:dead-letter topic, with commas between.
func Listeners(subscriptions []topic.Subscription) string {
	var all []string
	for _, s := range subscriptions {
		all = append(all, s.Name+":"+s.Topic+":"+s.DeadLetter)
	}
	return strings.Join(all, ",")
}

func heard(e env.Env) (listeners []topic.Subscription, err error) {
	var c struct {
		DeadLetters []string `env:"DEAD_LETTERS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	for _, entry := range c.DeadLetters {
		part := strings.Split(strings.TrimSpace(entry), ":")
		if len(part) != 3 {
			return nil, fmt.Errorf("replay: %q in DEAD_LETTERS is not function:subject:topic", entry)
		}
		listeners = append(listeners, topic.Subscription{Name: part[0], Topic: part[1], DeadLetter: part[2]})
	}
	return listeners, nil
}

// A backlog is a dead-letter topic, with what was found there.
type backlog struct {
	name      string
	listeners []topic.Subscription // whose letters go there
	letters   []message            // in the order in which they are to be replayed
	more      bool                 // that were not looked at
	failed    error                // of the look
}

// choose returns the shelves named, or all.
func (r *replayer) choose(names []string) (shelves []*backlog, err error) {
	known := map[string]*backlog{}
	for _, l := range r.listeners {
		s, again := known[l.DeadLetter]
		if !again {
			s = &backlog{name: l.DeadLetter}
			known[l.DeadLetter], shelves = s, append(shelves, s)
		}
		s.listeners = append(s.listeners, l)
	}
	if len(names) == 0 {
		return shelves, nil
	}
	shelves = nil
	for _, name := range names {
		s, ok := known[name]
		if !ok {
			return nil, fn.Usage(fmt.Errorf("no dead-letter topic %q; run replay without a topic to list those with messages", name))
		}
		if !slices.Contains(shelves, s) {
			shelves = append(shelves, s)
		}
	}
	return shelves, nil
}

// addressee is the subscription that gave a letter up: the one of that name, or the only one whose letters go here.
func (s *backlog) addressee(name string) (topic.Subscription, bool) {
	for _, l := range s.listeners {
		if l.Name == name || name == "" && len(s.listeners) == 1 {
			return l, true
		}
	}
	return topic.Subscription{Name: name}, false
}
