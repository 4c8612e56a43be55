package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A store executes the statements on the table. They contain the schema's name, which is known when the store is opened and
// never comes from a caller. They need no tenant: the key contains it.
type store struct {
	db                                                *postgres.DB
	entering, looking, takingOver, keeping, releasing string
}

// A lease is the right to run a claim until a moment of the database's clock. That moment also distinguishes it from earlier and
// later leases.
type lease struct {
	row   string
	act   id.Request
	until time.Time
}

// An entry is the content of a row.
type entry struct {
	Request  string
	Status   *int // nil while the first call runs
	Headers  []byte
	Response []byte
}

func (e *entry) scan(r pgx.Row) error { return r.Scan(&e.Request, &e.Status, &e.Headers, &e.Response) }

// free is true for an expired row, and for a row whose lease has expired if the claim has the same request. Then a claim may
// take the row over; a claim of another request gets an error.
const free = `(expires_at <= platform.now() OR status_code IS NULL AND locked_until <= clock_timestamp() AND request_hash = @request)`

func tableOf(schema string) string { return pgx.Identifier{schema, "idempotency"}.Sanitize() }

func openStore(db *postgres.DB) store {
	table := tableOf(db.Schema())
	return store{
		db: db,
		entering: `
			INSERT INTO ` + table + ` (key, tenant_id, request_hash, act, locked_until, created_at, expires_at)
			VALUES (@key, @tenant, @request, @act, clock_timestamp() + @lease::interval, platform.now(), platform.now() + interval '24 hours')
			ON CONFLICT (key) DO NOTHING
			RETURNING act, locked_until`,
		looking: `
			SELECT request_hash, status_code, headers, response
			FROM ` + table + `
			WHERE key = @key`,
		takingOver: `
			UPDATE ` + table + ` SET
				request_hash = @request,
				act          = CASE WHEN expires_at <= platform.now() THEN @act ELSE act END,
				created_at   = CASE WHEN expires_at <= platform.now() THEN platform.now() ELSE created_at END,
				expires_at   = platform.now() + interval '24 hours',
				locked_until = clock_timestamp() + @lease::interval,
				status_code  = NULL,
				headers      = NULL,
				response     = NULL
			WHERE key = @key AND ` + free + `
			RETURNING act, locked_until`,
		keeping: `
			UPDATE ` + table + `
			SET status_code = @status, headers = @headers, response = @response
			WHERE key = @key AND act = @act AND status_code IS NULL`,
		releasing: `
			UPDATE ` + table + ` AS i
			SET locked_until = clock_timestamp()
			FROM unnest(@keys::text[], @untils::timestamptz[]) AS l (key, until)
			WHERE i.key = l.key AND i.locked_until = l.until AND i.status_code IS NULL`,
	}
}

// claim takes a lease, or returns the entry that blocks it. It takes one round trip: the row is inserted, or taken over if it is
// free, and then read. Only one of several concurrent callers gets the lease. If the row was deleted meanwhile, claim returns
// pgx.ErrNoRows. After any other error a lease may exist; it expires by itself.
func (s store) claim(ctx context.Context, row string, c Claim) (*lease, entry, error) {
	l, e, leased := lease{row: row, act: id.New[id.Request]()}, entry{}, false
	take := func(r pgx.Row) error {
		err := r.Scan(&l.act, &l.until)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		leased = true
		return err
	}
	var b pgx.Batch
	b.Queue(s.entering, pgx.StrictNamedArgs{"key": row, "tenant": c.Tenant, "request": c.Request, "act": l.act, "lease": c.Lease}).QueryRow(take)
	b.Queue(s.takingOver, pgx.StrictNamedArgs{"key": row, "request": c.Request, "act": l.act, "lease": c.Lease}).QueryRow(take)
	b.Queue(s.looking, pgx.StrictNamedArgs{"key": row}).QueryRow(e.scan)
	err := s.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &b) })
	switch {
	case err != nil:
		return nil, e, fmt.Errorf("idempotency: claim: %w", err)
	case leased:
		return &l, entry{}, nil
	}
	return nil, e, nil
}

// keep stores the answer, unless the row has one, and returns the entry then. If the row was deleted meanwhile, keep returns
// pgx.ErrNoRows.
func (s store) keep(ctx context.Context, l lease, given entry) (first bool, e entry, err error) {
	var b pgx.Batch
	b.Queue(s.keeping, pgx.StrictNamedArgs{
		"key": l.row, "act": l.act, "status": given.Status, "headers": given.Headers, "response": given.Response,
	}).Exec(func(tag pgconn.CommandTag) error { first = tag.RowsAffected() == 1; return nil })
	b.Queue(s.looking, pgx.StrictNamedArgs{"key": l.row}).QueryRow(e.scan)
	err = s.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &b) })
	if err != nil {
		return false, e, fmt.Errorf("idempotency: keep: %w", err)
	}
	return first, e, nil
}

// release ends leases in one statement.
func (s store) release(ctx context.Context, leases []lease) error {
	keys, untils := make([]string, len(leases)), make([]time.Time, len(leases))
	for i, l := range leases {
		keys[i], untils[i] = l.row, l.until
	}
	return s.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, s.releasing, pgx.StrictNamedArgs{"keys": keys, "untils": untils})
		return err
	})
}

// Forget deletes the stored answers of a caller, as part of erasing a person's data, and returns their number. A call of that caller
// that still runs is answered, and its answer is not stored. The schema must grant its application role DELETE.
func Forget(ctx context.Context, tx postgres.Tx, schema string, tenant id.Tenant, caller string) (int64, error) {
	tag, err := tx.Exec(ctx, `
		DELETE FROM `+tableOf(schema)+`
		WHERE split_part(key, ':', 2) = @owner`,
		pgx.StrictNamedArgs{"owner": owner(tenant, caller)})
	if err != nil {
		return 0, fmt.Errorf("idempotency: forget: %w", err)
	}
	return tag.RowsAffected(), nil
}
