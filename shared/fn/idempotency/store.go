package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/postgres"
)

// A store is the table. Its statements name the schema, which is known when it is opened and never comes from a caller.
// None needs a tenant: the key holds it.
type store struct {
	db                                    *postgres.DB
	claiming, looking, keeping, releasing string
}

// A lease is the right to run a claim until a moment of the database's clock. That moment also tells it from the leases
// before and after it.
type lease struct {
	row   string
	act   id.Request
	until time.Time
}

// An entry is what a row says.
type entry struct {
	Request  string `db:"request_hash"`
	Status   *int   `db:"status_code"` // nil while the first call is running
	Headers  []byte `db:"headers"`
	Response []byte `db:"response"`
}

// A claimed is what a claim finds: a lease, or the answer that was kept.
type claimed struct {
	Act   *id.Request `db:"act"`
	Until *time.Time  `db:"locked_until"`
	entry
}

// errTaken means that the claim is another's and not answered.
var errTaken = errors.New("idempotency: taken")

func openStore(db *postgres.DB) store {
	table := pgx.Identifier{db.Schema(), "idempotency"}.Sanitize()
	return store{
		db: db,
		// What was kept is looked for first: a replay writes nothing. A row that has expired is as good as none. One whose
		// lease ran out is taken over with its act, by the same request only: another one is refused when it looks.
		claiming: `
			WITH kept AS MATERIALIZED (
				SELECT request_hash, status_code, headers, response
				FROM ` + table + `
				WHERE key = @key AND status_code IS NOT NULL AND expires_at > platform.now()
			), claimed AS (
				INSERT INTO ` + table + ` AS i (key, tenant_id, request_hash, act, locked_until, created_at, expires_at)
				SELECT @key, @tenant::uuid, @request, @act::uuid, clock_timestamp() + @lease::interval, platform.now(), platform.now() + interval '24 hours'
				WHERE NOT EXISTS (SELECT FROM kept)
				ON CONFLICT (key) DO UPDATE SET
					request_hash = excluded.request_hash,
					act          = CASE WHEN i.expires_at <= platform.now() THEN excluded.act ELSE i.act END,
					created_at   = CASE WHEN i.expires_at <= platform.now() THEN excluded.created_at ELSE i.created_at END,
					expires_at   = excluded.expires_at,
					locked_until = excluded.locked_until,
					status_code  = NULL,
					headers      = NULL,
					response     = NULL
				WHERE i.expires_at <= platform.now()
				   OR (i.status_code IS NULL AND i.locked_until <= clock_timestamp() AND i.request_hash = excluded.request_hash)
				RETURNING act, locked_until
			)
			SELECT act, locked_until, '' AS request_hash, NULL::int AS status_code, NULL::bytea AS headers, NULL::bytea AS response FROM claimed
			UNION ALL
			SELECT NULL, NULL, request_hash, status_code, headers, response FROM kept`,
		looking: `
			SELECT request_hash, status_code, headers, response
			FROM ` + table + `
			WHERE key = @key`,
		keeping: `
			UPDATE ` + table + `
			SET status_code = @status, headers = @headers, response = @response
			WHERE key = @key AND act = @act AND status_code IS NULL`,
		releasing: `
			UPDATE ` + table + `
			SET locked_until = clock_timestamp()
			WHERE key = @key AND locked_until = @until AND status_code IS NULL`,
	}
}

// claim takes a lease, or returns what was kept, or errTaken.
func (s store) claim(ctx context.Context, c Claim) (l lease, kept *entry, err error) {
	var found claimed
	err = s.db.InTx(ctx, func(tx postgres.Tx) (err error) {
		rows, _ := tx.Last().Query(ctx, s.claiming, pgx.StrictNamedArgs{
			"key": c.row(), "tenant": c.Tenant, "request": c.Request, "act": id.New[id.Request](), "lease": c.Lease,
		})
		found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[claimed])
		return err
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return l, nil, errTaken
	case err != nil:
		return l, nil, fmt.Errorf("idempotency: claim: %w", err)
	case found.Act == nil:
		return l, &found.entry, nil
	}
	return lease{row: c.row(), act: *found.Act, until: *found.Until}, nil, nil
}

func (s store) look(ctx context.Context, row string) (e entry, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) (err error) {
		rows, _ := tx.Last().Query(ctx, s.looking, pgx.StrictNamedArgs{"key": row})
		e, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[entry])
		return err
	})
	if err != nil {
		return e, fmt.Errorf("idempotency: look: %w", err)
	}
	return e, nil
}

// keep stores the answer and reports whether it was the first.
func (s store) keep(ctx context.Context, l lease, e entry) (first bool, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		tag, err := tx.Last().Exec(ctx, s.keeping, pgx.StrictNamedArgs{
			"key": l.row, "act": l.act, "status": e.Status, "headers": e.Headers, "response": e.Response,
		})
		first = tag.RowsAffected() == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("idempotency: keep: %w", err)
	}
	return first, nil
}

func (s store) release(ctx context.Context, l lease) error {
	return s.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, s.releasing, pgx.StrictNamedArgs{"key": l.row, "until": l.until})
		return err
	})
}
