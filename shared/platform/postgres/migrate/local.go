package migrate

import (
	"context"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// Local prepares a database for a local run or tests: the steps of all services, the movable clock, and one login that all
// functions share. It may run at every start.
func Local(ctx context.Context, conn *pgx.Conn, fsys fs.FS, login, password string) error {
	services, err := Services(fsys)
	if err != nil {
		return err
	}
	for _, s := range services {
		if err := Up(ctx, conn, fsys, s); err != nil {
			return err
		}
	}
	if err := MovableClock(ctx, conn, fsys); err != nil {
		return err
	}
	if err := Login(ctx, conn, login, password); err != nil {
		return err
	}
	return Admit(ctx, conn, login, services...)
}
