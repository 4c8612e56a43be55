package booking

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// selectReservations is the start of every query. It includes the database's clock, which decides whether a hold has
// expired.
const selectReservations = `
	SELECT r.reservation_id, r.tenant_id, r.property_id, r.code, r.state, r.pending_step, r.step_since, r.step_attempts, r.step_plan,
		r.version, r.channel, r.partner_id,
		r.session_id, r.draft_id, r.quote_id, r.guest_id, r.guest_locale, r.stay_start AS "start", r.stay_end AS "end",
		r.promo_code, r.currency, r.grand_total_micro, r.extras, r.lost_at, r.policy, r.fx_snapshot, r.payment_method, r.payment_status, r.payment_intent_id,
		r.captured_micro, r.capture_event_id, r.payments, r.refund_requests, r.keys, r.check_in, r.check_out, r.no_show, r.spared_until,
		r.overstayed_on, r.expected_rooms, r.pending_change, r.region, r.quota_address, r.quota_nights, r.quota_by_address, r.created_by, r.cancellation, r.created_at, r.confirmed_at,` + quotes.Columns + `,
		h.hold_id, h.allocation_ids, h.placed_at, h.expires_at, h.ttl_seconds, h.status AS hold_status, platform.now() AS as_of
	FROM reservation.reservations r JOIN reservation.holds h ON h.hold_id = r.hold_id
	WHERE r.tenant_id = @tenant AND (@properties::uuid[] IS NULL OR r.property_id = ANY (@properties))`

// A Page is a part of a list: at most Limit reservations, those with ids after After.
type Page struct {
	After id.Reservation // zero: from the first
	Limit int
}

// Get returns a reservation, or ErrNotFound if it does not exist or is out of scope.
func (s Reservations) Get(ctx context.Context, who access.Scope, rsv id.Reservation) (r *Reservation, err error) {
	err = s.db.InTenant(ctx, who.Tenant, func(tx postgres.Tx) error {
		if r, err = readOne(ctx, tx.Last(), who, rsv); err != nil {
			return fmt.Errorf("reservations: get %s: %w", rsv, err)
		}
		return nil
	})
	return r, err
}

// Lock locks the row of a reservation until the end of the transaction and returns the reservation, or ErrNotFound if it does
// not exist or is out of scope. Locking and reading are two statements: a single statement that waited for the lock would join
// the new row with the old hold and find no row.
func (s Reservations) Lock(ctx context.Context, tx postgres.Tx, who access.Scope, rsv id.Reservation) (*Reservation, error) {
	tx.Queue(`SELECT FROM reservation.reservations WHERE tenant_id = @tenant AND reservation_id = @reservation FOR UPDATE`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "reservation": rsv})
	r, err := readOne(ctx, tx, who, rsv)
	if err != nil {
		return nil, fmt.Errorf("reservations: lock %s: %w", rsv, err)
	}
	return r, nil
}

// ByCode returns the reservation with that code, or an empty list. It ignores case.
func (s Reservations) ByCode(ctx context.Context, who access.Scope, code string) ([]*Reservation, error) {
	return s.list(ctx, who, selectReservations+` AND r.code = @code`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "properties": who.Properties, "code": strings.ToUpper(strings.TrimSpace(code))})
}

// expecting selects reservations with at least one room whose guests have not arrived.
const expecting = `(state = 'confirmed' OR state IN ('check_in_started', 'checked_in') AND expected_rooms > 0)`

