package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/replay"
	cloudevent "melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A stored event is a row of an outbox.
type stored struct {
	Subject     string
	Parked      string
	Cause       string
	PublishedAt *time.Time `db:"published_at"`
	Payload     []byte
	Envelope    []byte
}

// push delivers one event without waiting. The relay retries an event that it could not publish with its next tick. An event that was
// published is published once more, for the subscription of -to only: its delivery may wait for up to ten minutes after a failure. The
// copy has no ordering key, because otherwise it would wait behind the original. If both arrive, the inbox of the function ignores the
// second.
func (s store) push(ctx context.Context, e env.Env) (int, error) {
	row, err := s.find(ctx)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, err
	case row.Parked != "":
		return 0, command.Usage(fmt.Errorf("%s is parked, so no relay publishes it; use -unpark: %s", s.options.event, row.Parked))
	case row.PublishedAt == nil && s.options.to != "":
		return 0, command.Usage(fmt.Errorf("%s is not published yet, so no subscription has it; leave -to out", s.options.event))
	case row.PublishedAt == nil:
		return 1, s.publishSoon(ctx, row)
	}
	return 1, s.publishAgain(ctx, e, row)
}

// find returns the event of -event, or pgx.ErrNoRows.
func (s store) find(ctx context.Context) (row stored, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT subject, coalesce(parked_reason, '') AS parked, coalesce(last_error, 'no error recorded') AS cause, published_at, payload, envelope
			FROM `+s.db.Schema()+`.outbox WHERE event_id = @event`, pgx.StrictNamedArgs{"event": s.options.event})
		row, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[stored])
		return err
	})
	return row, err
}

// publishSoon makes an unpublished event due.
func (s store) publishSoon(ctx context.Context, row stored) error {
	if !s.options.do {
		return s.say("would retry %s of %s with the next tick of the relay: %s", s.options.event, row.Subject, row.Cause)
	}
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE `+s.db.Schema()+`.outbox SET next_attempt_at = NULL WHERE event_id = @event AND published_at IS NULL AND parked_reason IS NULL`,
			pgx.StrictNamedArgs{"event": s.options.event})
		return err
	})
	if err != nil {
		return err
	}
	return s.say("the next tick of the relay retries %s of %s, by %q, because %q; it failed with: %s", s.options.event, row.Subject, s.options.by, s.options.why, row.Cause)
}

// publishAgain publishes a copy for one subscription.
func (s store) publishAgain(ctx context.Context, e env.Env, row stored) error {
	if err := s.checkTarget(e, row.Subject); err != nil {
		return err
	}
	at := instant(*row.PublishedAt)
	if !s.options.do {
		return s.say("would push %s of %s, published at %s, to %s", s.options.event, row.Subject, at, s.options.to)
	}
	publisher, configured := topic.PublisherKey.Get(e)
	if !configured {
		return errors.New("no publisher configured")
	}
	m, err := row.copyFor(s.options.to)
	if err != nil {
		return err
	}
	if err := errors.Join(publisher.Publish(ctx, []topic.Message{m})...); err != nil {
		return err
	}
	return s.say("pushed %s of %s, published at %s, to %s, by %q, because %q", s.options.event, row.Subject, at, s.options.to, s.options.by, s.options.why)
}

// checkTarget returns an error unless the subscription receives the subject: a copy for another one would be delivered to none.
func (s store) checkTarget(e env.Env, subject string) error {
	all, err := replay.Subscriptions(e)
	if err != nil {
		return err
	}
	var names []string
	for _, one := range all {
		if one.Topic == subject {
			names = append(names, one.Name)
		}
	}
	switch {
	case slices.Contains(names, s.options.to):
		return nil
	case len(names) == 0:
		return command.Usage(fmt.Errorf("no function of this deployment consumes %s", subject))
	}
	return command.Usage(fmt.Errorf("-to must be a subscription of %s: %s", subject, strings.Join(names, ", ")))
}

// copyFor returns the message of the event for one subscription, as the relay has published it but for the ordering key.
func (row stored) copyFor(subscription string) (topic.Message, error) {
	var sealed struct {
		cloudevent.Envelope
		Extensions cloudevent.Extensions `json:"extensions,omitzero"`
	}
	if err := json.Unmarshal(row.Envelope, &sealed); err != nil {
		return topic.Message{}, errors.New("the envelope does not decode") // the cause may contain payload
	}
	sealed.PublishedAt = *row.PublishedAt
	raw := cloudevent.Raw{Envelope: sealed.Envelope, Payload: row.Payload, Extensions: sealed.Extensions}
	data, err := raw.Data()
	if err != nil {
		return topic.Message{}, err
	}
	m := topic.Message{Topic: row.Subject, Attributes: raw.Attributes(), Data: data}
	m.Attributes[topic.ReplayTo], m.Attributes[topic.Replays] = subscription, "1"
	return m, nil
}
