// Package outbox tells the world what a transaction made true: no event without its effect, no effect without its event.
//
// Append writes events into the transaction. Right after the commit the writer publishes them itself, for at most
// 150 ms; the relay, ticked every minute, publishes what is left. Both work in turns over 64 lanes, each the hash of some
// ordering keys:
//
//	take → publish → settle, and look once more
//
// Who takes a lane has it on lease and reads what is due there; who settles writes down what became of that and gives
// the lane back. Whoever holds the lease alone publishes the lane's rows, in the order of their seq, with no transaction
// open meanwhile and a deadline that ends before the lease does. Killed at any of these points it loses nothing: the rows
// are still there and the lease runs out. Only a kill between publish and settle has an event published twice.
//
// What is left is found by looking for rows that are not marked, never by a position in seq: a row may commit later
// than one that came after it. Within a key it cannot, for Append has the writers of a key wait for each other.
package outbox

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// An Outbox is the outbox table of one service's schema.
type Outbox struct {
	db        *postgres.DB
	now       func() time.Time
	publisher topic.Publisher // nil where none was given: then events are only stored
	draining  pace
	step      func(Step) error
}

// A Step is a point of a turn that has just been passed.
type Step = string

// The steps of a turn. Tests of failures stop there.
const (
	Taken     Step = "take"
	Published Step = "publish"
	Settled   Step = "settle"
)

// Open returns the outbox in the database's schema. It publishes through the publisher that was given to e.
func Open(e env.Env, db *postgres.DB) *Outbox {
	publisher, _ := topic.Open(e)
	return &Outbox{db: db, now: e.Now, publisher: publisher, draining: draining, step: func(Step) error { return nil }}
}

// sql puts the outbox's own schema into a statement. A schema's name is a constant of its service, never input.
func (o *Outbox) sql(statement string) string {
	return strings.ReplaceAll(statement, "{schema}", o.db.Schema())
}
