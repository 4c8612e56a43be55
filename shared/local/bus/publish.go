package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Publish stores all valid messages in one transaction, and returns an error for each other message.
func (b *Bus) Publish(ctx context.Context, messages []topic.Message) []error {
	errs := make([]error, len(messages))
	var good []topic.Message
	var at []int // indices of the good messages
	stopped := map[[2]string]bool{}
	for i, m := range messages {
		key := [2]string{m.Topic, m.OrderingKey}
		switch err := topic.Check(m); {
		case stopped[key]:
			errs[i] = topic.ErrHeldBack
		case err != nil:
			errs[i] = err
			stopped[key] = m.OrderingKey != ""
		default:
			good, at = append(good, m), append(at, i)
		}
	}
	if err := b.store(ctx, good); err != nil {
		for _, i := range at {
			errs[i] = err
		}
	}
	return errs
}

func (b *Bus) store(ctx context.Context, messages []topic.Message) error {
	if len(messages) == 0 {
		return nil
	}
	var batch pgx.Batch
	if err := queue(&batch, messages); err != nil {
		return fmt.Errorf("bus: publish: %w", err)
	}
	err := b.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &batch) })
	if err != nil {
		return fmt.Errorf("bus: publish: %w", err)
	}
	b.poke()
	return nil
}

// queue writes messages and their deliveries. Tail uses the shared lock to detect sequence numbers that are assigned but not
// committed.
func queue(batch *pgx.Batch, messages []topic.Message) error {
	var topics, keys, attributes []string
	var data [][]byte
	for _, m := range messages {
		text, err := json.Marshal(m.Attributes)
		if err != nil {
			return errors.New("attributes are not valid UTF-8")
		}
		topics, keys = append(topics, m.Topic), append(keys, m.OrderingKey)
		attributes, data = append(attributes, string(text)), append(data, m.Data)
	}
	batch.Queue(`SELECT pg_advisory_xact_lock_shared(hashtextextended('bus messages', 0))`)
	batch.Queue(`
		WITH published AS (
			INSERT INTO bus.messages (topic, ordering_key, attributes, data)
			SELECT topic, key, attributes::jsonb, coalesce(data, '')
			FROM unnest(@topics::text[], @keys::text[], @attributes::text[], @data::bytea[])
				WITH ORDINALITY AS m (topic, key, attributes, data, position)
			ORDER BY position
			RETURNING seq, topic, ordering_key, attributes)
		INSERT INTO bus.deliveries (subscription, seq, ordering_key)
		SELECT s.name, m.seq, m.ordering_key
		FROM published m JOIN bus.subscriptions s ON s.topic = m.topic AND (s.endpoint = '' OR
			m.attributes @> s.filter AND coalesce(m.attributes ->> @replay, s.name) = s.name)`,
		pgx.StrictNamedArgs{"topics": topics, "keys": keys, "attributes": attributes, "data": data, "replay": topic.ReplayTo})
	return nil
}
