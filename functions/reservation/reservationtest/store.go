package reservationtest

import (
	"context"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Scope is the scope of a read of the store. This package names it for benchmarks, which cannot import the domain.
type Scope = access.Scope

// Page is the part of a list to read.
type Page = booking.Page

// Due is an expired hold whose event has not been published yet.
type Due = booking.Due

// OpenReservations returns the store of reservations.
func OpenReservations(e env.Env) booking.Reservations { return booking.OpenReservations(e) }

// Holds stores a quote and returns a function that stores another held reservation of it.
func Holds(t testing.TB, e env.Env, tenant id.Tenant, property id.Property) func(context.Context) error {
	t.Helper()
	q := Quote(t, e, tenant, property)
	return func(ctx context.Context) error {
		_, err := hold(ctx, e, q)
		return err
	}
}
