package booking

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

const (
	maxLiveHolds  = 2         // of one session, because a guest books one stay at a time
	quotaRetry    = time.Hour // Retry-After if no hold ends soon: a booking counts until it is paid for, cancelled or over
	maxQuotaLimit = math.MaxInt32
)

// A Quota limits the room nights that a guest of a hotel's site occupies without having paid for them: held and booked
// ones together (decision 34). The caller of a hold sets it, and the reservation keeps it. The zero Quota sets no limit,
// for the bookings of staff.
type Quota struct {
	Address       string `json:"address,omitzero" db:"quota_address"`        // a pseudonym of the client's address; empty: addresses have no limit
	Nights        int    `json:"maxRoomNights" db:"quota_nights"`            // of one session, and of one e-mail address and telephone number
	AddressNights int    `json:"maxAddressRoomNights" db:"quota_by_address"` // of one client address, which an office may share
}

var quotaAddress = regexp.MustCompile(`^[0-9a-z:]{0,80}$`)

// Validate rejects limits below one and a malformed pseudonym.
func (q Quota) Validate() error {
	var found service.Violations
	found.Refuse("quota/maxRoomNights", fmt.Sprintf("must be 1 to %d", maxQuotaLimit), q.Nights < 1 || q.Nights > maxQuotaLimit)
	found.Refuse("quota/maxAddressRoomNights", fmt.Sprintf("must be 1 to %d", maxQuotaLimit), q.AddressNights < 1 || q.AddressNights > maxQuotaLimit)
	found.Refuse("quota/address", "must be a pseudonym", !quotaAddress.MatchString(q.Address))
	return found.Err()
}

// unpaidRoomNights returns the room nights that the reservation occupies and that are not paid for. While a change waits for inventory,
// it is the larger number of before and after the change. The number depends on no clock: the readers of the column compare the end of
// the hold and of the stay.
func (r *Reservation) unpaidRoomNights() int {
	nights := r.unpaidOf(r.reserved())
	if r.Saga.Plan != nil {
		nights = max(nights, r.unpaidOf(r.Saga.Plan.Reserved))
	}
	return nights
}

// unpaidOf returns the room nights of some terms of the reservation that its payments do not cover. What was paid covers the first nights.
func (r *Reservation) unpaidOf(terms Reserved) (unpaid int) {
	switch {
	case terms.State == Quoted, terms.State == Held:
		return len(terms.Items) * terms.Stay.Nights()
	case !slices.Contains(occupying, terms.State), r.dueUnder(terms) <= 0:
		return 0
	}
	var nights []quotes.Night
	for _, item := range terms.Items {
		nights = append(nights, item.Nights...)
	}
	slices.SortFunc(nights, func(a, b quotes.Night) int { return a.Date.Time().Compare(b.Date.Time()) })
	paid := r.Payment.kept()
	for _, n := range nights {
		if paid -= n.Amount; paid < 0 {
			unpaid++
		}
	}
	return unpaid
}

// dueUnder returns what the guest has to pay under some terms, beyond what was paid. The hotel's goodwill counts as paid.
func (r *Reservation) dueUnder(terms Reserved) money.Micro {
	return terms.Total + account.Sum(r.Account) - r.Account.Price() - r.Payment.kept()
}

// quotaKeys returns the keys whose unpaid room nights the quota limits, always in the same order.
func (r *Reservation) quotaKeys() (keys []string) {
	add := func(kind, value string) {
		if value != "" {
			keys = append(keys, kind+"/"+r.Tenant.String()+"/"+value)
		}
	}
	if r.Session != nil {
		add("session", r.Session.String())
	}
	add("address", r.Quota.Address)
	add("email", r.Hashes.Email)
	add("phone", r.Hashes.Phone)
	return keys
}

