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

// A message is a pulled message and what can be read of it. Much may be missing: it died of something.
type message struct {
	topic.Pulled
	to       topic.Subscription // who gave it up
	known    bool               // that such a subscription is deployed
	subject  string
	event    string
	key      string // "" where order does not matter
	version  int    // of the aggregate, 0 where it is not told
	at       time.Time
	replays  int
	cause    string // for people: with what differs from letter to letter left out
	envelope *event.Envelope
}

func (s *backlog) read(p topic.Pulled) message {
	a := p.Attributes
	l := message{Pulled: p, subject: a["ce-type"], event: a["ce-id"], key: p.OrderingKey, at: p.PublishedAt, cause: general(cause(a))}
	l.to, l.known = s.addressee(cmp.Or(a[fn.DeadLetteredBy], a[topic.RefusedBy]))
	l.replays, _ = strconv.Atoi(a[topic.Replays]) // without it: never
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
		return "refused: it " + a[topic.LastAnswer]
	case a[topic.Refusals] != "":
		return "refused " + a[topic.Refusals] + " times; its log says why"
	}
	return "no reason recorded"
}

var (
	ids     = regexp.MustCompile(`\b([a-z]{3,4}(?:_[a-z]+)?_)[0-9A-HJKMNP-TV-Z]{26}\b`)
	numbers = regexp.MustCompile(`\b[0-9]{4,}\b`)
)

// general leaves out of a cause what differs from letter to letter, so that those with one cause are one group.
func general(cause string) string {
	return numbers.ReplaceAllString(ids.ReplaceAllString(cause, "${1}…"), "…")
}

// inOrder sorts letters: the oldest first, and those of a key as they happened to it.
func inOrder(letters []message) {
	slices.SortFunc(letters, func(a, b message) int {
		return cmp.Or(a.at.Compare(b.at), a.PublishedAt.Compare(b.PublishedAt), cmp.Compare(a.event, b.event))
	})
	places, keyed := map[string][]int{}, map[string][]message{}
	for i, l := range letters {
		if l.key != "" {
			places[l.key], keyed[l.key] = append(places[l.key], i), append(keyed[l.key], l)
		}
	}
	for key, of := range keyed {
		slices.SortStableFunc(of, func(a, b message) int { return cmp.Compare(a.version, b.version) })
		for n, i := range places[key] {
			letters[i] = of[n]
		}
	}
}

// pick keeps the letters that were asked for.
func (o order) pick(letters []message) (chosen []message) {
	for _, l := range letters {
		if o.subject != "" && l.subject != o.subject || !strings.Contains(l.cause, o.cause) && !strings.Contains(cause(l.Attributes), o.cause) {
			continue
		}
		if chosen = append(chosen, l); len(chosen) == o.limit {
			break
		}
	}
	return chosen
}

// enough is how often a letter is replayed without being asked for: what came back twice has not been mended.
const enough = 2

// reason says why a letter is left where it is, "" if it is not.
func (l message) reason(o order) string {
	switch {
	case !l.known:
		return "nobody called " + strconv.Quote(l.to.Name) + " puts letters here"
	case l.replays >= enough && !o.again:
		return "replayed " + strconv.Itoa(l.replays) + " times already; -again replays it once more"
	}
	return ""
}

// again is the message that brings the letter back: as it was, for the one subscription, counted.
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

// name is how people find the letter in a log.
func (l message) name() string { return cmp.Or(l.event, "an unreadable event") }
