package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Drafts stores booking drafts, and publishes their events in the same transaction.
type Drafts struct {
	db     *postgres.DB
	outbox *outbox.Outbox
	flags  *flags.Flags
	active session.ActiveDrafts
}

// OpenDrafts returns the draft store.
func OpenDrafts(e env.Env) Drafts {
	db := postgres.Open(e, session.Schema)
	return Drafts{db: db, outbox: outbox.Open(e, db), flags: subject.OpenFlags(e), active: session.OpenActiveDrafts(e)}
}

const selectDrafts = `
	SELECT draft_id, tenant_id, session_id, state, version, body, created_at, active_at, expires_at, ended_at, platform.now() AS as_of
	FROM bff_tenant_booking.booking_drafts
	WHERE tenant_id = @tenant`

// Get returns the session's draft, or ErrNotFound if there is none or if it belongs to another session or tenant.
func (s Drafts) Get(ctx context.Context, owner session.Session, d id.Draft) (*Draft, error) {
	draft, err := s.find(ctx, owner.Tenant, selectDrafts+` AND draft_id = @draft AND session_id = @session`,
		pgx.StrictNamedArgs{"tenant": owner.Tenant, "draft": d, "session": owner.ID})
	if err == nil {
		draft.ownerSilent = owner.Silent()
	}
	return draft, err
}

