package search

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Popularity is the recent demand for one hotel.
type Popularity struct {
	Booked int `json:"bookedLast24h"` // bookings confirmed in the last 24 hours and not cancelled since
	Viewed int `json:"viewedLast1h"`  // sessions that clicked on the hotel in the last hour
}

// Demand is the search service's record of recent bookings and views. jobs/prune deletes old rows.
type Demand struct{ db *postgres.DB }

// OpenDemand opens the store.
func OpenDemand(e env.Env) Demand { return Demand{postgres.Open(e, standin.Schema)} }

// A Booking is a reservation of one hotel.
type Booking struct {
	Tenant      id.Tenant
	Property    id.Property
	Reservation id.Reservation
}

// Confirmed records the confirmation of a booking, in the caller's transaction. It may follow its cancellation.
func (s Demand) Confirmed(ctx context.Context, tx postgres.Tx, b Booking, at time.Time) error {
	return recordBooking(ctx, tx, b, `
		INSERT INTO sandbox.recent_bookings (reservation_id, tenant_id, property_id, confirmed_at)
		VALUES (@reservation, @tenant, @property, @at)
		ON CONFLICT (reservation_id) DO UPDATE SET confirmed_at = EXCLUDED.confirmed_at`, at)
}

// Cancelled records the cancellation of a booking, in the caller's transaction. It may precede its confirmation, and a
// reservation that was never confirmed does not count.
func (s Demand) Cancelled(ctx context.Context, tx postgres.Tx, b Booking, at time.Time) error {
	return recordBooking(ctx, tx, b, `
		INSERT INTO sandbox.recent_bookings (reservation_id, tenant_id, property_id, cancelled_at)
		VALUES (@reservation, @tenant, @property, @at)
		ON CONFLICT (reservation_id) DO UPDATE SET cancelled_at = EXCLUDED.cancelled_at`, at)
}

func recordBooking(ctx context.Context, tx postgres.Tx, b Booking, statement string, at time.Time) error {
	_, err := tx.Exec(ctx, statement,
		pgx.StrictNamedArgs{"reservation": b.Reservation, "tenant": b.Tenant, "property": b.Property, "at": at})
	if err != nil {
		return fmt.Errorf("demand: booking %s: %w", b.Reservation, err)
	}
	return nil
}

// Viewed records that a session viewed a hotel, in the caller's transaction. A time in the future counts as now.
func (s Demand) Viewed(ctx context.Context, tx postgres.Tx, p id.Property, session id.GuestSession, at time.Time) error {
	hash := sha256.Sum256(slices.Concat(p[:], session[:]))
	_, err := tx.Exec(ctx, `
		INSERT INTO sandbox.recent_views AS v (property_id, session_hash, seen_at)
		VALUES (@property, @session, least(@at, platform.now()))
		ON CONFLICT (property_id, session_hash) DO UPDATE SET seen_at = greatest(v.seen_at, EXCLUDED.seen_at)`,
		pgx.StrictNamedArgs{"property": p, "session": hash[:], "at": at})
	if err != nil {
		return fmt.Errorf("demand: view of %s: %w", p, err)
	}
	return nil
}

// Popularity returns the recent demand for a hotel; it is zero for an unknown one.
func (s Demand) Popularity(ctx context.Context, p id.Property) (out Popularity, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT (SELECT count(*) FROM sandbox.recent_bookings AS b
			        WHERE b.property_id = @property AND b.confirmed_at > platform.now() - interval '24 hours' AND b.cancelled_at IS NULL),
			       (SELECT count(*) FROM sandbox.recent_views AS v
			        WHERE v.property_id = @property AND v.seen_at > platform.now() - interval '1 hour')`,
			pgx.StrictNamedArgs{"property": p}).Scan(&out.Booked, &out.Viewed)
	})
	if err != nil {
		return out, fmt.Errorf("demand: popularity of %s: %w", p, err)
	}
	return out, nil
}
