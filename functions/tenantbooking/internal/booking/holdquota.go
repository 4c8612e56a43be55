package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

// Limits of held rooms for anonymous visitors of one hotel, in addition to those of its [Settings] (decision 34).
const (
	maxLiveHolds          = 2 // of one session; no setting, because a guest books one stay at a time
	minHoldTTL            = 120 * time.Second
	maxHoldTTL            = 1800 * time.Second
	holdTimeout           = 10 * time.Second // added to a reservation of the quota, because it begins before its hold
	detailTooMuchHeld     = "Too many rooms are held already. Finish or leave a booking that you have begun, or try again later."
	messageTooManyNights  = "must be at most %d nights after check-in: ask the hotel about longer stays"
	messageTooManyPerStay = "must be so few that rooms times nights are at most %d: ask the hotel about larger groups"
)

// The rates at which one session and one client address may hold rooms. An office may share an address.
var (
	sessionHolds = ratelimit.Rate{PerSecond: 1.0 / 30, Burst: 10}
	addressHolds = ratelimit.Rate{PerSecond: 0.5, Burst: 100}
)

// ErrTooMuchHeld rejects a hold by a session or an address that holds the maximum of room nights.
var ErrTooMuchHeld = ratelimit.ErrLimited.Saying(detailTooMuchHeld)

// reservedFor returns how long a reservation of the quota counts: the hotel's hold time, within the limits of the reservation service.
func reservedFor(s hotel.Settings) time.Duration {
	return min(max(s.HoldTime(), minHoldTTL), maxHoldTTL) + holdTimeout
}

// RoomNights returns the number of rooms times the number of nights.
func (w Selection) RoomNights() int { return w.Occupancy.Rooms * w.Stay.Window().Nights() }

// Within returns a fault if the stay is longer or larger than one visitor may hold on the hotel's site.
func (w Selection) Within(limits hotel.Settings) error {
	return within(limits, w.Occupancy.Rooms, w.Stay.Window().Nights(), "/occupancy/rooms")
}

// CheckNights is Within for changed dates. It allows all dates that do not make the stay longer, because the front desk may have booked a
// stay above the limits.
func (r Reservation) CheckNights(to stay.Window, limits hotel.Settings) error {
	if to.Nights() <= r.Stay.Nights() {
		return nil
	}
	return within(limits, len(r.Items), to.Nights(), "/stayWindow/checkOut")
}

// within checks the limits of one stay. The violation for too many room nights points to pointer.
func within(limits hotel.Settings, rooms, nights int, pointer string) error {
	if maxNights := limits.MaxNights(); nights > maxNights {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow/checkOut", Rule: "range", Message: fmt.Sprintf(messageTooManyNights, maxNights)})
	}
	if maxRoomNights := limits.SessionRoomNights(); rooms*nights > maxRoomNights {
		return fault.ErrValidation.With(fault.Violation{Pointer: pointer, Rule: "range", Message: fmt.Sprintf(messageTooManyPerStay, maxRoomNights)})
	}
	return nil
}

// HoldQuota limits the holds of each session and client address at a hotel: how often rooms are held, and how many room nights at a
// time. Each process counts attempts for itself. Live room nights are counted in the rows of the drafts: a draft reserves its quota
// before its rooms are held, so concurrent holds of one session cannot exceed the limits together.
type HoldQuota struct {
	db              *postgres.DB
	peppers         pseudonym.Peppers
	countsAddresses bool // addresses are counted
	attempts        *ratelimit.Limiter
}

// OpenHoldQuota opens the store. If RATE_LIMIT_SESSION is off, attempts of sessions are not counted. If RATE_LIMIT_ADDRESS is off,
// addresses are not counted, because all clients have the same one.
func OpenHoldQuota(e env.Env) (HoldQuota, error) {
	var rates ratelimit.Rates
	if err := e.Load(&rates); err != nil {
		return HoldQuota{}, fmt.Errorf("hold quota: %w", err)
	}
	if rates.Session != (ratelimit.Rate{}) {
		rates.Session = sessionHolds
	}
	countsAddresses := rates.Address != (ratelimit.Rate{})
	if countsAddresses {
		rates.Address = addressHolds
	}
	peppers, err := secrets.Peppers(e)
	return HoldQuota{
		db: postgres.Open(e, session.Schema), peppers: peppers, countsAddresses: countsAddresses, attempts: ratelimit.New(rates),
	}, err
}

