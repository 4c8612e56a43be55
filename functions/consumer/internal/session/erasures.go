package session

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// An Erasure is the request to erase what remains of a cleared session. It is open until its receipt
// is written.
type Erasure struct {
	Session     id.GuestSession `db:"guest_session_id"`
	RequestedAt time.Time       `db:"requested_at"`
	DueAt       time.Time       `db:"due_at"`
}

// erasureTerm is the time within which an erasure is due.
const erasureTerm = 30 * 24 * time.Hour

// queueErasure requests the erasure of a session. A session whose erasure is already requested keeps that request.
func queueErasure(tx postgres.Tx, session id.GuestSession, now time.Time) {
	tx.Queue(`
		INSERT INTO bff_consumer.erasure_requests (guest_session_id, requested_at, due_at)
		VALUES (@session, @now, @due)
		ON CONFLICT (guest_session_id) DO NOTHING`, pgx.StrictNamedArgs{"session": session, "now": now, "due": now.Add(erasureTerm)})
}

// Erasures stores the requests of guests to erase their sessions, erases the sessions, and writes the receipts. All methods can be
// repeated after an interruption. The handoff ledger, bot scores and audit events are evidence and remain.
type Erasures struct {
	db       *postgres.DB
	docs     document.Collection[Session]
	searches SearchSessions
	now      func() time.Time
}

// OpenErasures opens the store.
func OpenErasures(e env.Env) *Erasures {
	return &Erasures{
		db:       postgres.Open(e, Schema),
		docs:     document.Open[Session](e, sessionDocuments),
		searches: OpenSearchSessions(e),
		now:      e.Now,
	}
}

// erasureDelay is the age at which a request is handled. By then calls of the session have ended, search sessions that the job
// cannot find have expired, and the warehouse allows deleting the newest events.
const erasureDelay = 2 * time.Hour

// Request requests the erasure of a session and returns the time at which it is due. A session whose erasure is already requested keeps
// that request.
func (e *Erasures) Request(ctx context.Context, session id.GuestSession) (due time.Time, err error) {
	err = e.db.InTx(ctx, func(tx postgres.Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		queueErasure(tx, session, now)
		return tx.QueryRow(ctx, `SELECT due_at FROM bff_consumer.erasure_requests WHERE guest_session_id = @session`,
			pgx.StrictNamedArgs{"session": session}).Scan(&due)
	})
	if err != nil {
		return due, fmt.Errorf("erasures: request: %w", err)
	}
	return due, nil
}

