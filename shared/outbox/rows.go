package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/postgres"
	"melmastoon.ghasi.io/shared/topic"
)

// A row is an event that waits to be published.
type row struct {
	ID       [16]byte
	Subject  string
	Key      string `db:"ordering_key"`
	Payload  []byte
	Envelope []byte
}

// read returns what is due in the lanes that are still held, each lane in the order of seq, about so many
// rows in all.
func (o *Outbox) read(ctx context.Context, l lease, limit int) ([]row, error) {
	var found []row
	err := o.db.InTx(ctx, func(tx postgres.Tx) (err error) {
		rows, _ := tx.Query(ctx, o.sql(`
			SELECT r.id, r.subject, r.ordering_key, r.payload, r.envelope
			FROM {schema}.outbox_lanes l
			CROSS JOIN LATERAL (
				SELECT o.seq, o.id, o.subject, o.ordering_key, o.payload, o.envelope
				FROM {schema}.outbox o
				WHERE o.lane = l.lane AND `+due+`
				ORDER BY o.seq LIMIT @each) r
			WHERE l.lane = ANY (@lanes) AND l.holder = @holder
			ORDER BY l.lane, r.seq`),
			pgx.StrictNamedArgs{"lanes": l.lanes, "holder": l.holder, "each": limit/len(l.lanes) + 1})
		found, err = pgx.CollectRows(rows, pgx.RowToStructByName[row])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("outbox: read in %s: %w", o.db.Schema(), err)
	}
	return found, nil
}

// sealed is what the column envelope holds: the envelope as it will travel, and what travels beside it.
type sealed struct {
	event.Envelope
	Extensions event.Extensions `json:"extensions,omitzero"`
}

// message is the row as it is published at that time.
func (r row) message(at time.Time) (topic.Message, error) {
	var s sealed
	if err := json.Unmarshal(r.Envelope, &s); err != nil {
		return topic.Message{}, errors.New("the envelope does not decode") // the cause may quote it
	}
	s.PublishedAt = at
	raw := event.Raw{Envelope: s.Envelope, Payload: r.Payload, Extensions: s.Extensions}
	data, err := raw.Data()
	if err != nil {
		return topic.Message{}, err
	}
	return topic.Message{Topic: r.Subject, OrderingKey: r.Key, Attributes: raw.Attributes(), Data: data}, nil
}
