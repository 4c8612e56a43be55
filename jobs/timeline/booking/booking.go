// Package booking assembles the timeline of a booking from stored data: rows, outboxes, inboxes, the message bus and the
// log. It reads the local cloud and the databases and logs of production by the same queries; see [Source] and [Log]. Each moment names its cause. The output contains ids, states and amounts, and no personal data.
//
// The parts of a booking are found by joins: ids in rows and payloads, then correlation and causation ids and traces. A
// row does not name the call that wrote it, so it is assigned to the shortest call of its service that was in progress.
//
// Pub/Sub does not list its messages, so in production attempts and dead letters appear as the calls that made them.
package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Kind is the source of a moment.
type Kind string

// Kinds of moments.
const (
	Call         Kind = "call"      // in the log: a call of a function
	Row          Kind = "row"       // in a table of the service
	Published    Kind = "published" // in the service's outbox
	Consumed     Kind = "consumed"  // in the service's inbox: a processed event
	Pending      Kind = "pending"   // on the bus: not delivered yet
	DeadLettered Kind = "dead"      // a dead letter
)

// A Moment is one event of a timeline.
type Moment struct {
	At      time.Time
	Service string
	Kind    Kind
	What    string
	Cause   int // index of the moment that caused it; -1 if unknown
	clues
}

// clues holds the values by which causes are found.
type clues struct {
	event, causation   string // ids of the event that was published or consumed, and of its cause
	request, function  string
	trace, correlation string
	ended              time.Time // end of a call
	depth              int       // number of causes before it
}

// A Timeline is related moments in order.
type Timeline struct {
	State   []string // of each reservation now, in one line
	About   []string // full ids
	Moments []Moment
}

// ErrUnknown is returned for a name without stored data.
var ErrUnknown = errors.New("no value has that name")

// ErrNoBooking is returned for an event that belongs to no booking, and for one that is not stored.
var ErrNoBooking = errors.New("no booking, handoff or session has that event; events are stored for seven days")

// Of returns the timeline of one name: a reservation, its code, a draft, a handoff, a session, a quote, an intent or an
// event of one of these. If log is nil, the timeline has no calls.
func Of(ctx context.Context, data Source, log Log, name string) (Timeline, error) {
	t, err := begin(ctx, data, log)
	if err != nil {
		return Timeline{}, err
	}
	if err := t.find(ctx, name); err != nil {
		return Timeline{}, err
	}
	story, err := t.collect(ctx)
	if err == nil && len(story.Moments) == 0 {
		err = fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return story, err
}

// Everything returns all stored moments, for databases with little data.
func Everything(ctx context.Context, data Source, log Log) (Timeline, error) {
	t, err := begin(ctx, data, log)
	if err != nil {
		return Timeline{}, err
	}
	t.all = true
	return t.collect(ctx)
}

// A collector gathers the moments of a timeline.
type collector struct {
	data    Source
	log     Log
	tables  map[string]bool     // existing tables: a service may not be migrated yet
	outlets []string            // schemas with an outbox
	calls   []LoggedCall        // in the order of the log, each once
	seen    map[LoggedCall]bool // the calls in calls: two searches may find one
	all     bool                // collect everything
	names                       // ids of the timeline
	moments []Moment
}

func begin(ctx context.Context, data Source, log Log) (*collector, error) {
	t := &collector{data: data, log: log, tables: map[string]bool{}, seen: map[LoggedCall]bool{}, names: newNames()}
	tables, err := data.Tables(ctx)
	if err != nil {
		return nil, fmt.Errorf("timeline: tables: %w", err)
	}
	slices.Sort(tables)
	for _, table := range tables {
		t.tables[table] = true
		if schema, outbox := strings.CutSuffix(table, ".outbox"); outbox {
			t.outlets = append(t.outlets, schema)
		}
	}
	return t, nil
}

// collect gathers all moments of the names that were found, and orders them.
func (t *collector) collect(ctx context.Context) (Timeline, error) {
	for _, collect := range []func(context.Context) error{t.rows, t.events, t.consumed, t.pending, t.deadLetters, t.called} {
		if err := collect(ctx); err != nil {
			return Timeline{}, err
		}
	}
	states, err := t.states(ctx)
	return Timeline{State: states, About: t.texts(), Moments: inOrder(t.moments)}, err
}
