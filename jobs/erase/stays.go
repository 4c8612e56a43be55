package erase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A stayEraser erases the guests of reservations. A reservation itself belongs to the books of the hotel and remains without a name.
type stayEraser struct {
	options
	booking, site *postgres.DB
	docs          document.Collection[any] // sessions of the hotels' sites
	deadLetters   deadLetters
	warehouse     Warehouse // nil if none is configured
	requests      requests  // of guest sessions
}

// A stay is one reservation whose guest is erased.
type stay struct {
	reservation id.Reservation
	sessions    []id.TenantSession
	drafts      []id.Draft
	counts      map[string]int64 // rows by place
}

func eraseStays(ctx context.Context, e env.Env, o options) error {
	s := openStays(e, o)
	chosen := []id.Reservation{o.reservation}
	if o.emailHash != "" {
		var err error
		if chosen, err = s.byEmail(ctx); err != nil {
			return err
		}
	}
	var failed []error
	for _, r := range chosen {
		if err := s.erase(ctx, r); err != nil {
			failed = append(failed, fmt.Errorf("erase: %s: %w", r, err))
		}
	}
	return errors.Join(failed...)
}

func openStays(e env.Env, o options) stayEraser {
	warehouse, _ := WarehouseKey.Get(e)
	return stayEraser{options: o, booking: postgres.Open(e, reservation.Schema), site: postgres.Open(e, tenantbooking.Schema),
		docs: document.Open[any](e, "tnt-session"), deadLetters: deadLetters{e}, warehouse: warehouse, requests: consumer.OpenErasures(e)}
}

// An openErasure is an erasure whose run was interrupted.
type openErasure struct {
	Tenant      id.Tenant
	Reservation id.Reservation
	By, Why     string
}

// completeStays completes the erasures of interrupted runs, the oldest first.
func completeStays(ctx context.Context, e env.Env, o options) error {
	var open []openErasure
	db := postgres.Open(e, reservation.Schema)
	err := db.InMaintenance(ctx, func(tx postgres.Tx) (err error) {
		rows, _ := tx.Last().Query(ctx, `
			SELECT tenant_id, reservation_id, requested_by, reason FROM reservation.erasures
			WHERE completed_at IS NULL
			ORDER BY requested_at, reservation_id`)
		open, err = pgx.CollectRows(rows, pgx.RowToStructByPos[openErasure])
		return err
	})
	if err != nil {
		return err
	}
	failed := []error{openStays(e, o).deleteLateDeadLetters(ctx)}
	for _, r := range open {
		one := o
		one.tenant, one.reservation, one.by, one.why, one.do = r.Tenant, r.Reservation, r.By, r.Why, !o.dry
		failed = append(failed, eraseStays(ctx, e, one))
	}
	return errors.Join(failed...)
}

// byEmail returns the reservations of a tenant whose guest has the hashed address.
func (s stayEraser) byEmail(ctx context.Context) (found []id.Reservation, err error) {
	err = s.booking.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT reservation_id FROM reservation.guests
			WHERE tenant_id = @tenant AND email_hash = @hash
			ORDER BY reservation_id`, pgx.StrictNamedArgs{"tenant": s.tenant, "hash": s.emailHash})
		found, err = pgx.CollectRows(rows, pgx.RowTo[id.Reservation])
		return err
	})
	if err == nil {
		err = s.say("%d reservations have a guest with this address", len(found))
	}
	return found, err
}

// errErased is returned for a reservation whose guest was erased before.
var errErased = errors.New("erased before")

// erase runs the steps of one reservation. Each step can be repeated, and a run continues after an interrupted one.
func (s stayEraser) erase(ctx context.Context, r id.Reservation) error {
	g := &stay{reservation: r, counts: map[string]int64{}}
	err := s.open(ctx, g)
	if errors.Is(err, errErased) {
		return s.say("%s: the guest was erased before", r)
	}
	if err != nil {
		return err
	}
	steps := []func(context.Context, *stay) error{s.deleteDocuments, s.deleteDeadLetters, s.deleteFromWarehouse, s.deleteVisits, s.deleteDrafts, s.deleteGuest, s.complete}
	if !s.do {
		steps = []func(context.Context, *stay) error{s.deleteDeadLetters, s.deleteFromWarehouse, s.countRows}
	}
	for _, step := range steps {
		if err := step(ctx, g); err != nil {
			return err
		}
		if s.stepped != nil {
			s.stepped()
		}
	}
	return s.reportStay(g)
}

func (s stayEraser) reportStay(g *stay) error {
	if s.do {
		return s.say("%s: erased by %q, because %q", g.reservation, s.by, s.why)
	}
	failed := []error{s.say("%s: would erase the guest", g.reservation)}
	for _, place := range slices.Sorted(maps.Keys(g.counts)) {
		failed = append(failed, s.say("%s: would delete %d", place, g.counts[place]))
	}
	return errors.Join(failed...)
}

// A standing is what decides whether a guest may be erased.
type standing struct {
	State       string
	Waits       bool // for a saga step
	Owes        bool
	Unpublished int
	Session     *id.TenantSession
	Completed   *time.Time
	Named       bool
}

// check rejects a reservation whose name is still needed.
func (n standing) check() error {
	switch {
	case n.Completed != nil && !n.Named:
		return errErased
	case !slices.Contains([]string{"checked_out", "cancelled", "no_show", "expired_hold"}, n.State):
		return fmt.Errorf("the reservation is %s: the hotel needs the guest's name until the stay has ended; cancel the reservation first", n.State)
	case n.Waits:
		return errors.New("the reservation waits for a saga step: run again later")
	case n.Owes:
		return errors.New("the folio is not settled: the hotel needs the guest's name until it is")
	case n.Unpublished > 0:
		return fmt.Errorf("%d events are not published: run again later, and see the playbook outbox if they stay", n.Unpublished)
	}
	return nil
}

// open records the request in the transaction that checks the locked reservation. Changes of the reservation lock it too, so none can
// name the guest in between; afterwards the state of the reservation forbids it. A dry run only checks.
func (s stayEraser) open(ctx context.Context, g *stay) error {
	err := s.booking.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT r.state, r.pending_step <> '' OR r.step_since IS NOT NULL AS waits,
			       r.state = 'checked_out' AND (r.check_out #>> '{folio,settled}') IS DISTINCT FROM 'true' AS owes,
			       (SELECT count(*) FROM reservation.outbox AS o WHERE o.ordering_key = @key AND o.published_at IS NULL) AS unpublished,
			       r.session_id AS session, e.completed_at AS completed,
			       EXISTS (SELECT FROM reservation.guests AS g WHERE g.tenant_id = @tenant AND g.reservation_id = @reservation) AS named
			FROM reservation.reservations AS r
			LEFT JOIN reservation.erasures AS e USING (tenant_id, reservation_id)
			WHERE r.tenant_id = @tenant AND r.reservation_id = @reservation
			FOR UPDATE OF r`, s.arguments(g, pgx.StrictNamedArgs{"key": s.reservationKey(g)[0]}))
		n, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[standing])
		if errors.Is(err, pgx.ErrNoRows) {
			return errors.New("the tenant has no such reservation")
		}
		if err == nil {
			err = n.check()
		}
		if err != nil {
			return err
		}
		if n.Session != nil {
			g.sessions = append(g.sessions, *n.Session)
		}
		if s.do {
			tx.Queue(`
				INSERT INTO reservation.erasures (tenant_id, reservation_id, requested_by, reason)
				VALUES (@tenant, @reservation, @by, @why)
				ON CONFLICT (reservation_id) DO UPDATE SET completed_at = NULL`,
				s.arguments(g, pgx.StrictNamedArgs{"by": s.by, "why": s.why}))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.findVisits(ctx, g)
}

