package erase

import (
	"context"
	"errors"
	"maps"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// placeDeadLetters is the place of dead letters on a receipt.
const placeDeadLetters = "dead letters"

// deadLetters gives access to the dead letters of all services. DEAD_LETTERS lists their subscriptions.
type deadLetters struct{ env env.Env }

// remove removes the dead letters that contain one of the ids, and returns their number by id. If do is false, it only counts them.
func (l deadLetters) remove(ctx context.Context, named []string, do bool) (map[string]int64, error) {
	if len(named) == 0 {
		return nil, nil
	}
	return replay.Remove(ctx, l.env, named, do)
}

// named returns the ids by which the dead letters of a stay are found: of the reservation, its drafts and their sessions.
func (g *stay) named() []string {
	all := []string{g.reservation.String()}
	for _, d := range g.drafts {
		all = append(all, d.String())
	}
	return append(all, namesOf(g.sessions)...)
}

// namesOf returns the ids as strings.
func namesOf[I interface{ String() string }](ids []I) (names []string) {
	for _, each := range ids {
		names = append(names, each.String())
	}
	return names
}

// deleteDeadLetters deletes the dead letters of the reservation, its drafts and their sessions. A dry run counts them.
func (s stayEraser) deleteDeadLetters(ctx context.Context, g *stay) error {
	found, err := s.deadLetters.remove(ctx, g.named(), s.do)
	if err != nil {
		return err
	}
	return s.note(ctx, g, map[string]int64{placeDeadLetters: total(found)})
}

// deleteFromWarehouse deletes the published telemetry of the reservation, its drafts and their sessions. A dry run counts it. A
// kind of id without a column in any table is skipped.
func (s stayEraser) deleteFromWarehouse(ctx context.Context, g *stay) error {
	if s.warehouse == nil {
		return nil
	}
	tables, err := s.warehouse.Tables(ctx)
	if err != nil {
		return err
	}
	all := IDs{"reservationId": {g.reservation.String()}, "draftId": namesOf(g.drafts), "sessionId": namesOf(g.sessions)}
	counts := map[string]int64{}
	for _, t := range tables {
		ids := all.in(t)
		if len(ids) == 0 {
			continue
		}
		n, err := s.warehouse.Count(ctx, t.Name, ids)
		if err == nil && s.do && n > 0 {
			err = s.warehouse.Delete(ctx, t.Name, ids)
		}
		if err != nil {
			return err
		}
		counts[s.warehouse.Name()+"."+t.Name] = n
	}
	return s.note(ctx, g, counts)
}

// note adds the numbers by place to the receipt, or in a dry run to its report.
func (s stayEraser) note(ctx context.Context, g *stay, counts map[string]int64) error {
	if s.do {
		return s.record(ctx, g, counts)
	}
	maps.Copy(g.counts, counts)
	return nil
}

func total(counts map[string]int64) (n int64) {
	for _, of := range counts {
		n += of
	}
	return n
}

// lateTime is the time after an erasure in which deleteLateDeadLetters looks for dead letters. It exceeds the retention of dead letters, 31 days.
const lateTime = "40 days"

// deleteLateDeadLetters deletes dead letters that name a reservation, its session or a guest session that was erased recently. A dead letter can
// appear after the erasure: its message was still being delivered, or another run had leased it. Events of a draft name its session too.
// Their numbers are printed and not added to the receipts.
func (s stayEraser) deleteLateDeadLetters(ctx context.Context) error {
	erased, err := s.recentlyErased(ctx)
	if err != nil {
		return err
	}
	found, err := s.deadLetters.remove(ctx, erased, !s.dry)
	switch n := total(found); {
	case n > 0 && s.dry:
		return errors.Join(err, s.say("late dead letters: would delete %d", n))
	case n > 0:
		return errors.Join(err, s.say("late dead letters: deleted %d", n))
	}
	return err
}

// recentlyErased returns the ids of the guests that were erased within lateTime: of reservations, their sessions and guest sessions.
func (s stayEraser) recentlyErased(ctx context.Context) (names []string, err error) {
	sessions, err := s.requests.Completed(ctx, lateTime)
	if err != nil {
		return nil, err
	}
	names = namesOf(sessions)
	of := map[id.Tenant][]id.Reservation{}
	err = s.booking.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT tenant_id, reservation_id FROM reservation.erasures WHERE completed_at > platform.now() - @kept::interval
			ORDER BY reservation_id`, pgx.StrictNamedArgs{"kept": lateTime})
		var tenant id.Tenant
		var erased id.Reservation
		_, err := pgx.ForEachRow(rows, []any{&tenant, &erased}, func() error {
			of[tenant], names = append(of[tenant], erased), append(names, erased.String())
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	for tenant, reservations := range of { // the maintenance role may not read the sessions
		err := s.booking.InTenant(ctx, tenant, func(tx postgres.Tx) error {
			rows, _ := tx.Last().Query(ctx, `
				SELECT DISTINCT session_id FROM reservation.reservations
				WHERE tenant_id = @tenant AND reservation_id = ANY(@reservations) AND session_id IS NOT NULL`,
				pgx.StrictNamedArgs{"tenant": tenant, "reservations": reservations})
			sessions, err := pgx.CollectRows(rows, pgx.RowTo[id.TenantSession])
			names = append(names, namesOf(sessions)...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}
