package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Concern is a reason for which the front desk must look at a reservation.
type Concern string

// The concerns.
const (
	ConcernStuck   Concern = "stuck_step"        // another service has not answered
	ConcernKey     Concern = "manual_key"        // until check-out
	ConcernRoom    Concern = "room_out_of_order" // until another room is assigned, or taken if inventory has lost a booked one
	ConcernBalance Concern = "unpaid_balance"    // from the day of departure or a forced check-out on, until paid
)

// An Attention is one concern of a reservation.
type Attention struct {
	Reservation id.Reservation `json:"reservationId"`
	Reason      Concern        `json:"reason"`
	Since       time.Time      `json:"since"`
}

// An outage is a period in which an assigned room of a reservation cannot be used.
type outage struct {
	Reservation id.Reservation `db:"reservation_id"`
	Until       stay.Date      `db:"until_date"`
	Since       time.Time      `db:"since"`
}

// A step counts as stuck after a failed attempt and stuckAfterFailure, or after stuckWithoutAnswer.
const (
	stuckAfterFailure  = time.Minute
	stuckWithoutAnswer = 5 * time.Minute
)

// Attention lists the reservations of a property that have a concern, ordered by id, and their concerns.
func (s Reservations) Attention(ctx context.Context, who access.Scope, at id.Property, p Page) (found []*Reservation, concerns []Attention, err error) {
	for len(found) < p.Limit {
		candidates, outages, err := s.concerned(ctx, who, at, p)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range candidates {
			if all := r.concerns(outages); len(all) > 0 && len(found) < p.Limit {
				found, concerns = append(found, r), append(concerns, all...)
			}
		}
		if len(candidates) < p.Limit {
			break
		}
		p.After = candidates[len(candidates)-1].ID
	}
	return found, concerns, nil
}

// concerned returns the reservations of a page that may have a concern, with the outages of their rooms. The dates are one
// or two days too wide, because only Reservation knows the property's clock.
func (s Reservations) concerned(ctx context.Context, who access.Scope, at id.Property, p Page) (found []*Reservation, outages []outage, err error) {
	err = s.db.InTenant(ctx, who.Tenant, func(tx postgres.Tx) error {
		args := pgx.StrictNamedArgs{"tenant": who.Tenant, "property": at, "after": p.After, "limit": p.Limit}
		rows, _ := tx.Query(ctx, `
			SELECT reservation_id FROM reservation.reservations
			WHERE tenant_id = @tenant AND property_id = @property AND reservation_id > @after
			  AND step_since <= platform.now() - interval '1 minute'
			UNION
			SELECT reservation_id FROM reservation.reservations
			WHERE tenant_id = @tenant AND property_id = @property AND reservation_id > @after
			  AND state IN ('check_in_started', 'checked_in', 'checkout_started')
			  AND (check_in ->> 'requiresManualKey' = 'true' OR stay_end <= (platform.now() AT TIME ZONE 'UTC')::date + 1)
			UNION
			SELECT reservation_id FROM reservation.reservations
			WHERE tenant_id = @tenant AND property_id = @property AND reservation_id > @after
			  AND state = 'checked_out' AND (check_out #>> '{folio,settled}') IS DISTINCT FROM 'true'
			UNION
			SELECT reservation_id FROM reservation.reservations
			WHERE tenant_id = @tenant AND property_id = @property AND reservation_id > @after AND lost_at IS NOT NULL
			UNION
			SELECT n.reservation_id
			FROM reservation.rooms_out_of_order AS o
			JOIN reservation.room_nights AS n USING (tenant_id, room_id)
			WHERE o.tenant_id = @tenant AND o.property_id = @property AND n.reservation_id > @after
			  AND n.night >= greatest(o.from_date, (platform.now() AT TIME ZONE 'UTC')::date - 2) AND n.night < o.until_date
			ORDER BY reservation_id LIMIT @limit`, args)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[id.Reservation])
		if err != nil || len(ids) == 0 {
			return err
		}
		rows, _ = tx.Query(ctx, `
			SELECT n.reservation_id, o.until_date, min(o.since) AS since
			FROM reservation.rooms_out_of_order AS o
			JOIN reservation.room_nights AS n USING (tenant_id, room_id)
			WHERE o.tenant_id = @tenant AND n.reservation_id = ANY (@reservations) AND n.night >= o.from_date AND n.night < o.until_date
			GROUP BY n.reservation_id, o.room_id, o.from_date, o.until_date`,
			pgx.StrictNamedArgs{"tenant": who.Tenant, "reservations": ids})
		if outages, err = pgx.CollectRows(rows, pgx.RowToStructByName[outage]); err != nil {
			return err
		}
		found, err = read(ctx, tx, who, selectReservations+` AND r.reservation_id = ANY (@reservations) ORDER BY r.reservation_id`,
			pgx.StrictNamedArgs{"tenant": who.Tenant, "properties": who.Properties, "reservations": ids})
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reservations: attention: %w", err)
	}
	return found, outages, nil
}

// concerns returns the concerns of a reservation, each once.
func (r *Reservation) concerns(outages []outage) (all []Attention) {
	add := func(c Concern, since time.Time) {
		all = append(all, Attention{Reservation: r.ID, Reason: c, Since: since})
	}
	if r.stuck() {
		add(ConcernStuck, *r.Saga.Since)
	}
	inHouse := r.State.inside()
	if inHouse && r.CheckIn != nil && r.CheckIn.ManualKey {
		add(ConcernKey, r.CheckIn.StartedAt)
	}
	today := r.businessDate(r.AsOf)
	since := earliest(r.ID, outages, today)
	if since == nil {
		since = r.LostAt
	}
	if since != nil && (inHouse || r.State == Confirmed) {
		add(ConcernRoom, *since)
	}
	if since := r.unpaidSince(); since != nil {
		add(ConcernBalance, *since)
	}
	return all
}

// unpaidSince returns since when the desk must collect what is due: from the day of departure on, or from a forced check-out on. It
// returns nil if nothing is due, or if the folio of a guest who has left carries it.
func (r *Reservation) unpaidSince() *time.Time {
	departure := r.Local.Midnight(r.Stay.End)
	switch {
	case r.due() == 0, r.State == CheckedOut && r.CheckOut.Folio.carries(r.due(), r.Currency):
		return nil
	case r.State == CheckedOut && r.CheckOut.Forced && r.CheckOut.At.Before(departure):
		return r.CheckOut.At
	case r.State == CheckedOut && r.CheckOut.Forced, r.State.inside() && !r.Local.Date(r.AsOf).Before(r.Stay.End):
		return &departure
	}
	return nil
}

// stuck reports whether another service has not answered in time. A guest who has not paid yet is not a concern, and an expired
// hold waits for nothing.
func (r *Reservation) stuck() bool {
	if r.Saga.Pending == "" || r.Saga.Pending == AwaitPayment || r.Saga.Since == nil || r.EffectiveState() == ExpiredHold {
		return false
	}
	age := r.AsOf.Sub(*r.Saga.Since)
	return age >= stuckWithoutAnswer || age >= stuckAfterFailure && r.Saga.Attempts >= 1
}

// earliest returns since when a room of the reservation has been out of order, or nil if no outage lasts until after that date.
func earliest(of id.Reservation, outages []outage, today stay.Date) (since *time.Time) {
	for _, o := range outages {
		if o.Reservation == of && today.Before(o.Until) && (since == nil || o.Since.Before(*since)) {
			since = &o.Since
		}
	}
	return since
}
