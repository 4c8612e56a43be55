package erase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A table is one whose rows of a reservation are deleted.
type table struct{ name, where string }

// placeDocuments is the place of documents on a receipt.
const placeDocuments = "documents"

// The tables of an erasure. Unpublished events do not occur here: a reservation with such events is rejected, and ended drafts publish
// theirs within a minute.
var (
	visits = []table{
		{"bff_tenant_booking.booking_draft_snapshots", "tenant_id = @tenant AND reservation_id = @name"},
		{"bff_tenant_booking.booking_owners", "tenant_id = @tenant AND reservation_id = @reservation"},
		{"bff_tenant_booking.confirmation_views", "tenant_id = @tenant AND reservation_id = @reservation"},
		{"bff_tenant_booking.handoff_arrival_log", "tenant_id = @tenant AND session_id = ANY (@sessions) AND expires_at < platform.now()"},
		{"bff_tenant_booking.outbox", "ordering_key = ANY (@keys) AND published_at IS NOT NULL"},
	}
	guests = []table{
		{"reservation.guests", "tenant_id = @tenant AND reservation_id = @reservation"},
		{"reservation.special_requests", "tenant_id = @tenant AND reservation_id = @reservation"},
		{"reservation.modifications", "tenant_id = @tenant AND reservation_id = @reservation AND type = 'guest_profile_update'"},
		{"reservation.outbox", "ordering_key = ANY (@keys) AND published_at IS NOT NULL"},
	}
)

// delete deletes the rows of a reservation, or counts them in a dry run.
func (s stayEraser) delete(ctx context.Context, tx postgres.Tx, g *stay, tables []table, keys []string) (map[string]int64, error) {
	statement := `WITH gone AS (DELETE FROM %s WHERE %s RETURNING 1) SELECT count(*) FROM gone`
	if !s.do {
		statement = `SELECT count(*) FROM %s WHERE %s`
	}
	args := map[string]any{"tenant": s.tenant, "reservation": g.reservation, "name": g.reservation.String(), "keys": keys, "sessions": g.sessions}
	tx.Queue(`SELECT set_config('app.erased_reservation', @reservation::uuid::text, true), set_config('app.erased_name', @name, true),
		set_config('app.erased_sessions', @sessions::uuid[]::text, true)`,
		pgx.StrictNamedArgs{"reservation": g.reservation, "name": g.reservation.String(), "sessions": g.sessions})
	if s.do { // two runs would lock the rows in different orders
		tx.Queue(`SELECT pg_advisory_xact_lock(hashtextextended('erase ' || @tenant::uuid::text, 0))`, pgx.StrictNamedArgs{"tenant": s.tenant})
	}
	counts := map[string]int64{}
	for _, t := range tables {
		used := pgx.StrictNamedArgs{}
		for name, value := range args {
			if strings.Contains(t.where, "@"+name) {
				used[name] = value
			}
		}
		var n int64
		if err := tx.QueryRow(ctx, fmt.Sprintf(statement, t.name, t.where), used).Scan(&n); err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		counts[t.name] = n
	}
	return counts, nil
}

// countRows counts what the steps would delete. The application may see the rows of its tenant, the maintenance role may not.
func (s stayEraser) countRows(ctx context.Context, g *stay) error {
	count := func(db *postgres.DB, tables []table, keys []string) error {
		return db.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
			counts, err := s.delete(ctx, tx, g, tables, keys)
			maps.Copy(g.counts, counts)
			return err
		})
	}
	drafts := table{"bff_tenant_booking.booking_drafts", "tenant_id = @tenant AND reservation_id = @reservation"}
	return errors.Join(count(s.site, append([]table{drafts}, visits...), s.keys(g)), count(s.booking, guests, s.reservationKey(g)))
}

