// Package booking tells the life of a booking from what was kept of it: rows, outboxes, inboxes, the bus and the log, in the
// order of time, each moment with what led to it. It shows ids, states and amounts, and never who the guest is.
//
// What belongs to a booking is found by the joins there are: ids in rows and payloads, then correlation, causation and
// traces. A row does not say which call wrote it: it is put down to the narrowest call of its service around it.
package booking

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Kind says where a moment was found.
type Kind string

// The kinds of moments.
const (
	Call         Kind = "call"  // in the log: a function was called and answered
	Row          Kind = "row"   // in a table of the service's own
	Published    Kind = "told"  // in its outbox
	Consumed     Kind = "heard" // in its inbox: an event has had its effect
	Pending      Kind = "owed"  // on the bus: not delivered yet
	DeadLettered Kind = "dead"  // among the dead letters: given up
)

// A Moment is one thing that happened.
type Moment struct {
	At      time.Time
	Service string
	Kind    Kind
	What    string
	Cause   int // index of the moment that led to it; -1 where nothing that was kept says so
	clues
}

// Clues are what tells causes.
type clues struct {
	event, causation   string // ids of the event told or heard, and of the one that led to it
	request, function  string
	trace, correlation string
	ended              time.Time // of a call
	depth              int       // how many causes stand before it
}

// A Timeline is moments that belong together, in order.
type Timeline struct {
	About   []string // what it is about, by full names
	Moments []Moment
}

// ErrUnknown is told of a name that nothing is kept of.
var ErrUnknown = errors.New("no value has that name")

// Of tells the story around one name: a reservation, its code, a draft, a handoff, a session, a quote or an intent. The
// log may be nil: then nobody knows of calls.
func Of(ctx context.Context, conn *pgx.Conn, log io.Reader, name string) (Timeline, error) {
	t, err := begin(ctx, conn, log)
	if err != nil {
		return Timeline{}, err
	}
	if err := t.find(ctx, name); err != nil {
		return Timeline{}, err
	}
	story, err := t.tell(ctx)
	if err == nil && len(story.Moments) == 0 {
		err = fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return story, err
}

// Everything tells all that the database and the log have, for databases in which little has happened.
func Everything(ctx context.Context, conn *pgx.Conn, log io.Reader) (Timeline, error) {
	t, err := begin(ctx, conn, log)
	if err != nil {
		return Timeline{}, err
	}
	t.all = true
	return t.tell(ctx)
}

// A teller collects what a story is made of.
type teller struct {
	conn    *pgx.Conn
	tables  map[string]bool // those there are: a service may not be here yet
	outlets []string        // the schemas that have an outbox
	calls   []call
	all     bool // no name limits the story
	names        // what it is about
	moments []Moment
}

func begin(ctx context.Context, conn *pgx.Conn, log io.Reader) (*teller, error) {
	t := &teller{conn: conn, tables: map[string]bool{}, names: newNames()}
	rows, _ := conn.Query(ctx, `SELECT schemaname || '.' || tablename, tablename = 'outbox', schemaname FROM pg_tables ORDER BY 1`)
	var table, schema string
	var outbox bool
	_, err := pgx.ForEachRow(rows, []any{&table, &outbox, &schema}, func() error {
		t.tables[table] = true
		if outbox {
			t.outlets = append(t.outlets, schema)
		}
		return nil
	})
	if err == nil && log != nil {
		t.calls, err = readLog(log)
	}
	return t, err
}

// tell collects all moments of what was found, and puts them in order.
func (t *teller) tell(ctx context.Context) (Timeline, error) {
	for _, collect := range []func(context.Context) error{t.rows, t.events, t.heard, t.owed, t.dead} {
		if err := collect(ctx); err != nil {
			return Timeline{}, err
		}
	}
	t.called()
	return Timeline{About: t.texts(), Moments: inOrder(t.moments)}, nil
}