// List returns up to limit open requests that sort after the given one, the oldest first.
func (e *Erasures) List(ctx context.Context, after Erasure, limit int) (open []Erasure, err error) {
	err = e.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT guest_session_id, requested_at, due_at
			FROM bff_consumer.erasure_requests
			WHERE requested_at <= platform.now() - @delay::interval AND (requested_at, guest_session_id) > (@since, @after)
			ORDER BY requested_at, guest_session_id
			LIMIT @most`, pgx.StrictNamedArgs{"delay": erasureDelay, "since": after.RequestedAt, "after": after.Session, "most": limit})
		open, err = pgx.CollectRows(rows, pgx.RowToStructByName[Erasure])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("erasures: list: %w", err)
	}
	return open, nil
}

// The places of an erasure beside the tables.
const (
	DocumentsPlace   = "documents"
	IdempotencyPlace = Schema + ".idempotency"
)

// DeleteDocuments deletes the documents of a session. Clear has deleted them, unless the store was down.
func (e *Erasures) DeleteDocuments(ctx context.Context, r Erasure) error {
	n, err := deleteDocuments(ctx, e.docs, e.searches, r.Session, e.now())
	if err != nil {
		return fmt.Errorf("erasures: documents of %s: %w", r.Session, err)
	}
	return e.Record(ctx, DocumentsPlace, map[id.GuestSession]int64{r.Session: int64(n)})
}

// A sessionTable is a table with rows of sessions. The outbox names them by their ordering key.
type sessionTable struct{ name, key, also string }

var sessionTables = []sessionTable{
	{name: "outbox", key: "ordering_key", also: " AND subject = ANY (@telemetry)"},
	{name: "wishlist", key: "guest_session_id"},
	{name: "guest_sessions", key: "guest_session_id"},
}

// arguments returns the arguments of a statement for one table.
func (t sessionTable) arguments(requests []Erasure) pgx.StrictNamedArgs {
	if t.also == "" {
		return pgx.StrictNamedArgs{"sessions": sessionsOf(requests)}
	}
	var keys, telemetry []string
	for _, r := range requests {
		keys = append(keys, r.Session.String())
	}
	for _, s := range Publishes() {
		if s.Retention.Class == event.Operational {
			telemetry = append(telemetry, s.Name)
		}
	}
	return pgx.StrictNamedArgs{"sessions": keys, "telemetry": telemetry}
}

func sessionsOf(requests []Erasure) (sessions []id.GuestSession) {
	for _, r := range requests {
		sessions = append(sessions, r.Session)
	}
	return sessions
}

// DeleteRows deletes the rows of sessions and records their numbers in the same transaction. It reads each table once for all
// requests, because most tables have no index for it.
func (e *Erasures) DeleteRows(ctx context.Context, requests []Erasure) error {
	err := e.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		for _, t := range sessionTables {
			rows, _ := tx.Query(ctx, `
				WITH gone AS (DELETE FROM `+Schema+`.`+t.name+` WHERE `+t.key+` = ANY (@sessions)`+t.also+` RETURNING `+t.key+` AS session)
				SELECT session, count(*) FROM gone GROUP BY session`, t.arguments(requests))
			counts, err := collectCounts(rows, t)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			queueCounts(tx, Schema+"."+t.name, counts)
		}
		for _, r := range requests {
			n, err := idempotency.Forget(ctx, tx, Schema, id.Tenant{}, r.Session.String())
			if err != nil {
				return err
			}
			queueCounts(tx, IdempotencyPlace, map[id.GuestSession]int64{r.Session: n})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("erasures: rows: %w", err)
	}
	return nil
}

// collectCounts returns numbers by session.
func collectCounts(rows pgx.Rows, t sessionTable) (map[id.GuestSession]int64, error) {
	counts := map[id.GuestSession]int64{}
	defer rows.Close()
	for rows.Next() {
		var session id.GuestSession
		var text string
		var n int64
		into := any(&session)
		if t.also != "" {
			into = &text
		}
		err := rows.Scan(into, &n)
		if err == nil && t.also != "" {
			session, err = id.Parse[id.GuestSession](text)
		}
		if err != nil {
			return nil, err
		}
		counts[session] = n
	}
	return counts, rows.Err()
}

// queueCounts adds the numbers of deleted rows of a place to the requests.
func queueCounts(tx postgres.Tx, place string, counts map[id.GuestSession]int64) {
	for session, n := range counts {
		tx.Queue(`
			UPDATE bff_consumer.erasure_requests
			SET deleted = jsonb_set(deleted, ARRAY[@place::text], to_jsonb(coalesce((deleted ->> @place::text)::bigint, 0) + @n::bigint))
			WHERE guest_session_id = @session`, pgx.StrictNamedArgs{"session": session, "place": place, "n": n})
	}
}

// Record adds the numbers of rows that were deleted elsewhere. After a crash between a deletion and its record, the number on the
// receipt is too low.
func (e *Erasures) Record(ctx context.Context, place string, counts map[id.GuestSession]int64) error {
	err := e.db.InMaintenance(ctx, func(tx postgres.Tx) error { queueCounts(tx, place, counts); return nil })
	if err != nil {
		return fmt.Errorf("erasures: record %s: %w", place, err)
	}
	return nil
}

// Count returns how many documents and rows an erasure would delete, by place. Idempotent answers are not counted.
func (e *Erasures) Count(ctx context.Context, requests []Erasure) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, r := range requests {
		kept, ok, err := e.docs.Get(ctx, document.KeyOf(r.Session.String()))
		if err != nil {
			return nil, fmt.Errorf("erasures: count: %w", err)
		}
		for _, h := range kept.SearchHistory {
			if h.isActive(e.now()) {
				counts[DocumentsPlace]++
			}
		}
		if ok {
			counts[DocumentsPlace]++
		}
	}
	err := e.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		for _, t := range sessionTables {
			var n int64
			err := tx.QueryRow(ctx, `SELECT count(*) FROM `+Schema+`.`+t.name+` WHERE `+t.key+` = ANY (@sessions)`+t.also, t.arguments(requests)).Scan(&n)
			if err != nil {
				return err
			}
			counts[Schema+"."+t.name] = n
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("erasures: count: %w", err)
	}
	return counts, nil
}

// Complete writes the receipts of requests and closes them. A receipt names the deleted rows by place, the evidence that remains
// and until when, and the warehouse.
func (e *Erasures) Complete(ctx context.Context, requests []Erasure, warehouse string) (closed int, err error) {
	err = e.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		tag, err := tx.Last().Exec(ctx, `
			WITH evidence AS (
				SELECT guest_session_id, 'bff_consumer.handoff_ledger' AS place, count(*) AS kept, max(minted_at) AS newest
				FROM bff_consumer.handoff_ledger WHERE guest_session_id = ANY (@sessions) GROUP BY guest_session_id
				UNION ALL
				SELECT guest_session_id, 'bff_consumer.bot_scores', count(*), max(evaluated_at)
				FROM bff_consumer.bot_scores WHERE guest_session_id = ANY (@sessions) GROUP BY guest_session_id
				UNION ALL
				SELECT guest_session_id, 'events handoff.initiated', count(*), max(minted_at)
				FROM bff_consumer.handoff_ledger WHERE guest_session_id = ANY (@sessions) GROUP BY guest_session_id
				UNION ALL
				SELECT guest_session_id, 'events bot_suspected', count(*), max(evaluated_at)
				FROM bff_consumer.bot_scores WHERE guest_session_id = ANY (@sessions) AND verdict <> 'human' GROUP BY guest_session_id
			), closed AS (
				DELETE FROM bff_consumer.erasure_requests WHERE guest_session_id = ANY (@sessions)
				RETURNING guest_session_id, requested_at, due_at, deleted
			)
			INSERT INTO bff_consumer.erasure_receipts (guest_session_id, requested_at, due_at, completed_at, deleted, retained, warehouse)
			SELECT c.guest_session_id, c.requested_at, c.due_at, platform.now(), c.deleted, coalesce((
				SELECT jsonb_agg(jsonb_build_object('place', v.place, 'rows', v.kept, 'until', v.newest + interval '1 year') ORDER BY v.place)
				FROM evidence AS v WHERE v.guest_session_id = c.guest_session_id), '[]'), @warehouse
			FROM closed AS c
			ON CONFLICT (guest_session_id) DO NOTHING`, pgx.StrictNamedArgs{"sessions": sessionsOf(requests), "warehouse": warehouse})
		closed = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("erasures: complete: %w", err)
	}
	return closed, nil
}

// Completed returns the sessions that were erased within an interval of SQL, such as "40 days".
func (e *Erasures) Completed(ctx context.Context, within string) (sessions []id.GuestSession, err error) {
	err = e.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT guest_session_id FROM bff_consumer.erasure_receipts WHERE completed_at > platform.now() - @within::interval
			ORDER BY guest_session_id`, pgx.StrictNamedArgs{"within": within})
		sessions, err = pgx.CollectRows(rows, pgx.RowTo[id.GuestSession])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("erasures: completed: %w", err)
	}
	return sessions, nil
}