// deleteVisits deletes what the site keeps of the drafts: snapshots, views, events and stored answers of the sessions.
func (s stayEraser) deleteVisits(ctx context.Context, g *stay) error {
	var counts map[string]int64
	err := s.site.InMaintenance(ctx, func(tx postgres.Tx) (err error) {
		if counts, err = s.delete(ctx, tx, g, visits, s.keys(g)); err != nil {
			return err
		}
		for _, session := range g.sessions {
			n, err := idempotency.Forget(ctx, tx, tenantbooking.Schema, s.tenant, session.String())
			if err != nil {
				return err
			}
			counts["bff_tenant_booking.idempotency"] += n
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.record(ctx, g, counts)
}

// keys returns the ordering keys of the events of the drafts and their sessions.
func (s stayEraser) keys(g *stay) (keys []string) {
	for _, name := range slices.Concat(namesOf(g.drafts), namesOf(g.sessions)) {
		keys = append(keys, s.tenant.String()+":"+name)
	}
	return keys
}

// reservationKey returns the ordering key of the events of the reservation.
func (s stayEraser) reservationKey(g *stay) []string {
	return []string{s.tenant.String() + ":" + g.reservation.String()}
}

// deleteDrafts deletes the drafts last, because they lead to the sessions. Only the application may see them.
func (s stayEraser) deleteDrafts(ctx context.Context, g *stay) error {
	var n int64
	err := s.site.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		tag, err := tx.Last().Exec(ctx, `
			DELETE FROM bff_tenant_booking.booking_drafts
			WHERE tenant_id = @tenant AND reservation_id = @reservation AND ended_at IS NOT NULL`, s.arguments(g, nil))
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return fmt.Errorf("bff_tenant_booking.booking_drafts: %w", err)
	}
	return s.record(ctx, g, map[string]int64{"bff_tenant_booking.booking_drafts": n})
}

// deleteGuest deletes the guest's rows in the reservation service. It records their numbers before it deletes them, because the
// invariants compare the number of deleted events with the state of the reservation. A run after an interruption finds fewer rows and
// keeps the larger numbers.
func (s stayEraser) deleteGuest(ctx context.Context, g *stay) error {
	counting := s
	counting.do = false
	err := s.booking.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		counts, err := counting.delete(ctx, tx, g, guests, s.reservationKey(g))
		for place, n := range counts {
			tx.Queue(`
				UPDATE reservation.erasures
				SET deleted = jsonb_set(deleted, ARRAY[@place::text], to_jsonb(greatest((deleted ->> @place::text)::bigint, @n::bigint)))
				WHERE tenant_id = @tenant AND reservation_id = @reservation AND completed_at IS NULL`,
				s.arguments(g, pgx.StrictNamedArgs{"place": place, "n": n}))
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.booking.InMaintenance(ctx, func(tx postgres.Tx) error {
		_, err := s.delete(ctx, tx, g, guests, s.reservationKey(g))
		return err
	})
}

// record adds the numbers of a step to the receipt. After a crash between the deletion and record, the receipt's number is too low.
func (s stayEraser) record(ctx context.Context, g *stay, counts map[string]int64) error {
	return s.booking.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		for _, place := range slices.Sorted(maps.Keys(counts)) {
			tx.Queue(`
				UPDATE reservation.erasures
				SET deleted = jsonb_set(deleted, ARRAY[@place::text], to_jsonb(coalesce((deleted ->> @place::text)::bigint, 0) + @n::bigint))
				WHERE tenant_id = @tenant AND reservation_id = @reservation AND completed_at IS NULL`,
				s.arguments(g, pgx.StrictNamedArgs{"place": place, "n": counts[place]}))
		}
		return nil
	})
}

// retained is what the law keeps of a stay, and what ends by itself.
const retained = `[
	{"place": "reservation.reservations", "content": "stay, rooms, amounts and folio without a name", "until": "kept with the books of the hotel"},
	{"place": "events", "content": "published events of the reservation with salted hashes of address and number", "until": "7 years after publishing"},
	{"place": "reservation.idempotency", "content": "sealed answers to other services", "until": "24 hours after the call"}
]`

// complete closes the erasure: its row is the receipt from now on.
func (s stayEraser) complete(ctx context.Context, g *stay) error {
	return s.booking.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		tx.Queue(`
			UPDATE reservation.erasures SET completed_at = platform.now(), retained = @retained::jsonb
			WHERE tenant_id = @tenant AND reservation_id = @reservation AND completed_at IS NULL`,
			s.arguments(g, pgx.StrictNamedArgs{"retained": retained}))
		return nil
	})
}
