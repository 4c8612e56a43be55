package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Reservations stores reservations with their items and holds, and their events in the same transaction.
type Reservations struct {
	db     *postgres.DB
	outbox *outbox.Outbox
	draw   func() string // returns a random code, possibly in use
}

// OpenReservations opens the store.
func OpenReservations(e env.Env) Reservations {
	db := postgres.Open(e, service.Schema)
	return Reservations{db: db, outbox: outbox.Open(e, db), draw: newCode}
}

// In runs f in a transaction of the tenant.
func (s Reservations) In(ctx context.Context, tenant id.Tenant, f func(postgres.Tx) error) error {
	return s.db.InTenant(ctx, tenant, f)
}

// Again repeats a use case on a version conflict (optimistic concurrency), but not if the caller's If-Match has failed. It returns
// fault.ErrUnavailable if every attempt conflicts, so that the client retries.
func Again(ctx context.Context, useCase func() error) error {
	const attempts = 10
	for range attempts {
		if err := useCase(); !errors.Is(err, fault.ErrVersionConflict) || fault.From(err).Kind != fault.Conflict {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fault.ErrUnavailable.Because(fault.ErrVersionConflict)
}

// Outlast is like Again for an act that prevails over changes: it also waits until the change in progress is complete.
func Outlast(ctx context.Context, useCase func() error) error {
	const first, last = 20 * time.Millisecond, 640 * time.Millisecond
	for pause := first; ; pause *= 2 {
		err := Again(ctx, useCase)
		if !errors.Is(err, fault.ErrUnavailable) || pause > last || env.Wait(ctx, pause) != nil {
			return err
		}
	}
}

// Add stores a new reservation and publishes its hold. It generates the code.
func (s Reservations) Add(ctx context.Context, tx postgres.Tx, r *Reservation) error {
	if err := s.insert(ctx, tx, r); err != nil {
		return fmt.Errorf("reservations: add %s: %w", r.ID, err)
	}
	r.queueItems(tx)
	r.queueHold(tx)
	r.Account.Queue(tx, r.Tenant, r.ID, r.Version, r.unsaved.charges)
	r.unsaved = changes{version: r.Version, charges: len(r.Account)}
	return s.outbox.Append(ctx, tx, HoldPlaced(r))
}

// queueItems stores the items.
func (r *Reservation) queueItems(tx postgres.Tx) {
	for _, item := range r.Items {
		tx.Queue(`
			INSERT INTO reservation.reservation_items (item_id, tenant_id, reservation_id, position, room_type_id, rate_plan_id,
				adults, children, infants, nights, extras, nightly_rate_micro, total_micro, policy, room_id, return_room_id, return_from, free_until,
				arrived_at)
			VALUES (@item, @tenant, @reservation, @position, @roomType, @ratePlan, @adults, @children, @infants, @nights, @extras, @nightly,
				@total, @policy, @room, @returnRoom, @returnFrom, @freeUntil, @arrived)
			ON CONFLICT (item_id) DO UPDATE SET room_type_id = EXCLUDED.room_type_id, rate_plan_id = EXCLUDED.rate_plan_id,
				adults = EXCLUDED.adults, children = EXCLUDED.children, infants = EXCLUDED.infants,
				nights = EXCLUDED.nights, extras = EXCLUDED.extras, nightly_rate_micro = EXCLUDED.nightly_rate_micro, total_micro = EXCLUDED.total_micro, policy = EXCLUDED.policy,
				room_id = EXCLUDED.room_id, return_room_id = EXCLUDED.return_room_id, return_from = EXCLUDED.return_from, free_until = EXCLUDED.free_until,
				arrived_at = EXCLUDED.arrived_at`,
			pgx.StrictNamedArgs{
				"item": item.ID, "tenant": r.Tenant, "reservation": r.ID, "position": item.Position, "roomType": item.RoomType,
				"ratePlan": item.RatePlan, "adults": item.Adults, "children": item.Children, "infants": item.Infants,
				"nights": item.Nights, "extras": item.Extras, "nightly": item.Nightly, "total": item.Total, "policy": item.Policy, "room": item.Room, "returnRoom": item.ReturnRoom,
				"returnFrom": item.ReturnFrom, "freeUntil": item.FreeUntil, "arrived": item.ArrivedAt})
	}
}

// queueRemovedItems deletes the items that the reservation no longer has.
func (r *Reservation) queueRemovedItems(tx postgres.Tx) {
	tx.Queue(`
		DELETE FROM reservation.reservation_items
		WHERE tenant_id = @tenant AND reservation_id = @reservation AND item_id <> ALL (@items)`,
		pgx.StrictNamedArgs{"tenant": r.Tenant, "reservation": r.ID, "items": r.itemIDs()})
}

// insert generates codes until one is free.
func (s Reservations) insert(ctx context.Context, tx postgres.Tx, r *Reservation) error {
	const draws = 8
	for range draws {
		r.Code = s.draw()
		tag, err := tx.Exec(ctx, `
			INSERT INTO reservation.reservations (reservation_id, tenant_id, property_id, code, state, pending_step, step_since, version,
				channel, partner_id, session_id, draft_id, quote_id, promo_code, guest_id, guest_locale, stay_start, stay_end,
				currency, grand_total_micro, extras, policy, fx_snapshot, hold_id, region, time_zone, check_in_from, check_out_until,
				no_show_grace_hours, own_total_micro, own_currency, spared_until, unpaid_room_nights, quota_address, quota_nights,
				quota_by_address, created_by, created_at)
			VALUES (@reservation, @tenant, @property, @code, @state, @pending, @since, @version,
				@channel, @partner, @session, @draft, @quote, @promo, @guest, @locale, @start, @end,
				@currency, @total, @extras, @policy, @fx, @hold, @region, @timeZone, @checkIn, @checkOut,
				@grace, @ownTotal, @ownCurrency, @spared, @unpaid, @address, @nights,
				@byAddress, @createdBy, @createdAt)
			ON CONFLICT ON CONSTRAINT reservations_code DO NOTHING`,
			pgx.StrictNamedArgs{
				"reservation": r.ID, "tenant": r.Tenant, "property": r.Property, "code": r.Code, "state": r.State, "pending": r.Saga.Pending,
				"since": r.Saga.Since, "version": r.Version, "channel": r.Channel, "partner": r.Partner, "session": r.Session, "draft": r.Draft,
				"quote": r.Quote, "promo": r.Promo, "spared": r.SparedUntil, "guest": r.Guest, "locale": r.Locale, "start": r.Stay.Start, "end": r.Stay.End, "currency": r.Currency,
				"total": r.Total, "extras": r.Extras, "policy": r.Policy, "fx": r.FX, "hold": r.Hold.ID, "region": r.Region,
				"timeZone": r.Local.TimeZone, "checkIn": r.Local.CheckInFrom, "checkOut": r.Local.CheckOutUntil, "grace": r.NoShowGrace,
				"ownTotal": r.Own.OwnTotal, "ownCurrency": r.Own.OwnCurrency, "unpaid": r.unpaidRoomNights(),
				"address": r.Quota.Address, "nights": r.Quota.Nights, "byAddress": r.Quota.AddressNights, "createdBy": r.CreatedBy, "createdAt": r.CreatedAt})
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
	}
	return errors.New("found no free code")
}

// Save stores a changed reservation and appends its events. It returns fault.ErrVersionConflict, and changes nothing,
// if the reservation was saved since it was read, and ErrRoomUnavailable if an assigned room belongs to another guest.
func (s Reservations) Save(ctx context.Context, tx postgres.Tx, r *Reservation, events ...event.Draft) error {
	tag, err := tx.Exec(ctx, `
		UPDATE reservation.reservations
		SET state = @state, pending_step = @pending, step_since = @since, step_attempts = @attempts, step_plan = @plan, version = @version,
			channel = @channel, partner_id = @partner, guest_locale = @locale, stay_start = @start, stay_end = @end,
			grand_total_micro = @total, extras = @extras, fx_snapshot = @fx, hold_id = @hold, lost_at = @lost,
			payment_method = @method, payment_status = @status, payment_intent_id = @intent, captured_micro = @captured,
			capture_event_id = @captureEvent, payments = @payments, refund_requests = @requested, cancellation = @cancellation,
			confirmed_at = @confirmedAt, keys = @keys, check_in = @checkIn, check_out = @checkOut, no_show = @missed,
			spared_until = @spared, overstayed_on = @overstayed, pending_change = @change, unpaid_room_nights = @unpaid,
			expected_rooms = @expected,
			quota_address = CASE WHEN @state IN ('expired_hold', 'cancelled', 'checked_out', 'no_show') THEN '' ELSE quota_address END
		WHERE tenant_id = @tenant AND reservation_id = @reservation AND version = @stored`,
		pgx.StrictNamedArgs{
			"state": r.State, "pending": r.Saga.Pending, "since": r.Saga.Since, "attempts": r.Saga.Attempts, "plan": r.Saga.Plan, "version": r.Version,
			"channel": r.Channel, "partner": r.Partner, "locale": r.Locale, "start": r.Stay.Start, "end": r.Stay.End,
			"total": r.Total, "extras": r.Extras, "fx": r.FX, "hold": r.Hold.ID, "lost": r.LostAt,
			"method": r.Payment.Method, "status": r.Payment.PaymentStatus, "intent": r.Payment.Intent, "captured": r.Payment.Captured,
			"captureEvent": r.Payment.CaptureEvent, "payments": r.Payment.Intents, "requested": r.Payment.Requested, "cancellation": r.Cancellation,
			"confirmedAt": r.Payment.ConfirmedAt, "keys": r.Keys, "checkIn": r.CheckIn, "checkOut": r.CheckOut, "missed": r.Missed,
			"spared": r.SparedUntil, "overstayed": r.OverstayedOn, "change": r.Change, "expected": len(r.expected()), "unpaid": r.unpaidRoomNights(), "tenant": r.Tenant, "reservation": r.ID, "stored": r.unsaved.version})
	if err == nil && tag.RowsAffected() == 0 {
		return fault.ErrVersionConflict
	}
	if err != nil {
		return fmt.Errorf("reservations: save %s: %w", r.ID, err)
	}
	if err := s.saveParts(ctx, tx, r); err != nil {
		return err
	}
	r.unsaved = changes{version: r.Version, charges: len(r.Account)}
	return s.outbox.Append(ctx, tx, events...)
}

// saveParts stores the changes that concern other tables.
func (s Reservations) saveParts(ctx context.Context, tx postgres.Tx, r *Reservation) error {
	r.queueHold(tx)
	r.queueModifications(tx)
	r.Account.Queue(tx, r.Tenant, r.ID, r.Version, r.unsaved.charges)
	if r.unsaved.items {
		r.queueRemovedItems(tx)
		r.queueItems(tx)
	}
	if r.unsaved.rooms != nil {
		return r.saveRooms(ctx, tx, *r.unsaved.rooms)
	}
	return nil
}

// queueHold stores the current hold and marks a replaced live hold as expired.
func (r *Reservation) queueHold(tx postgres.Tx) {
	tx.Queue(`
		UPDATE reservation.holds SET status = 'expired'
		WHERE tenant_id = @tenant AND reservation_id = @reservation AND hold_id <> @hold AND status = 'live'`,
		pgx.StrictNamedArgs{"tenant": r.Tenant, "reservation": r.ID, "hold": r.Hold.ID})
	tx.Queue(`
		INSERT INTO reservation.holds (hold_id, tenant_id, reservation_id, allocation_ids, placed_at, expires_at, ttl_seconds, status)
		VALUES (@hold, @tenant, @reservation, @allocations, @placedAt, @expiresAt, @ttl, @outcome)
		ON CONFLICT (hold_id) DO UPDATE SET status = EXCLUDED.status, allocation_ids = EXCLUDED.allocation_ids`,
		pgx.StrictNamedArgs{
			"hold": r.Hold.ID, "tenant": r.Tenant, "reservation": r.ID, "allocations": r.Hold.Allocations, "placedAt": r.Hold.PlacedAt,
			"expiresAt": r.Hold.ExpiresAt, "ttl": r.Hold.TTL, "outcome": r.Hold.Outcome})
}

// RoomsTaken records that inventory has published the allocation. After all allocations of the hold, the reservation
// waits for payment. The version does not change, because no decision depends on this. RoomsTaken returns ErrNotFound
// if the reservation does not exist.
func (s Reservations) RoomsTaken(ctx context.Context, tx postgres.Tx, tenant id.Tenant, rsv id.Reservation, a id.Allocation) error {
	var known bool
	err := tx.QueryRow(ctx, `
		WITH waiting AS MATERIALIZED ( -- locked before its hold, as Save does
			SELECT r.hold_id FROM reservation.reservations AS r
			WHERE r.tenant_id = @tenant AND r.reservation_id = @reservation AND r.pending_step = 'await_inventory'
			FOR NO KEY UPDATE
		), noted AS (
			UPDATE reservation.holds AS h SET taken_ids = array_append(array_remove(h.taken_ids, @allocation), @allocation)
			FROM waiting AS w
			WHERE h.tenant_id = @tenant AND h.hold_id = w.hold_id AND @allocation = ANY (h.allocation_ids)
			RETURNING h.taken_ids @> h.allocation_ids AS complete
		), moved AS (
			UPDATE reservation.reservations AS r SET pending_step = 'await_payment', step_since = platform.now(), step_attempts = 0
			FROM noted AS n
			WHERE n.complete AND r.tenant_id = @tenant AND r.reservation_id = @reservation AND r.pending_step = 'await_inventory')
		SELECT EXISTS (SELECT FROM reservation.reservations WHERE tenant_id = @tenant AND reservation_id = @reservation)`,
		pgx.StrictNamedArgs{"tenant": tenant, "reservation": rsv, "allocation": a}).Scan(&known)
	if err != nil {
		return fmt.Errorf("reservations: rooms taken %s: %w", rsv, err)
	}
	if !known {
		return ErrNotFound
	}
	return nil
}
