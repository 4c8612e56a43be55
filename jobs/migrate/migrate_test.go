package migrate

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, e env.Env, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, e, args, &errs)
	return code, out.String(), errs.String()
}

func TestRun_upAndDown(t *testing.T) {
	t.Parallel()
	d := pgtest.Empty(t)
	e := env.Of(map[string]string{"DATABASE_URL": d.OwnerURL(), "DATABASE_LOGINS": "reservation:" + pgtest.Login})
	for _, step := range []struct {
		name string
		args []string
		says []string
		not  string
	}{
		{"a dry run only tells", []string{"-dry-run"}, []string{"platform: 0001_clock", "reservation: 0001_"}, "admitted"},
		{"it brings up all", nil, []string{"platform: 0001_clock", "reservation: 0001_", "reservation: admitted melmastoon"}, "nothing to do"},
		{"a second run has nothing to do", nil, []string{"platform: nothing to do", "reservation: nothing to do"}, "0001_"},
		{"it takes back one step of one service", []string{"-down", "1", "reservation"}, []string{"reservation: took back 1"}, "platform"},
		{"and brings up that service only", []string{"reservation"}, []string{"reservation: 00"}, "platform"},
	} {
		code, stdout, stderr := call(t, e, step.args...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d, %s", step.name, code, stderr)
		}
		check.Contains(t, stdout, step.says...)
		if step.not != "" && strings.Contains(stdout, step.not) {
			t.Errorf("%s: got output\n%s\nwant no %q in it", step.name, stdout, step.not)
		}
	}
}

// TestRun_withoutSuperuser runs as on Cloud SQL: the login acts as a role that may create roles, owns the database, and
// is bound by row-level security. The test works as the admitted login.
func TestRun_withoutSuperuser(t *testing.T) {
	t.Parallel()
	d := pgtest.Empty(t)
	owner := d.Owner(t)
	name := strings.ToLower(rand.Text())
	keeper, login, function := "keeper_"+name, "login_"+name, "function_"+name
	execute(t, owner,
		`CREATE ROLE `+keeper+` NOLOGIN CREATEROLE CREATEDB`,
		`CREATE ROLE `+login+` LOGIN PASSWORD '`+name+`' IN ROLE `+keeper,
		`CREATE ROLE `+function+` LOGIN PASSWORD '`+name+`'`,
		`ALTER DATABASE `+owner.Config().Database+` OWNER TO `+keeper)
	t.Cleanup(func() {
		execute(t, owner, `REASSIGN OWNED BY `+keeper+` TO CURRENT_USER`, `DROP OWNED BY `+keeper+`, `+function, `DROP ROLE `+keeper+`, `+login+`, `+function)
	})
	as := func(user string, options string) env.Env {
		u := check.Got(url.Parse(d.OwnerURL())).Must(t)
		q := u.Query()
		q.Set("options", options)
		u.User, u.RawQuery = url.UserPassword(user, name), q.Encode()
		return env.Of(map[string]string{"DATABASE_URL": u.String(), "DATABASE_LOGINS": "reservation:" + function})
	}
	if code, stdout, stderr := call(t, as(login, "-crole="+keeper)); code != 0 {
		t.Fatalf("exit %d, %s, after %s", code, stderr, stdout)
	}
	var others int
	if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = 'reservation' AND c.relowner <> $1::regrole`, keeper).Scan(&others); err != nil || others != 0 {
		t.Errorf("%d relations belong to others, %v", others, err)
	}
	e := as(function, "")
	defer e.Close(t.Context())
	err := postgres.Open(e, "reservation").InTenant(t.Context(), id.New[id.Tenant](), func(tx postgres.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT quote_id FROM reservation.quotes`)
		return err
	})
	check.NoError(t, err, "an admitted user")
}

func execute(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		check.Got(conn.Exec(context.WithoutCancel(t.Context()), s)).Must(t, "%s", s)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	noDatabase := env.Of(map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable", "DATABASE_CONNECT_TIMEOUT": "1ms"})
	for _, test := range []struct {
		name string
		env  env.Env
		args []string
		want int
		says string
	}{
		{"help is no failure", noDatabase, []string{"-help"}, 0, ""},
		{"a flag that does not exist", noDatabase, []string{"-sideways"}, 2, "sideways"},
		{"a service that does not exist", noDatabase, []string{"parking"}, 2, "parking"},
		{"down of everything", noDatabase, []string{"-down", "1"}, 2, "one named service"},
		{"a login without its service", noDatabase.With("DATABASE_LOGINS", "somebody"), nil, 2, "somebody"},
		{"no database configured", env.Of(nil), nil, 1, "DATABASE_URL"},
		{"a database that is away", noDatabase, nil, 1, "connect"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := call(t, test.env, test.args...)
			check.Equal(t, code, test.want)
			check.Contains(t, stderr, test.says)
		})
	}
}

func TestJob(t *testing.T) {
	t.Parallel()
	if Job.Name != "migrate" || Job.Run == nil {
		t.Errorf("got %q", Job.Name)
	}
	check.Equal(t, command.Run(t.Context(), Job, env.Of(nil), []string{"parking"}, io.Discard), 2, "exit code")
}
