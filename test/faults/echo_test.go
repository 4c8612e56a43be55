package faults

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A redeliverer delivers earlier messages again, as the bus does.
type redeliverer struct {
	*system.System
	conn *pgx.Conn
}

// A delivery is a message and where it is pushed.
type delivery struct {
	Subscription, Endpoint, Audience, OrderingKey string
	Attributes                                    map[string]string
	Data                                          []byte
}

// deliveries are all that were ever made: every message, for each who hears it.
func (e redeliverer) deliveries(t *testing.T) []delivery {
	t.Helper()
	rows, _ := e.conn.Query(t.Context(), `
		SELECT s.name AS subscription, s.endpoint, s.audience, m.ordering_key, m.attributes, m.data
		FROM bus.messages AS m
		JOIN bus.subscriptions AS s ON s.topic = m.topic AND s.endpoint <> '' AND m.attributes @> s.filter
		ORDER BY m.seq, s.name`)
	return check.Got(pgx.CollectRows(rows, pgx.RowToStructByName[delivery])).Must(t)
}

// deliver pushes each delivery under a message id of its own, several at a time, and fails the test unless all are
// acknowledged.
func (e redeliverer) deliver(t *testing.T, all []delivery) {
	t.Helper()
	pushes, ctx := errgroup.WithContext(t.Context())
	pushes.SetLimit(8)
	for n, d := range all {
		pushes.Go(func() error { return e.push(ctx, d, 1_000_000+n) })
	}
	check.Must(t, pushes.Wait())
}

func (e redeliverer) push(ctx context.Context, d delivery, message int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Endpoint, bytes.NewReader(d.Data))
	if err != nil {
		return err
	}
	token, err := e.Issuer.Token(ctx, d.Audience)
	if err != nil {
		return err
	}
	for name, value := range d.Attributes {
		req.Header.Set(name, value)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("X-Goog-Pubsub-Subscription-Name", "projects/local/subscriptions/"+d.Subscription)
	req.Header.Set("X-Goog-Pubsub-Message-Id", strconv.Itoa(message))
	req.Header.Set("X-Goog-Pubsub-Ordering-Key", d.OrderingKey)
	req.Header.Set("X-Goog-Pubsub-Delivery-Attempt", "2")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s answered %d %s, %v to %s", d.Subscription, res.StatusCode, body, err, d.Data)
	}
	return nil
}

// about is the delivery of an event that is new, and says of one booking what this one says of another.
func (d delivery) about(from, to *system.Booking) delivery {
	swap := strings.NewReplacer(
		d.Attributes["ce-id"], id.New[id.Event]().String(), from.ReservationID, to.ReservationID, from.IntentID, to.IntentID)
	attributes := map[string]string{}
	for name, value := range d.Attributes {
		attributes[name] = swap.Replace(value)
	}
	d.Attributes, d.Data, d.OrderingKey = attributes, []byte(swap.Replace(string(d.Data))), swap.Replace(d.OrderingKey)
	return d
}

// working are tables that say who is at work, or that an event was seen: they change without anything having happened.
var working = []string{"bus.pusher", "reservation.outbox_lanes", "sandbox.outbox_lanes", "reservation.inbox_processed", "sandbox.inbox_processed"}

// digest is a fingerprint of each table's rows, but for the working ones.
func (e redeliverer) digest(t *testing.T) map[string]string {
	t.Helper()
	rows, _ := e.conn.Query(t.Context(), `
		SELECT schemaname || '.' || tablename FROM pg_tables
		WHERE schemaname IN ('platform', 'bus', 'reservation', 'sandbox')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) <= len(working) {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	digest := map[string]string{}
	for _, table := range tables {
		if slices.Contains(working, table) {
			continue
		}
		var sum string
		err := e.conn.QueryRow(t.Context(), `
			SELECT count(*) || ' ' || md5(coalesce(string_agg(md5(row::text), '' ORDER BY md5(row::text)), ''))
			FROM `+table+` AS row`).Scan(&sum)
		check.Must(t, err)
		digest[table] = sum
	}
	return digest
}

// differing are the tables whose rows are not the same.
func differing(before, after map[string]string) (tables []string) {
	for table, sum := range after {
		if before[table] != sum {
			tables = append(tables, table)
		}
	}
	slices.Sort(tables)
	return tables
}
