package migrate

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/jackc/pgx/v5"
)

// MovableClock replaces the platform's clock by one that MoveClock can move: in local runs and tests, never where
// guests book. It is to be run after each Up, and may be run any number of times; the offset stays.
func MovableClock(ctx context.Context, conn *pgx.Conn, fsys fs.FS) error {
	script, err := fs.ReadFile(fsys, path.Join(root, platform, "movable.sql"))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := conn.PgConn().Exec(ctx, string(script)).ReadAll(); err != nil {
		return fmt.Errorf("migrate: movable clock: %w", err)
	}
	return nil
}

// MoveClock moves the movable clock and returns how far it now stands from the real one. With 0 it only returns that.
func MoveClock(ctx context.Context, conn *pgx.Conn, by time.Duration) (offset time.Duration, err error) {
	err = conn.QueryRow(ctx, `
		UPDATE platform.clock SET offset_by = offset_by + @by
		RETURNING offset_by`, pgx.StrictNamedArgs{"by": by}).Scan(&offset)
	if err != nil {
		return 0, fmt.Errorf("migrate: move clock: %w", err)
	}
	return offset, nil
}