// Arrivals lists the reservations with guests who are expected at a property on a day, and with earlier ones who are still awaited,
// ordered by id.
func (s Reservations) Arrivals(ctx context.Context, who access.Scope, at id.Property, on stay.Date, p Page) ([]*Reservation, error) {
	// OFFSET 0 keeps LIMIT out of the inner query. With it, the planner would read all reservations in the order of their ids,
	// because it expects many more guests to be awaited than there are.
	return s.list(ctx, who, selectReservations+`
		AND r.reservation_id = ANY (ARRAY(
			SELECT reservation_id FROM (
				SELECT reservation_id FROM reservation.reservations
				WHERE tenant_id = @tenant AND property_id = @property AND `+expecting+` AND stay_start <= @date
				  AND reservation_id > @after
				OFFSET 0) AS awaited
			ORDER BY reservation_id LIMIT @limit))
		ORDER BY r.reservation_id`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "properties": who.Properties, "property": at, "date": on, "after": p.After, "limit": p.Limit})
}

// Departures lists the reservations whose guests leave a property on a day, and guests who should have left before, ordered by
// id.
func (s Reservations) Departures(ctx context.Context, who access.Scope, at id.Property, on stay.Date, p Page) ([]*Reservation, error) {
	return s.list(ctx, who, selectReservations+`
		AND r.property_id = @property AND r.stay_end <= @date AND r.state IN ('check_in_started', 'checked_in', 'checkout_started')
		AND r.reservation_id > @after ORDER BY r.reservation_id LIMIT @limit`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "properties": who.Properties, "property": at, "date": on, "after": p.After, "limit": p.Limit})
}

// InHouse lists the reservations whose guests are staying at a property, ordered by id.
func (s Reservations) InHouse(ctx context.Context, who access.Scope, at id.Property, p Page) ([]*Reservation, error) {
	return s.list(ctx, who, selectReservations+`
		AND r.property_id = @property AND r.state IN ('check_in_started', 'checked_in', 'checkout_started')
		AND r.reservation_id > @after ORDER BY r.reservation_id LIMIT @limit`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "properties": who.Properties, "property": at, "after": p.After, "limit": p.Limit})
}

func (s Reservations) list(ctx context.Context, who access.Scope, sql string, args pgx.StrictNamedArgs) (found []*Reservation, err error) {
	err = s.db.InTenant(ctx, who.Tenant, func(tx postgres.Tx) error {
		if found, err = read(ctx, tx, who, sql, args); err != nil {
			return fmt.Errorf("reservations: list: %w", err)
		}
		return nil
	})
	return found, err
}

// A Due is an expired hold whose event has not been published yet.
type Due struct {
	Tenant      id.Tenant      `db:"tenant_id"`
	Reservation id.Reservation `db:"reservation_id"`
	Since       time.Time      `db:"expires_at"`
}

