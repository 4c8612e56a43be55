// Package documents stores hot documents in Postgres, for local runs and tests. Stored documents survive a crash of the process
// and of the server.
package documents

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Store is a document.Store in the schema document. Its statements need no tenant: a key contains it.
type Store struct{ db *postgres.DB }

var _ document.Store = (*Store)(nil)

// Open returns the store in the environment's database. It connects on first use.
func Open(e env.Env) *Store { return &Store{postgres.Open(e, "document")} }

// Get reads all records in one statement.
func (s *Store) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	collections, ids := make([]string, len(names)), make([]string, len(names))
	for i, n := range names {
		collections[i], ids[i] = n.Collection, n.ID
	}
	found := make([]*document.Record, len(names))
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT n.position, d.value, d.number, d.version, d.expires_at
			FROM unnest(@collections::text[], @ids::text[]) WITH ORDINALITY AS n (collection, id, position)
			JOIN document.documents d ON d.collection = n.collection AND d.id = n.id
			WHERE d.expires_at > @now`,
			pgx.StrictNamedArgs{"collections": collections, "ids": ids, "now": now})
		var position int
		var r document.Record
		_, err := pgx.ForEachRow(rows, []any{&position, &r.Value, &r.Number, &r.Version, &r.ExpiresAt}, func() error {
			one := r
			found[position-1], r.Value = &one, nil
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Create inserts the record, or replaces an expired one.
func (s *Store) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	return s.change(ctx, `
		INSERT INTO document.documents AS d (collection, id, value, number, version, expires_at)
		VALUES (@collection, @id, @value, @number, @version, @until)
		ON CONFLICT (collection, id) DO UPDATE SET
			value = excluded.value, number = excluded.number, version = excluded.version, expires_at = excluded.expires_at
		WHERE d.expires_at <= @now`, args(now, name, r))
}

// Put inserts the record, or replaces one that has expired or has a smaller version.
func (s *Store) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	return s.change(ctx, `
		INSERT INTO document.documents AS d (collection, id, value, number, version, expires_at)
		VALUES (@collection, @id, @value, @number, @version, @until)
		ON CONFLICT (collection, id) DO UPDATE SET
			value = excluded.value, number = excluded.number, version = excluded.version, expires_at = excluded.expires_at
		WHERE d.version < excluded.version OR d.expires_at <= @now`, args(now, name, r))
}

// Delete removes the row.
func (s *Store) Delete(ctx context.Context, name document.Name) error {
	_, err := s.change(ctx, `DELETE FROM document.documents WHERE collection = @collection AND id = @id`,
		pgx.StrictNamedArgs{"collection": name.Collection, "id": name.ID})
	return err
}

// Add adds in one statement. An expired counter starts again at zero.
func (s *Store) Add(ctx context.Context, now time.Time, name document.Name, n int64, until time.Time) (sum int64, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			INSERT INTO document.documents AS d (collection, id, value, number, version, expires_at)
			VALUES (@collection, @id, '', @n, 0, @until)
			ON CONFLICT (collection, id) DO UPDATE SET
				value      = CASE WHEN d.expires_at <= @now THEN excluded.value ELSE d.value END,
				version    = CASE WHEN d.expires_at <= @now THEN excluded.version ELSE d.version END,
				number     = CASE WHEN d.expires_at <= @now THEN excluded.number ELSE d.number + excluded.number END,
				expires_at = CASE WHEN d.expires_at <= @now THEN excluded.expires_at
				                  ELSE greatest(d.expires_at, excluded.expires_at) END
			RETURNING number`,
			pgx.StrictNamedArgs{"collection": name.Collection, "id": name.ID, "n": n, "until": until, "now": now}).Scan(&sum)
	})
	return sum, err
}

// change runs a statement and reports whether it changed the row.
func (s *Store) change(ctx context.Context, sql string, args pgx.StrictNamedArgs) (changed bool, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		tag, err := tx.Last().Exec(ctx, sql, args)
		changed = tag.RowsAffected() == 1
		return err
	})
	return changed, err
}

func args(now time.Time, name document.Name, r document.Record) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"collection": name.Collection, "id": name.ID, "value": valueOf(r), "number": r.Number,
		"version": r.Version, "until": r.ExpiresAt, "now": now}
}

// valueOf returns the value, never NULL.
func valueOf(r document.Record) []byte {
	if r.Value == nil {
		return []byte{}
	}
	return r.Value
}
