package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
)

// The delay between two attempts of a first connection doubles from the minimum to the maximum.
const (
	minPause = 100 * time.Millisecond
	maxPause = 5 * time.Second
)

// Connect opens one connection as the login role, without SET ROLE, timeouts or pool: for jobs. It retries for two minutes
// (DATABASE_CONNECT_TIMEOUT), because a job may start a minute before its network or its login is ready.
func Connect(ctx context.Context, e env.Env) (*pgx.Conn, error) {
	var config struct {
		Timeout time.Duration `env:"DATABASE_CONNECT_TIMEOUT,default=2m"`
	}
	if err := e.Load(&config); err != nil {
		return nil, err
	}
	c, err := connConfig(e)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	retrying, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		conn, err := pgx.ConnectConfig(ctx, c)
		if err == nil {
			teach(conn.TypeMap())
			return conn, nil
		}
		err = outage(ctx, fmt.Errorf("postgres: connect: %w", err), true)
		if !transient(err) || env.Wait(retrying, pause) != nil {
			return nil, err
		}
	}
}

// transient reports whether a failed connection may succeed later: the server is unreachable, or the login does not exist yet.
func transient(err error) bool {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(server.Code, "28") {
		return true
	}
	return errors.Is(err, fault.ErrUnavailable)
}
