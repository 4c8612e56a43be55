package postgres

import (
	"slices"
	"strings"
)

// plain are the words that the statements of a service begin with.
var plain = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}

// leavesState reports whether a statement may leave something on its connection that the next transaction would meet: a role, a
// tenant, any other setting. It knows what leaves nothing: one statement, of those that read and write rows, that sets
// nothing by the way. That no function in the database does is a rule of the catalogue (migrate).
func leavesState(sql string) bool {
	if sql == forgetting {
		return false
	}
	sql = strings.TrimSpace(sql)
	end := max(0, strings.IndexAny(sql, " \t\n"))
	return !slices.Contains(plain, sql[:end]) || strings.ContainsRune(sql, ';') ||
		strings.Contains(sql, "set_config") || strings.Contains(sql, "SET_CONFIG")
}