// admit returns ErrTooMuchHeld if the reservation does not fit into its quota together with the other reservations at the hotel of the same
// session, address, e-mail address or telephone number. It counts the rows of all live holds and pending changes, and of all bookings
// that are neither paid for nor over, except the replaced one, so that no change of state takes a booking out of the count. The locks end with the
// transaction: the next caller with one of the keys sees what this transaction has written.
func (s Reservations) admit(ctx context.Context, tx postgres.Tx, r *Reservation, replaced *id.Reservation) error {
	if r.Quota == (Quota{}) {
		return nil
	}
	tx.Queue(`SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest(@keys::text[]) AS key`, pgx.StrictNamedArgs{"keys": r.quotaKeys()})
	except := []id.Reservation{r.ID}
	if replaced != nil {
		except = append(except, *replaced)
	}
	var holds, bySession, byAddress, byEmail, byPhone int
	var wait *time.Duration
	err := tx.QueryRow(ctx, `
		WITH unpaid AS (
			SELECT CASE WHEN r.state = 'confirmed' AND (r.pending_change ->> 'until')::timestamptz > platform.now() THEN (r.pending_change ->> 'unpaidRoomNights')::int
				ELSE r.unpaid_room_nights END AS nights, r.session_id = @session AS by_session, r.quota_address = nullif(@address, '') AS by_address,
				g.email_hash = nullif(@email, '') AS by_email, g.phone_hash = nullif(@phone, '') AS by_phone,
				CASE r.state WHEN 'held' THEN h.expires_at - platform.now() END AS hold_left
			FROM reservation.reservations AS r
			JOIN reservation.holds AS h ON h.tenant_id = r.tenant_id AND h.hold_id = r.hold_id
			LEFT JOIN reservation.guests AS g ON g.tenant_id = r.tenant_id AND g.reservation_id = r.reservation_id
			WHERE r.tenant_id = @tenant AND (r.unpaid_room_nights > 0 OR r.pending_change IS NOT NULL) AND r.quota_nights > 0 AND r.reservation_id <> ALL (@except)
			  AND CASE r.state WHEN 'held' THEN h.expires_at > platform.now()
			      ELSE r.stay_end >= (platform.now() AT TIME ZONE 'UTC')::date - 1 END) -- wherever on earth the hotel is
		SELECT count(*) FILTER (WHERE by_session AND hold_left IS NOT NULL), coalesce(sum(nights) FILTER (WHERE by_session), 0),
			coalesce(sum(nights) FILTER (WHERE by_address), 0), coalesce(sum(nights) FILTER (WHERE by_email), 0),
			coalesce(sum(nights) FILTER (WHERE by_phone), 0), min(hold_left) FILTER (WHERE by_session OR by_address OR by_email OR by_phone)
		FROM unpaid`,
		pgx.StrictNamedArgs{"tenant": r.Tenant, "session": r.Session, "address": r.Quota.Address, "email": r.Hashes.Email, "phone": r.Hashes.Phone,
			"except": except},
	).Scan(&holds, &bySession, &byAddress, &byEmail, &byPhone, &wait)
	if err != nil {
		return fmt.Errorf("reservations: quota of %s: %w", r.ID, err)
	}
	isNew, nights := r.unsaved.version == 0, r.unpaidRoomNights()
	if r.Change.live(r) {
		nights = r.Change.Nights
	}
	if (!isNew || holds < maxLiveHolds) && nights+max(bySession, byEmail, byPhone) <= r.Quota.Nights && nights+byAddress <= r.Quota.AddressNights {
		return nil
	}
	again := quotaRetry
	if wait != nil {
		again = max(*wait, time.Second).Round(time.Second)
	}
	return ErrTooMuchHeld.After(again)
}

// Admit is admit in a transaction of its own. It does not reserve the room nights.
func (s Reservations) Admit(ctx context.Context, r *Reservation, replaced *id.Reservation) error {
	if r.Quota == (Quota{}) {
		return nil
	}
	return s.In(ctx, r.Tenant, func(tx postgres.Tx) error { return s.admit(ctx, tx, r, replaced) })
}
