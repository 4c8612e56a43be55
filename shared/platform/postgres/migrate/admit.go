package migrate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Admit lets an existing login connect and assume the application and maintenance roles of the services, without inheriting
// their rights: each transaction sets one role. Cloud SQL creates logins that inherit. Admit also revokes the right to create
// temporary tables, which every login has by default: functions run no DDL.
func Admit(ctx context.Context, conn *pgx.Conn, login string, services ...string) error {
	var names []string
	for _, s := range services {
		names = append(names, s+"_app", s+"_maintenance")
	}
	rows, _ := conn.Query(ctx, `SELECT rolname FROM pg_roles WHERE rolname = ANY(@names) ORDER BY rolname`,
		pgx.StrictNamedArgs{"names": names})
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the platform schema has no roles
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

// Login creates a login for functions where no cloud does that, or resets its password. The login itself has no rights: each
// transaction sets one role, and the login inherits none.
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
