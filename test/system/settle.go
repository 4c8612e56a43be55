package system

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// pause is the time between two ticks of the relays.
const pause = 250 * time.Millisecond

// Quiet waits until every event has been told and heard: nothing in an outbox, nothing on its way to a subscriber. The
// relays tick meanwhile, for on a crowded machine a call leaves in the outbox what it could not publish in its short time
// after the commit.
func (s *System) Quiet() {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), timeout)
	defer done()
	conn, err := pgx.Connect(ctx, s.DB.OwnerURL()) // not the test's own, of which a test that often waits would have too many
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	relayed := make(chan error, 1)
	go func() { relayed <- s.relay(ctx) }()
	err = quiet(ctx, conn, s.onTheirWay)
	done()
	if err := errors.Join(err, <-relayed); err != nil {
		s.t.Fatal(err)
	}
}

// relay ticks every service's relay until ctx ends.
func (s *System) relay(ctx context.Context) error {
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		for _, f := range melmastoon.Functions {
			if !strings.HasSuffix(f.Spec.Name, "-relay") {
				continue
			}
			if err := s.Cloud.Tick(ctx, f.Spec.Name); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

// Settle waits for quiet and fails the test unless everything adds up: money, rooms, events.
func (s *System) Settle() {
	s.t.Helper()
	s.Quiet()
	breaches, err := settled(s.t.Context(), s.DB.Owner(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, b := range breaches {
		s.t.Error(b)
	}
}

// onTheirWay counts what a bus other than the embedded one, whose table everybody sees, has not delivered yet.
func (s *System) onTheirWay() int {
	if b, ok := s.Cloud.Messages().(interface{ Waiting() int }); ok {
		return b.Waiting()
	}
	return 0
}

// quiet looks until nothing is on its way: in an outbox, in the bus's table, or elsewhere.
func quiet(ctx context.Context, conn *pgx.Conn, elsewhere func() int) error {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		var waiting int
		err := conn.QueryRow(ctx, `
			SELECT (SELECT count(*) FROM bff_consumer.outbox WHERE published_at IS NULL AND parked_reason IS NULL)
			     + (SELECT count(*) FROM bff_tenant_booking.outbox WHERE published_at IS NULL AND parked_reason IS NULL)
			     + (SELECT count(*) FROM reservation.outbox WHERE published_at IS NULL AND parked_reason IS NULL)
			     + (SELECT count(*) FROM sandbox.outbox WHERE published_at IS NULL AND parked_reason IS NULL)
			     + (SELECT count(*) FROM bus.deliveries AS d JOIN bus.subscriptions AS s ON s.name = d.subscription WHERE s.endpoint <> '')`).Scan(&waiting)
		if err != nil {
			return fmt.Errorf("waiting for quiet: %w", err)
		}
		if waiting += elsewhere(); waiting == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("still %d events on their way: %w", waiting, ctx.Err())
		case <-look.C:
		}
	}
}

// settled lists what does not add up: what must hold always, and what must once nothing is in flight.
func settled(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	always, err := pgtest.Breaches(ctx, conn)
	if err != nil {
		return nil, err
	}
	now, err := pgtest.Unsettled(ctx, conn)
	return append(always, now...), err
}
