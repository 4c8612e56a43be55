package migrate_test

import (
	"context"
	"fmt"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// renamed are the migrations that give the column name another name, label, while functions of both releases write to the table. The
// first release writes name. The second one writes both and reads label, or name if label is missing. The third one writes label only.
var renamed = files(map[string]string{
	"0001_rooms.up.sql":   `CREATE TABLE inn.rooms (n int PRIMARY KEY, name text NOT NULL)`,
	"0001_rooms.down.sql": `DROP TABLE inn.rooms`,
	// Expand: the new column is nullable, so that the first release can go on.
	"0002_label.up.sql":   `ALTER TABLE inn.rooms ADD COLUMN IF NOT EXISTS label text`,
	"0002_label.down.sql": `ALTER TABLE inn.rooms DROP COLUMN IF EXISTS label`,
	// Backfill, and the constraint without a long lock: VALIDATE lets writers go on.
	"0003_fill.up.sql": `
		UPDATE inn.rooms SET label = name WHERE label IS NULL;
		ALTER TABLE inn.rooms DROP CONSTRAINT IF EXISTS labelled;
		ALTER TABLE inn.rooms ADD CONSTRAINT labelled CHECK (label IS NOT NULL) NOT VALID;
		ALTER TABLE inn.rooms VALIDATE CONSTRAINT labelled;
		ALTER TABLE inn.rooms ALTER COLUMN name DROP NOT NULL`,
	"0003_fill.down.sql": `
		UPDATE inn.rooms SET name = label WHERE name IS NULL;
		ALTER TABLE inn.rooms ALTER COLUMN name SET NOT NULL;
		ALTER TABLE inn.rooms DROP CONSTRAINT IF EXISTS labelled`,
	// Contract: no release reads or writes the old column any more.
	"0004_contract.up.sql":   `ALTER TABLE inn.rooms DROP COLUMN IF EXISTS name`,
	"0004_contract.down.sql": `ALTER TABLE inn.rooms ADD COLUMN IF NOT EXISTS name text; UPDATE inn.rooms SET name = label`,
})

// upTo returns the migrations up to a version.
func upTo(t *testing.T, version string) fs.FS {
	t.Helper()
	part := fstest.MapFS{}
	for path, file := range renamed {
		if name := path[len("inn/"):]; name[:4] <= version {
			part[path] = file
		}
	}
	return part
}

// TestUp_expandBackfillContract takes a filled table through the three phases of a change while functions write to it: those of the
// release before the migration, then those of the release after it. No write fails, and no row is lost.
func TestUp_expandBackfillContract(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	d := pgtest.Empty(t)
	conn := d.Owner(t)
	up := func(version string) func() {
		return func() { check.Must(t, migrate.Up(t.Context(), conn, upTo(t, version), "inn")) }
	}
	up("0001")()
	_, err := conn.Exec(t.Context(), `INSERT INTO inn.rooms SELECT n, 'room ' || n FROM generate_series(1, @rows) AS n`, pgx.StrictNamedArgs{"rows": rows})
	check.Must(t, err)
	var last atomic.Int64
	last.Store(rows)
	// during runs writers of one release while f migrates, until each has written at least 20 rows.
	during := func(write string, f func()) {
		t.Helper()
		g, ctx := errgroup.WithContext(t.Context())
		var migrated atomic.Bool
		for range 3 {
			writer := d.Owner(t)
			g.Go(func() error {
				for written := 0; written < 20 || !migrated.Load(); written++ {
					n := last.Add(1)
					if _, err := writer.Exec(ctx, write, pgx.StrictNamedArgs{"n": n, "text": fmt.Sprint("room ", n)}); err != nil {
						return fmt.Errorf("row %d: %w", n, err)
					}
				}
				return nil
			})
		}
		f()
		migrated.Store(true)
		check.Must(t, g.Wait())
	}
	const first = `INSERT INTO inn.rooms (n, name) VALUES (@n, @text)`
	const second = `INSERT INTO inn.rooms (n, name, label) VALUES (@n, @text, @text)`
	const third = `INSERT INTO inn.rooms (n, label) VALUES (@n, @text)`
	during(first, up("0002"))
	during(second, up("0003"))
	during(third, up("0004"))
	var stored, right int64
	check.Must(t, conn.QueryRow(context.WithoutCancel(t.Context()), `SELECT count(*), count(*) FILTER (WHERE label = 'room ' || n) FROM inn.rooms`).Scan(&stored, &right))
	if want := last.Load(); stored != want || right != want {
		t.Errorf("%d rows, %d of them with their text; want %d", stored, right, want)
	}
	if want := int64(rows + 3*3*20); last.Load() < want {
		t.Errorf("%d rows were written, want at least %d", last.Load()-rows, want-rows)
	}
}

// The order matters: a writer of the first release fails once the column is required.
func TestUp_contractTooEarly(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	check.Must(t, migrate.Up(t.Context(), conn, upTo(t, "0003"), "inn"))
	if _, err := conn.Exec(t.Context(), `INSERT INTO inn.rooms (n, name) VALUES (1, 'room 1')`); err == nil {
		t.Error("a writer that does not know the column has written a row")
	}
}
