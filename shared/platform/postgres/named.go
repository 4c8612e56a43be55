package postgres

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// A numbered is a statement with its named arguments replaced by numbers.
type numbered struct {
	sql   string
	names []string // of $1, $2, …
}

var statements sync.Map // text to numbered; a service has a few dozen statements, all in its code

// number replaces named arguments with numbered ones. The driver would parse the whole statement for that on every call. If the
// arguments do not match the statement, it returns them unchanged, so that the driver reports the error.
func number(sql string, args []any) (string, []any) {
	if len(args) != 1 {
		return sql, args
	}
	named, ok := args[0].(pgx.StrictNamedArgs)
	if !ok {
		return sql, args
	}
	known, ok := statements.Load(sql)
	if !ok {
		read, err := read(sql, named)
		if err != nil {
			return sql, args
		}
		known, _ = statements.LoadOrStore(sql, read)
	}
	n := known.(numbered)
	values := make([]any, len(n.names))
	for i, name := range n.names {
		if values[i], ok = named[name]; !ok {
			return sql, args
		}
	}
	if len(named) != len(values) {
		return sql, args
	}
	return n.sql, values
}

// read parses a statement with the driver's own parser, with each argument's name as its value.
func read(sql string, named pgx.StrictNamedArgs) (n numbered, err error) {
	own := make(pgx.StrictNamedArgs, len(named))
	for name := range named {
		own[name] = name
	}
	var names []any
	if n.sql, names, err = own.RewriteQuery(context.Background(), nil, sql, nil); err != nil {
		return n, err
	}
	for _, name := range names {
		n.names = append(n.names, name.(string))
	}
	return n, nil
}