// SetConsent marks the session's running drafts as silent or not. Calls without the session, such as the sweep, publish
// telemetry by this mark. The drafts' version increases, so that a concurrent save does not undo the change.
func (s Drafts) SetConsent(ctx context.Context, owner session.Session) error {
	err := s.db.InTenant(ctx, owner.Tenant, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			UPDATE bff_tenant_booking.booking_drafts
			SET version = version + 1, body = CASE WHEN @silent::boolean THEN body || '{"silent": true}' ELSE body - 'silent' END
			WHERE tenant_id = @tenant AND session_id = @session AND ended_at IS NULL
				AND COALESCE((body ->> 'silent')::boolean, false) != @silent`,
			pgx.StrictNamedArgs{"tenant": owner.Tenant, "session": owner.ID, "silent": !owner.Consent.Telemetry})
		return err
	})
	if err != nil {
		return fmt.Errorf("drafts: consent of %s: %w", owner.ID, err)
	}
	return nil
}

// Any returns a draft of any session. It is for the sweep, which acts without a session.
func (s Drafts) Any(ctx context.Context, d Due) (*Draft, error) {
	return s.find(ctx, d.Tenant, selectDrafts+` AND draft_id = @draft`, pgx.StrictNamedArgs{"tenant": d.Tenant, "draft": d.Draft})
}

// Linked returns the draft that a return link opens, or ErrNotFound. A draft that it does not open does not become the draft of the call.
func (s Drafts) Linked(ctx context.Context, t id.Tenant, draft id.Draft, l ReturnLink) (*Draft, error) {
	d, err := s.Any(context.WithValue(ctx, flowKey{}, &flow{}), Due{Tenant: t, Draft: draft})
	if err == nil && !l.Opens(d) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	flowOf(ctx).stored(d)
	return d, nil
}

func (s Drafts) find(ctx context.Context, tenant id.Tenant, sql string, args pgx.StrictNamedArgs) (d *Draft, err error) {
	err = s.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		d, err = readDraft(ctx, tx.Last(), sql, args)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("drafts: find: %w", err)
	}
	flowOf(ctx).stored(d)
	return d, nil
}

func readDraft(ctx context.Context, tx postgres.Tx, sql string, args pgx.StrictNamedArgs) (*Draft, error) {
	var d Draft
	err := tx.QueryRow(ctx, sql, args).Scan(&d.ID, &d.Tenant, &d.Session, &d.State, &d.Version, &d.Body,
		&d.CreatedAt, &d.ActiveAt, &d.ExpiresAt, &d.EndedAt, &d.AsOf)
	return &d, err
}

// Add inserts a new draft. If the same act has inserted it before, Add returns the stored draft.
func (s Drafts) Add(ctx context.Context, d *Draft) (stored *Draft, err error) {
	err = s.db.InTenant(ctx, d.Tenant, func(tx postgres.Tx) error {
		tx.Queue(`
			INSERT INTO bff_tenant_booking.booking_drafts (draft_id, tenant_id, session_id, state, version, body, created_at, active_at, expires_at)
			VALUES (@draft, @tenant, @session, @state, @version, @body, @created, @active, @expires)
			ON CONFLICT (draft_id) DO NOTHING`,
			pgx.StrictNamedArgs{"draft": d.ID, "tenant": d.Tenant, "session": d.Session, "state": d.State, "version": d.Version,
				"body": d.Body, "created": d.CreatedAt, "active": d.ActiveAt, "expires": d.ExpiresAt})
		queueArrival(tx, d)
		stored, err = readDraft(ctx, tx.Last(), selectDrafts+` AND draft_id = @draft AND session_id = @session`,
			pgx.StrictNamedArgs{"tenant": d.Tenant, "draft": d.ID, "session": d.Session})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("drafts: add %s: %w", d.ID, err)
	}
	return stored, nil
}

// queueArrival records the draft in its handoff arrival, unless an earlier draft of the session is recorded there.
func queueArrival(tx postgres.Tx, d *Draft) {
	if d.Arrival == nil {
		return
	}
	tx.Queue(`
		UPDATE bff_tenant_booking.handoff_arrival_log SET booking_draft_id = @draft
		WHERE tenant_id = @tenant AND id = @arrival AND session_id = @session AND booking_draft_id IS NULL`,
		pgx.StrictNamedArgs{"draft": d.ID.String(), "tenant": d.Tenant, "arrival": d.Arrival.String(), "session": d.Session})
}

// Save stores a changed draft with its events and, if the draft has ended, its snapshot. If the draft was changed since
// it was read, Save returns fault.ErrVersionConflict and changes nothing.
func (s Drafts) Save(ctx context.Context, d *Draft, events ...event.Draft) error {
	return s.save(ctx, d, func(postgres.Tx) {}, events...)
}

// SaveAs saves a draft whose session continues under another id (decision 94), d.Session. All rows of the owner move to that
// session.
func (s Drafts) SaveAs(ctx context.Context, d *Draft, owner session.Session, events ...event.Draft) error {
	return s.save(ctx, d, func(tx postgres.Tx) { queueRename(tx, d, owner) }, events...)
}

func (s Drafts) save(ctx context.Context, d *Draft, queue func(postgres.Tx), events ...event.Draft) error {
	err := s.db.InTenant(ctx, d.Tenant, func(tx postgres.Tx) error {
		if err := update(ctx, tx, d); err != nil {
			return err
		}
		if d.State.Ended() {
			queueSnapshot(tx, d)
		}
		if d.State == Confirmed {
			queueOwner(tx, d.Tenant, d.Hold.Reservation, d.Session, d.ID, d.Quote.Selection.Stay.CheckOut.Time())
		}
		queue(tx)
		return s.outbox.Append(ctx, tx, s.flags.Sampled(d.silences(), events...)...)
	})
	if err != nil {
		return fmt.Errorf("drafts: save %s: %w", d.ID, err)
	}
	if d.State.Ended() {
		s.active.Clear(ctx, d.Tenant, d.Session, d.ID)
	}
	flowOf(ctx).stored(d, events...)
	return nil
}

// queueRename moves the owner's drafts, snapshots, bookings and handoff arrivals to the draft's session. The marks of seen
// confirmations stay: they only prevent that the same event is published twice.
func queueRename(tx postgres.Tx, d *Draft, owner session.Session) {
	var arrivals []string
	for _, arrival := range []*id.HandoffArrival{d.Arrival, owner.Arrival} {
		if arrival != nil {
			arrivals = append(arrivals, arrival.String())
		}
	}
	tx.Queue(`UPDATE bff_tenant_booking.booking_drafts SET session_id = @new WHERE tenant_id = @tenant AND session_id = @old`,
		pgx.StrictNamedArgs{"new": d.Session, "old": owner.ID, "tenant": d.Tenant})
	tx.Queue(`UPDATE bff_tenant_booking.booking_draft_snapshots SET session_id = @new WHERE tenant_id = @tenant AND session_id = @old`,
		pgx.StrictNamedArgs{"new": d.Session.String(), "old": owner.ID.String(), "tenant": d.Tenant})
	tx.Queue(`UPDATE bff_tenant_booking.booking_owners SET session_id = @new WHERE tenant_id = @tenant AND session_id = @old`,
		pgx.StrictNamedArgs{"new": d.Session, "old": owner.ID, "tenant": d.Tenant})
	tx.Queue(`
		UPDATE bff_tenant_booking.handoff_arrival_log SET session_id = @new
		WHERE tenant_id = @tenant AND id = ANY (@arrivals) AND session_id = @old`,
		pgx.StrictNamedArgs{"new": d.Session, "old": owner.ID, "tenant": d.Tenant, "arrivals": arrivals})
}

func update(ctx context.Context, tx postgres.Tx, d *Draft) error {
	var reservation *id.Reservation
	if d.Hold != nil {
		reservation = &d.Hold.Reservation
	}
	tag, err := tx.Exec(ctx, `
		UPDATE bff_tenant_booking.booking_drafts
		SET state = @state, version = @version, reservation_id = @reservation, body = @body, active_at = @active,
			expires_at = @expires, ended_at = @ended
		WHERE tenant_id = @tenant AND draft_id = @draft AND version = @version - 1`,
		pgx.StrictNamedArgs{"state": d.State, "version": d.Version, "reservation": reservation, "body": d.Body, "active": d.ActiveAt,
			"expires": d.ExpiresAt, "ended": d.EndedAt, "tenant": d.Tenant, "draft": d.ID})
	if err == nil && tag.RowsAffected() == 0 {
		return fault.ErrVersionConflict
	}
	return err
}

// A Due identifies a draft that has lapsed, or that has ended and may be deleted.
type Due struct {
	Tenant id.Tenant `db:"tenant_id"`
	Draft  id.Draft  `db:"draft_id"`
	Since  time.Time `db:"expires_at"`
}

// Due lists due drafts of all tenants, the oldest first, starting after the given one. It returns identifiers only,
// because drafts are closed in a transaction of their tenant.
func (s Drafts) Due(ctx context.Context, after Due, limit int) (due []Due, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT tenant_id, draft_id, expires_at FROM bff_tenant_booking.booking_drafts
			WHERE expires_at <= platform.now() AND (expires_at, draft_id) > (@since, @after)
			ORDER BY expires_at, draft_id LIMIT @limit`,
			pgx.StrictNamedArgs{"since": after.Since, "after": after.Draft, "limit": limit})
		due, err = pgx.CollectRows(rows, pgx.RowToStructByName[Due])
		if err != nil {
			return fmt.Errorf("drafts: due: %w", err)
		}
		return nil
	})
	return due, err
}

