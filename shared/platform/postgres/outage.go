package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"melmastoon.ghasi.io/shared/fault"
)

// passing are the SQLSTATE prefixes of temporary failures: the same request may succeed in a moment.
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

// outage maps a temporary failure of the database to ErrUnavailable, and returns every other error unchanged. lost says that the
// connection is closed. If the caller's context has ended, outage returns that error instead, because the database may be
// available.
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

// Violates reports whether err is a violation of the named constraint: a unique index, a check or an exclusion.
func Violates(err error, constraint string) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.HasPrefix(server.Code, "23") && server.ConstraintName == constraint
}
