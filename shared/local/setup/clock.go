package setup

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
)

// movable is the script of the movable clock.
const movable = "platform/movable.sql"

// MovableClock replaces the platform's clock with one that MoveClock can move: for local runs and tests.
// Call it after each migrate.Up; repeated calls keep the offset.
func MovableClock(ctx context.Context, conn *pgx.Conn, fsys fs.FS) error {
	script, err := fs.ReadFile(fsys, movable)
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	if _, err := conn.PgConn().Exec(ctx, string(script)).ReadAll(); err != nil {
		return fmt.Errorf("setup: movable clock: %w", err)
	}
	return nil
}

// MoveClock moves the movable clock and returns its offset from the real one. With 0 it only returns the offset.
func MoveClock(ctx context.Context, conn *pgx.Conn, by time.Duration) (offset time.Duration, err error) {
	err = conn.QueryRow(ctx, `
		UPDATE platform.clock SET offset_by = offset_by + @by
		RETURNING offset_by`, pgx.StrictNamedArgs{"by": by}).Scan(&offset)
	if err != nil {
		return 0, fmt.Errorf("setup: move clock: %w", err)
	}
	return offset, nil
}