// Forget deletes an ended draft. Its snapshot stays.
func (s Drafts) Forget(ctx context.Context, d *Draft) error {
	err := s.db.InTenant(ctx, d.Tenant, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			DELETE FROM bff_tenant_booking.booking_drafts
			WHERE tenant_id = @tenant AND draft_id = @draft AND ended_at IS NOT NULL AND expires_at <= platform.now()`,
			pgx.StrictNamedArgs{"tenant": d.Tenant, "draft": d.ID})
		return err
	})
	if err != nil {
		return fmt.Errorf("drafts: forget %s: %w", d.ID, err)
	}
	return nil
}

// Again repeats a use case if its draft was changed concurrently, or if another service is still processing the same
// request, for example after a double click. It returns the result of the last attempt.
func Again[T any](ctx context.Context, useCase func() (T, error)) (result T, err error) {
	const attempts = 6
	for n := range attempts {
		if result, err = useCase(); !conflict(err) {
			return result, err
		}
		if n+1 < attempts && errors.Is(err, fault.ErrIdempotencyInProgress) {
			_ = env.Wait(ctx, timeout<<n) // the next check returns the error of a done ctx
		}
		if err := ctx.Err(); err != nil {
			return result, err
		}
	}
	return result, fault.ErrUnavailable.Because(err)
}

const timeout = 20 * time.Millisecond // first delay before a retry; it doubles each time

// conflict reports whether another call interfered, so that a retry may succeed.
func conflict(err error) bool {
	return errors.Is(err, fault.ErrVersionConflict) && !isStale(err) || errors.Is(err, fault.ErrIdempotencyInProgress)
}

// isStale reports whether a version conflict comes from the caller's own If-Match. It has the same code as a concurrent
// change.
func isStale(err error) bool { return fault.From(err).Kind == fault.PreconditionFailed }
