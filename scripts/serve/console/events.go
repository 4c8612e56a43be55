package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

const (
	pageSize = 100  // events on a page
	window   = 1000 // latest messages that the page reads unless it starts at a position
	scan     = 5000 // messages that a page reads at most
)

// A message is one message of the bus, parsed as a function does.
type message struct {
	bus.Stored
	Raw  event.Raw
	Dead bool // a dead letter
}

// Subject returns the subject of the event, or the topic of a message that is not readable.
func (m message) Subject() string {
	if m.Raw.Envelope.Subject != "" {
		return m.Raw.Envelope.Subject
	}
	return m.Topic
}

// Tenant returns the tenant of the event, or "".
func (m message) Tenant() string {
	if m.Raw.Envelope.TenantID == nil {
		return ""
	}
	return m.Raw.Envelope.TenantID.String()
}

func parse(m bus.Stored) message {
	raw, err := event.Of(m.Attributes, m.Data)
	if err != nil {
		raw = event.Raw{} // the page shows topic and attributes
	}
	return message{Stored: m, Raw: raw, Dead: m.Attributes[topic.RefusedBy] != "" || m.Attributes[fn.DeadLetteredBy] != ""}
}

// A filter selects events. Empty fields select all.
type filter struct{ Subject, Tenant, Key string }

func (f filter) matches(m message) bool {
	return strings.Contains(m.Subject(), f.Subject) && strings.Contains(m.Tenant(), f.Tenant) && strings.Contains(m.OrderingKey, f.Key)
}

// eventsView is the content of the page of events.
type eventsView struct {
	filter
	Subjects []string
	From     string // the position after which the page starts; "" shows the latest events first
	Messages []message
	Read     int    // messages read
	Next     string // link to the following page; "" if there is none
	Start    string // link to the first page
}

func (c *Console) events(r *http.Request) (any, error) {
	q := r.URL.Query()
	v := eventsView{filter: filter{q.Get("subject"), q.Get("tenant"), q.Get("key")}, From: q.Get("from")}
	for _, f := range c.Functions {
		for _, s := range f.Spec.Publishes {
			v.Subjects = append(v.Subjects, s.Name)
		}
	}
	slices.Sort(v.Subjects)
	v.Subjects = slices.Compact(v.Subjects)
	v.Start = v.link(0)
	if v.From != "" {
		return v, c.following(r.Context(), &v)
	}
	return v, c.latest(r.Context(), &v)
}

// link returns the address of the page after a position with the same filter.
func (v eventsView) link(after int64) string {
	q := url.Values{"from": {strconv.FormatInt(after, 10)}}
	for name, value := range map[string]string{"subject": v.Subject, "tenant": v.Tenant, "key": v.Key} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return "/-/events?" + q.Encode()
}

// latest reads the latest messages, newest first.
func (c *Console) latest(ctx context.Context, v *eventsView) error {
	last, err := c.Messages.Last(ctx)
	if err != nil {
		return err
	}
	err = c.read(ctx, max(0, last-window), scan, func(m message) bool {
		v.Read++
		if v.matches(m) {
			v.Messages = append(v.Messages, m)
		}
		return true
	})
	slices.Reverse(v.Messages)
	v.Messages = v.Messages[:min(len(v.Messages), pageSize)]
	return err
}

// following reads the messages after the position of the view, oldest first.
func (c *Console) following(ctx context.Context, v *eventsView) error {
	after, err := strconv.ParseInt(v.From, 10, 64)
	if err != nil || after < 0 {
		return fmt.Errorf("%w: %q is no position", errUnknown, v.From)
	}
	return c.read(ctx, after, scan, func(m message) bool {
		v.Read++
		if v.matches(m) {
			v.Messages = append(v.Messages, m)
		}
		if len(v.Messages) == pageSize || v.Read == scan {
			v.Next = v.link(m.Seq)
			return false
		}
		return true
	})
}

// errEnough ends the reading of messages.
var errEnough = errors.New("enough")

// read calls f for the messages after a position, until f returns false, or the current last one or the limit is reached.
func (c *Console) read(ctx context.Context, after int64, limit int, f func(message) bool) error {
	last, err := c.Messages.Last(ctx)
	if err != nil || last <= after {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	err = c.Messages.Tail(ctx, after, func(m bus.Stored) error {
		if limit--; !f(parse(m)) || m.Seq >= last || limit == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) || errors.Is(err, context.DeadlineExceeded) { // the last message may have been deleted meanwhile
		return nil
	}
	return err
}

// readTime bounds the reading of messages and rows for one page.
const readTime = 5 * time.Second

// eventView is the content of the page of one event.
type eventView struct {
	message
	Payload    string
	Attributes [][2]string
	Deliveries []deliveryRow
}

// A deliveryRow is the state of an event at one of its consumers.
type deliveryRow struct {
	Function string
	State    string
	Attempts int
	Latency  time.Duration // of the last attempt
	At       time.Time     // of the last attempt, or of the effect
	Why      string
}

func (c *Console) event(r *http.Request) (any, error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: %q is no position", errUnknown, r.PathValue("seq"))
	}
	var found *message
	if err := c.read(r.Context(), seq-1, 1, func(m message) bool { found = &m; return false }); err != nil {
		return nil, err
	}
	if found == nil || found.Seq != seq {
		return nil, fmt.Errorf("%w: the bus no longer has the message %d", errUnknown, seq)
	}
	v := eventView{message: *found, Payload: pretty(found.Raw.Payload)}
	for name, value := range found.Attributes {
		v.Attributes = append(v.Attributes, [2]string{name, value})
	}
	slices.SortFunc(v.Attributes, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	if !found.Dead {
		v.Deliveries, err = c.deliveries(r.Context(), *found)
	}
	return v, err
}

func pretty(payload []byte) string {
	text := jsontext.Value(slices.Clone(payload))
	if err := text.Indent(); err != nil {
		return "not readable"
	}
	return string(text)
}

// deliveries returns the state of an event at each of its consumers: from the calls of this run and the deliveries of the bus.
func (c *Console) deliveries(ctx context.Context, m message) (rows []deliveryRow, err error) {
	waiting, err := c.pending(ctx)
	if err != nil {
		return nil, err
	}
	id := m.Raw.Envelope.EventID.String()
	for _, f := range c.Functions {
		if f.Spec.Subject != m.Topic {
			continue
		}
		s := f.Subscription("")
		row := deliveryRow{Function: f.Spec.Name, State: "no attempt in this run"}
		if !s.Wants(func(name string) string { return m.Attributes[name] }) {
			row.State = "not selected by the filter"
		}
		for _, call := range c.Calls.about(func(call Call) bool { return call.Event == id && call.Function == f.Spec.Name }) {
			row.Attempts++
			row.Latency, row.At, row.Why, row.State = call.Latency(), call.Time, call.Why(), outcome(call)
		}
		for _, d := range waiting {
			if d.Seq == m.Seq && d.Subscription == s.Name {
				row.State = "waits for the attempt at " + instant(d.DueAt)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func outcome(call Call) string {
	switch {
	case call.Parked != "":
		return "dead-lettered"
	case call.Early():
		return booking.EarlyRetried
	case call.Failed():
		return "failed with " + strconv.Itoa(call.HTTP.Status)
	case call.HTTP.Status >= 400:
		return "rejected with " + strconv.Itoa(call.HTTP.Status)
	}
	return "consumed"
}
