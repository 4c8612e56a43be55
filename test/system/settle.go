package system

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// pause is the interval between two calls of the relays.
const pause = 250 * time.Millisecond

// Quiet waits until every event is published and consumed: no outbox and no subscription has pending events. It calls the
// relays meanwhile, because on a busy machine a call may not publish its events in the short time after the commit.
func (s *System) Quiet() {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), timeout)
	defer done()
	conn, err := pgx.Connect(ctx, s.DB.OwnerURL()) // closed below, because a test may call Quiet often
	check.Must(s.t, err)
	defer conn.Close(context.WithoutCancel(ctx))
	check.Must(s.t, relayUntilQuiet(ctx, conn, s.Cloud.Tick, s.onTheirWay))
}

// relayUntilQuiet is quiet, and calls the relays with tick meanwhile.
func relayUntilQuiet(ctx context.Context, conn *pgx.Conn, tick func(context.Context, string) error, elsewhere func() int) error {
	relaying, done := context.WithCancel(ctx)
	defer done()
	relayed := make(chan error, 1)
	go func() { relayed <- relay(relaying, tick) }()
	err := quiet(ctx, conn, elsewhere)
	done()
	return errors.Join(err, <-relayed)
}

// relay calls every service's relay until ctx ends.
func relay(ctx context.Context, tick func(context.Context, string) error) error {
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		for _, f := range melmastoon.Functions {
			if !strings.HasSuffix(f.Spec.Name, "-relay") {
				continue
			}
			if err := tick(ctx, f.Spec.Name); err != nil && ctx.Err() == nil {
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

// Settle calls Quiet and fails the test unless the invariants of money, rooms and events hold.
func (s *System) Settle() {
	s.t.Helper()
	s.Quiet()
	breaches := check.Got(settled(s.t.Context(), s.DB.Owner(s.t))).Must(s.t)
	for _, b := range breaches {
		s.t.Error(b)
	}
}

// onTheirWay counts pending deliveries of a bus other than the embedded one, which stores them in a table.
func (s *System) onTheirWay() int {
	if b, ok := s.Cloud.Messages().(interface{ Waiting() int }); ok {
		return b.Waiting()
	}
	return 0
}

// quiet polls until there are no pending events in an outbox, in the bus's table, or in another bus.
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
			return fmt.Errorf("%d events still pending: %w", waiting, ctx.Err())
		case <-look.C:
		}
	}
}

// settled returns violations of the invariants that must hold at any time, and of those that must hold when nothing is in flight.
func settled(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	always, err := pgtest.Violations(ctx, conn)
	if err != nil {
		return nil, err
	}
	now, err := pgtest.Unsettled(ctx, conn)
	return append(always, now...), err
}
