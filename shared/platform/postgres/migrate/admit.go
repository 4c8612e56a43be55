package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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
	return admit(ctx, conn, login, roles)
}

// Monitor lets an existing login connect and assume pg_monitor. That role reads the statistics of the server, including the texts of
// running statements, and the columns that migrations grant to it. Monitor also installs the statistics of earlier statements.
func Monitor(ctx context.Context, conn *pgx.Conn, login string) error {
	if err := countStatements(ctx, conn); err != nil {
		return fmt.Errorf("migrate: statistics of statements: %w", err)
	}
	return admit(ctx, conn, login, []string{"pg_monitor"})
}

// insufficientPrivilege is the SQLSTATE of a statement that the role may not run.
const insufficientPrivilege = "42501"

// countStatements installs pg_stat_statements if the server has it. The owner of the schemas may lack the right to do so: then the job
// database reports that it is not installed, and no release fails.
func countStatements(ctx context.Context, conn *pgx.Conn) error {
	var available bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_stat_statements')`).Scan(&available)
	if err != nil || !available {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == insufficientPrivilege {
		return nil
	}
	return err
}

func admit(ctx context.Context, conn *pgx.Conn, login string, roles []string) error {
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
