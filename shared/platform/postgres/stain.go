package postgres

import (
	"slices"
	"strings"
)

// plain are the first words of the statements that services use.
var plain = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}

// leavesState reports whether a statement may leave session state on its connection for the next transaction: a role, a tenant,
// any other setting. It returns false only for a single statement that reads or writes rows and sets nothing. The migration
// tests ensure that no function in the database leaves state.
func leavesState(sql string) bool {
	if sql == forgetting {
		return false
	}
	sql = strings.TrimSpace(sql)
	end := max(0, strings.IndexAny(sql, " \t\n"))
	return !slices.Contains(plain, sql[:end]) || strings.ContainsRune(sql, ';') ||
		strings.Contains(sql, "set_config") || strings.Contains(sql, "SET_CONFIG")
}
