package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"melmastoon.ghasi.io/shared/fault"
)

// passing are the failures that say nothing about the request: the same one may succeed in a moment.
var passing = []string{
	"08",    // connection exceptions
	"53",    // insufficient resources, too many connections
	"57P",   // the server is starting or shutting down
	"57014", // statement time-out
	"25P03", // idle-in-transaction time-out
	"25P04", // transaction time-out
	"40001", // serialization failure
	"40P01", // deadlock
	"55P03", // lock not available
}

// outage turns a failure of the database into the fault that callers may retry, and leaves every other error as it
// is. lost says that the connection is gone. Whoever ran out of time or hung up is told that instead: the database
// may be well.
func outage(ctx context.Context, err error, lost bool) error {
	if _, ok := errors.AsType[*fault.Fault](err); ok || ctx.Err() != nil {
		return err
	}
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		lost = slices.ContainsFunc(passing, func(class string) bool { return strings.HasPrefix(server.Code, class) })
	}
	if lost {
		return fault.ErrUnavailable.Because(err)
	}
	return err
}

// Violates reports whether err says that the named constraint refused a row: a unique index, a check, an exclusion.
func Violates(err error, constraint string) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.HasPrefix(server.Code, "23") && server.ConstraintName == constraint
}