// Due lists expired holds of all tenants after the given one, oldest first. It returns ids only: each hold is closed in
// a transaction of its tenant.
func (s Reservations) Due(ctx context.Context, after Due, limit int) (due []Due, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT tenant_id, reservation_id, expires_at FROM reservation.holds
			WHERE status = 'live' AND expires_at <= platform.now() AND (expires_at, reservation_id) > (@since, @after)
			ORDER BY expires_at, reservation_id LIMIT @limit`,
			pgx.StrictNamedArgs{"since": after.Since, "after": after.Reservation, "limit": limit})
		due, err = pgx.CollectRows(rows, pgx.RowToStructByName[Due])
		if err != nil {
			return fmt.Errorf("reservations: due: %w", err)
		}
		return nil
	})
	return due, err
}

// A Candidate is a reservation that a sweep may have to act on. The sweep decides inside its tenant, by the property's clock.
type Candidate struct {
	Tenant      id.Tenant      `db:"tenant_id"`
	Reservation id.Reservation `db:"reservation_id"`
	On          stay.Date      `db:"on"` // the date that orders the candidates
}

// Awaited lists the reservations of all tenants with expected guests whose arrival day has ended somewhere on earth, after the given one, the
// earliest arrival first.
func (s Reservations) Awaited(ctx context.Context, after Candidate, limit int) ([]Candidate, error) {
	return s.candidates(ctx, after, limit, `
		SELECT tenant_id, reservation_id, stay_start AS "on" FROM reservation.reservations
		WHERE `+expecting+` AND stay_start <= ((platform.now() + interval '14 hours') AT TIME ZONE 'UTC')::date - 1
		  AND (stay_start, reservation_id) > (@on, @after)
		ORDER BY stay_start, reservation_id LIMIT @limit`)
}

// Leaving lists the reservations of all tenants whose guests are in the house and whose day of departure has begun somewhere on
// earth, after the given one, the earliest departure first.
func (s Reservations) Leaving(ctx context.Context, after Candidate, limit int) ([]Candidate, error) {
	return s.candidates(ctx, after, limit, `
		SELECT tenant_id, reservation_id, stay_end AS "on" FROM reservation.reservations
		WHERE state IN ('checked_in', 'checkout_started') AND stay_end <= ((platform.now() + interval '14 hours') AT TIME ZONE 'UTC')::date
		  AND (stay_end, reservation_id) > (@on, @after)
		ORDER BY stay_end, reservation_id LIMIT @limit`)
}

// candidates runs a query of all tenants as the maintenance role, which sees ids and dates only.
func (s Reservations) candidates(ctx context.Context, after Candidate, limit int, sql string) (found []Candidate, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, sql, pgx.StrictNamedArgs{"on": after.On, "after": after.Reservation, "limit": limit})
		if found, err = pgx.CollectRows(rows, pgx.RowToStructByName[Candidate]); err != nil {
			return fmt.Errorf("reservations: candidates: %w", err)
		}
		return nil
	})
	return found, err
}

// A reservationRow is a row of selectReservations. Each of its structs takes the columns of its members.
type reservationRow struct {
	Reservation
	Saga
	stay.Window
	Hold
	Payment
	quotes.Local
	quotes.Own
	Quota
}

func toReservation(row pgx.CollectableRow) (*Reservation, error) {
	read, err := pgx.RowToAddrOfStructByName[reservationRow](row)
	if err != nil {
		return nil, err
	}
	r := &read.Reservation
	r.Saga, r.Stay, r.Hold, r.Payment, r.Local, r.Own, r.Quota = read.Saga, read.Window, read.Hold, read.Payment, read.Local, read.Own, read.Quota
	return r, nil
}

// readOne reads a reservation and its items in one round trip. It returns ErrNotFound if it does not exist or is out of scope.
func readOne(ctx context.Context, tx postgres.Tx, who access.Scope, rsv id.Reservation) (*Reservation, error) {
	var b pgx.Batch
	var found []*Reservation
	var p parts
	b.Queue(selectReservations+` AND r.reservation_id = @reservation`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "properties": who.Properties, "reservation": rsv}).
		Query(func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, toReservation)
			return err
		})
	p.queue(&b, who, rsv)
	if err := tx.SendBatch(ctx, &b); err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, ErrNotFound
	}
	p.join(found)
	return found[0], nil
}

// parts are the rows that belong to some reservations. Names are read only for staff.
type parts struct {
	items    []ownedItem
	requests []ownedRequest
	modified []ownedModification
	charges  []ownedCharge
	people   []ownedPerson
}

type ownedItem struct {
	Reservation id.Reservation `db:"reservation_id"`
	Item
}

type ownedRequest struct {
	Reservation id.Reservation `db:"reservation_id"`
	SpecialRequest
}

type ownedModification struct {
	Reservation id.Reservation `db:"reservation_id"`
	Modification
}

type ownedCharge struct {
	Reservation id.Reservation `db:"reservation_id"`
	Version     int            // of the reservation when it was added
	account.Charge
}

type ownedPerson struct {
	Reservation id.Reservation `db:"reservation_id"`
	guests.ContactHash
	Named *guests.Person `db:"person"` // nil: not for this caller
}

// queue queues the statements that read the parts of reservations.
func (p *parts) queue(b *pgx.Batch, who access.Scope, of ...id.Reservation) {
	args := pgx.StrictNamedArgs{"tenant": who.Tenant, "reservations": of}
	b.Queue(`
		SELECT reservation_id, item_id, position, room_type_id, rate_plan_id, adults, children, infants, nights, extras, nightly_rate_micro,
			total_micro, policy, room_id, return_room_id, return_from, free_until, arrived_at
		FROM reservation.reservation_items
		WHERE tenant_id = @tenant AND reservation_id = ANY (@reservations)
		ORDER BY reservation_id, position`, args).Query(into(&p.items))
	b.Queue(`
		SELECT reservation_id, special_request_id, tags, free_text, locale, source, ai_provenance, added_at, added_by
		FROM reservation.special_requests
		WHERE tenant_id = @tenant AND reservation_id = ANY (@reservations)
		ORDER BY reservation_id, added_at, special_request_id`, args).Query(into(&p.requests))
	b.Queue(`
		SELECT reservation_id, modification_id, type, occurred_at, actor, before, after, policy_applied_ref, price_delta_micro, request
		FROM reservation.modifications
		WHERE tenant_id = @tenant AND reservation_id = ANY (@reservations)
		ORDER BY reservation_id, version, modification_id`, args).Query(into(&p.modified))
	b.Queue(`
		SELECT reservation_id, version, seq, kind, item_id, night, amount_micro, reverses, cause, modification_id, charged_at
		FROM reservation.reservation_charges
		WHERE tenant_id = @tenant AND reservation_id = ANY (@reservations)
		ORDER BY reservation_id, seq`, args).Query(into(&p.charges))
	b.Queue(`
		SELECT reservation_id, email_hash, phone_hash, CASE WHEN @staff THEN jsonb_build_object('firstName', first_name,
			'lastName', last_name, 'email', email, 'phone', phone, 'locale', locale) END AS person
		FROM reservation.guests
		WHERE tenant_id = @tenant AND reservation_id = ANY (@reservations)`,
		pgx.StrictNamedArgs{"tenant": who.Tenant, "reservations": of, "staff": who.Properties != nil}).Query(into(&p.people))
}

// into returns a callback of a batch that collects rows.
func into[T any](all *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*all, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return err
	}
}

// join gives each reservation its parts.
func (p parts) join(all []*Reservation) {
	byID := map[id.Reservation]*Reservation{}
	for _, r := range all {
		byID[r.ID], r.unsaved.version = r, r.Version
	}
	for _, i := range p.items {
		byID[i.Reservation].Items = append(byID[i.Reservation].Items, i.Item)
	}
	for _, r := range all {
		r.arriveTogether()
	}
	for _, q := range p.requests {
		byID[q.Reservation].Requests = append(byID[q.Reservation].Requests, q.SpecialRequest)
	}
	for _, m := range p.modified {
		byID[m.Reservation].Modified = append(byID[m.Reservation].Modified, m.Modification)
	}
	for _, c := range p.charges {
		r := byID[c.Reservation]
		if c.Version > r.Version {
			continue // added after the row was read: money must not be decided by parts of two moments
		}
		r.Account = append(r.Account, c.Charge)
		r.unsaved.charges = len(r.Account)
	}
	for _, guest := range p.people {
		r := byID[guest.Reservation]
		r.Hashes, r.Person = guest.ContactHash, guest.Named
	}
}

// read collects reservations with their parts.
func read(ctx context.Context, tx postgres.Tx, who access.Scope, sql string, args pgx.StrictNamedArgs) ([]*Reservation, error) {
	rows, _ := tx.Query(ctx, sql, args)
	found, err := pgx.CollectRows(rows, toReservation)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	ids := make([]id.Reservation, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	var b pgx.Batch
	var p parts
	p.queue(&b, who, ids...)
	if err := tx.Last().SendBatch(ctx, &b); err != nil {
		return nil, err
	}
	p.join(found)
	return found, nil
}
