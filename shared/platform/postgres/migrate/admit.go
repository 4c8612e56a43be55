package migrate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Admit lets a login that exists act as the application and maintenance roles of the services, and connect. It inherits
// none of their rights: each transaction takes on one role. Cloud SQL creates logins that inherit. What every login could
// do before, make temporary tables, it no longer may: functions have no DDL of any kind.
func Admit(ctx context.Context, conn *pgx.Conn, login string, services ...string) error {
	var names []string
	for _, s := range services {
		names = append(names, s+"_app", s+"_maintenance")
	}
	rows, _ := conn.Query(ctx, `SELECT rolname FROM pg_roles WHERE rolname = ANY(@names) ORDER BY rolname`,
		pgx.StrictNamedArgs{"names": names})
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the platform has none
	if err != nil {
		return fmt.Errorf("migrate: admit %s: %w", login, err)
	}
	who := pgx.Identifier{login}.Sanitize()
	database := pgx.Identifier{conn.Config().Database}.Sanitize()
	statements := []string{
		`REVOKE TEMPORARY ON DATABASE ` + database + ` FROM PUBLIC`,
		`GRANT CONNECT ON DATABASE ` + database + ` TO ` + who,
		`ALTER ROLE ` + who + ` NOINHERIT`,
	}
	for _, role := range roles {
		statements = append(statements, `GRANT `+pgx.Identifier{role}.Sanitize()+` TO `+who)
	}
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("migrate: admit %s: %w", login, err)
		}
	}
	return nil
}

// Login makes a login for functions where there is no cloud to make it, or sets its password anew. By itself it
// may do nothing: each transaction takes on one role, and inherits no other.
func Login(ctx context.Context, conn *pgx.Conn, name, password string) error {
	who := pgx.Identifier{name}.Sanitize()
	var quoted string
	var exists bool
	err := conn.QueryRow(ctx, `SELECT quote_literal(@password), EXISTS (SELECT FROM pg_roles WHERE rolname = @name)`,
		pgx.StrictNamedArgs{"password": password, "name": name}).Scan(&quoted, &exists)
	if err != nil {
		return fmt.Errorf("migrate: login %s: %w", name, err)
	}
	verb := `CREATE ROLE `
	if exists {
		verb = `ALTER ROLE `
	}
	if _, err := conn.Exec(ctx, verb+who+` LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD `+quoted); err != nil {
		return fmt.Errorf("migrate: login %s: %w", name, err)
	}
	return nil
}