// Attempt calls hold, or returns ratelimit.ErrLimited if the session or the address of the visitor has made too many
// attempts. An attempt without an outcome does not count, because the guest will repeat it. Neither does one for an unknown draft, because
// no rooms were asked for.
func (q HoldQuota) Attempt(v session.Visitor, from session.Trace, now time.Time, hold func() (*Draft, error)) (d *Draft, err error) {
	bySession, byAddress := q.attempts.Session(v.Session.ID.String(), now), q.attempts.Address(from.Address, now)
	if err = cmp.Or(bySession.Refused(), byAddress.Refused()); err == nil {
		d, err = hold()
	}
	if err != nil && (undecided(err) || fault.From(err).Kind == fault.NotFound) {
		bySession.Undo()
		byAddress.Undo()
	}
	return d, err
}

// undecided reports whether a hold failed for a reason that says nothing about the rooms, so that a repetition may succeed.
func undecided(failure error) bool {
	f := fault.From(failure)
	return f.Retriable() || f.Kind == fault.Internal || errors.Is(failure, fault.ErrIdempotencyInProgress)
}

// Reserve counts the rooms of the draft's quote for the visitor, or returns ErrTooMuchHeld. A draft that holds rooms
// already keeps the larger number until its holds expire.
func (q HoldQuota) Reserve(ctx context.Context, v session.Visitor, from session.Trace, d *Draft) error {
	address, settings := q.address(from), v.Tenant.Settings
	var granted bool
	var wait time.Duration
	err := q.db.InTenant(ctx, d.Tenant, func(tx postgres.Tx) error {
		// The next statement sees the reservations of all transactions that held these locks before. The locks are always
		// taken in the same order, so there is no deadlock.
		tx.Queue(`SELECT pg_advisory_xact_lock(hashtextextended(@session, 0)), pg_advisory_xact_lock(hashtextextended(@address, 1))`,
			pgx.StrictNamedArgs{"session": d.Session.String(), "address": d.Tenant.String() + address})
		return tx.Last().QueryRow(ctx, `
			WITH live AS (
				SELECT count(*) FILTER (WHERE session_id = @session) AS holds,
					coalesce(sum(room_nights) FILTER (WHERE session_id = @session), 0) AS by_session,
					coalesce(sum(room_nights) FILTER (WHERE address_hash = @address), 0) AS by_address,
					min(held_until) AS next
				FROM bff_tenant_booking.booking_drafts
				WHERE tenant_id = @tenant AND draft_id <> @draft AND ended_at IS NULL AND held_until > platform.now()
					AND (session_id = @session OR address_hash = @address)
			), claimed AS (
				UPDATE bff_tenant_booking.booking_drafts
				SET room_nights = CASE WHEN held_until > platform.now() THEN greatest(room_nights, @nights) ELSE @nights END,
					held_until = platform.now() + @for, address_hash = nullif(@address, '')
				FROM live
				WHERE tenant_id = @tenant AND draft_id = @draft AND holds < @holds
					AND by_session + @nights <= @by_session AND (@address = '' OR by_address + @nights <= @by_address)
				RETURNING draft_id
			)
			SELECT EXISTS (SELECT FROM claimed), coalesce(next - platform.now(), interval '0') FROM live`,
			pgx.StrictNamedArgs{"tenant": d.Tenant, "draft": d.ID, "session": d.Session, "address": address, "nights": d.Quote.Selection.RoomNights(),
				"for": reservedFor(settings), "holds": maxLiveHolds, "by_session": settings.SessionRoomNights(), "by_address": settings.AddressRoomNights()},
		).Scan(&granted, &wait)
	})
	switch {
	case err != nil:
		return fmt.Errorf("hold quota: reserve for %s: %w", d.ID, err)
	case !granted:
		return ErrTooMuchHeld.After(max(wait, time.Second).Round(time.Second))
	}
	return nil
}

// address returns the pseudonym of the client's address. Clients whose address is unknown count as one.
func (q HoldQuota) address(from session.Trace) string {
	if !q.countsAddresses {
		return ""
	}
	known, err := pseudonym.Address(from.Address)
	if err != nil {
		return "unknown"
	}
	return string(q.peppers.Hash(known))
}

// Release returns the quota after a hold that failed for good. If the outcome of the hold is unknown, the quota stays reserved
// until it expires. Rooms that the draft held before count as long as they are held.
func (q HoldQuota) Release(ctx context.Context, d *Draft, failure error) error {
	if undecided(failure) {
		return nil
	}
	var until *time.Time
	if d.Hold != nil {
		until = &d.Hold.ExpiresAt
	}
	err := q.db.InTenant(ctx, d.Tenant, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			UPDATE bff_tenant_booking.booking_drafts SET held_until = @until WHERE tenant_id = @tenant AND draft_id = @draft`,
			pgx.StrictNamedArgs{"until": until, "tenant": d.Tenant, "draft": d.ID})
		return err
	})
	if err != nil {
		return fmt.Errorf("hold quota: release for %s: %w", d.ID, err)
	}
	return nil
}
