package steps

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
	return admit(ctx, conn, login, roles)
}

// Monitor lets an existing login connect and assume pg_monitor. That role reads the statistics of the server, including the texts of
// running statements, and the columns that migrations grant to it.
func Monitor(ctx context.Context, conn *pgx.Conn, login string) error {
	return admit(ctx, conn, login, []string{"pg_monitor"})
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