// findVisits finds the drafts of the reservation and their sessions. An open draft still has the guest's details.
func (s stayEraser) findVisits(ctx context.Context, g *stay) error {
	return s.site.InTenant(ctx, s.tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT draft_id, session_id, ended_at IS NOT NULL AS ended FROM bff_tenant_booking.booking_drafts
			WHERE tenant_id = @tenant AND reservation_id = @reservation`, s.arguments(g, nil))
		drafts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			Draft   id.Draft
			Session id.TenantSession
			Ended   bool
		}])
		if err != nil {
			return err
		}
		for _, d := range drafts {
			if !d.Ended {
				return fmt.Errorf("the draft %s is open: the sweep ends it; run again later", d.Draft)
			}
			g.drafts, g.sessions = append(g.drafts, d.Draft), append(g.sessions, d.Session)
		}
		rows, _ = tx.Last().Query(ctx, `
			SELECT draft_id, session_id FROM bff_tenant_booking.booking_draft_snapshots
			WHERE tenant_id = @tenant AND reservation_id = @name`, pgx.StrictNamedArgs{"tenant": s.tenant, "name": g.reservation.String()})
		snapshots, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Draft, Session string }])
		for _, k := range snapshots {
			draft, noDraft := id.Parse[id.Draft](k.Draft)
			session, noSession := id.Parse[id.TenantSession](k.Session)
			err = errors.Join(err, noDraft, noSession)
			g.drafts, g.sessions = append(g.drafts, draft), append(g.sessions, session)
		}
		g.drafts, g.sessions = distinct(g.drafts), distinct(g.sessions)
		return err
	})
}

// distinct returns each id once.
func distinct[I interface {
	comparable
	String() string
}](ids []I) []I {
	slices.SortFunc(ids, func(a, b I) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(ids)
}

// arguments adds tenant and reservation to the arguments of a statement.
func (s stayEraser) arguments(g *stay, also pgx.StrictNamedArgs) pgx.StrictNamedArgs {
	args := pgx.StrictNamedArgs{"tenant": s.tenant, "reservation": g.reservation}
	maps.Copy(args, also)
	return args
}

// deleteDocuments deletes the documents of the sessions. A session that goes on loses the guest's preferences and no booking.
func (s stayEraser) deleteDocuments(ctx context.Context, g *stay) error {
	n := int64(0)
	for _, session := range g.sessions {
		key := document.KeyOf(session.String())
		_, found, err := s.docs.Get(ctx, key)
		if err != nil {
			return fmt.Errorf("document of a session: %w", err)
		}
		if !found {
			continue
		}
		if err := s.docs.Delete(ctx, key); err != nil {
			return fmt.Errorf("document of a session: %w", err)
		}
		n++
	}
	return s.record(ctx, g, map[string]int64{placeDocuments: n})
}
