// Package outbox implements the transactional outbox: events commit with the data they describe and are published at least once,
// in order per key.
//
// Append writes events in the transaction. Right after the commit the writer publishes them itself, for at most 150 ms; the
// relay, which is ticked every minute, publishes the rest and what is deferred: telemetry. Both work in turns over 64 lanes;
// a lane is a hash of ordering keys:
//
//	take → publish → settle and take again
//
// Take leases a lane and reads its due rows; settle marks the results and releases the lane. Only the holder of the lease
// publishes the lane's rows, in the order of their seq, without an open transaction and with a deadline before the end of the
// lease. A crash at any of these points loses no events: the rows are still there and the lease expires. A crash between publish
// and settle publishes events twice.
//
// Unpublished rows are found by their missing mark, never by a position in seq: a row may commit later than one with a larger
// seq. Within a key this cannot happen, because Append serializes the writers of a key. The lag of an event is the time between
// its row and its publication; events that cannot be published have other alerts. Audit and regulated events are evidence: if
// they violate their schema, their act fails. Operational ones are parked.
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
	publisher topic.Publisher // nil if no publisher is configured: then events are only stored
	draining  pace
}

// Open returns the outbox in the database's schema. It publishes with the publisher in e.
func Open(e env.Env, db *postgres.DB) *Outbox {
	publisher, _ := topic.PublisherKey.Get(e)
	return &Outbox{db: db, now: e.Now, publisher: publisher, draining: draining}
}

// sql inserts the schema into a statement. A schema's name is a constant of its service, never input.
func (o *Outbox) sql(statement string) string {
	return strings.ReplaceAll(statement, "{schema}", o.db.Schema())
}
