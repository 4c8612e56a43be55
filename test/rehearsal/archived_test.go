package rehearsal

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// ours are the schemas of our services, which are restored. The others belong to the platform's services, Pub/Sub and the documents.
var ours = []string{"bff_consumer", "bff_tenant_booking", "reservation"}

// An archived is a database server that keeps its write-ahead log, and its base backup.
type archived struct {
	dir, backup string
	running     *cluster.Cluster
}

// logged are the settings with which a server can be restored to a moment.
var logged = []string{"wal_level=replica", "max_wal_senders=4", "wal_keep_size=4GB"}

func newArchived(t *testing.T) *archived {
	t.Helper()
	home, err := os.MkdirTemp("", "melmastoon-restored-") //nolint:usetesting // the server's user cannot reach the folders of a test
	check.Must(t, err)
	t.Cleanup(func() { check.Must(t, os.RemoveAll(home)) })
	check.Must(t, os.Chmod(home, 0o755))
	a := &archived{dir: filepath.Join(home, "live"), backup: filepath.Join(home, "backup")}
	a.running, err = cluster.Start(t.Context(), cluster.Config{Dir: a.dir, Settings: logged})
	check.Must(t, err)
	t.Cleanup(func() { check.Must(t, a.running.Kill()) })
	return a
}

// program returns a program of the server's version.
func (a *archived) program(t *testing.T, name string) string {
	t.Helper()
	version, err := os.ReadFile(filepath.Join(a.dir, "data", "PG_VERSION"))
	check.Must(t, err)
	path := filepath.Join("/usr/lib/postgresql", strings.TrimSpace(string(version)), "bin", name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	path, err = exec.LookPath(name)
	check.Must(t, err)
	return path
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// backUp makes the base backup, without the write-ahead log.
func (a *archived) backUp(t *testing.T) {
	t.Helper()
	run(t, a.program(t, "pg_basebackup"), "--dbname="+a.running.URL("postgres"), "--pgdata="+filepath.Join(a.backup, "data"),
		"--checkpoint=fast", "--wal-method=none", "--no-sync")
	password := check.Got(os.ReadFile(filepath.Join(a.dir, "password"))).Must(t)
	check.Must(t, os.WriteFile(filepath.Join(a.backup, "password"), password, 0o600))
	check.Must(t, os.WriteFile(filepath.Join(a.backup, "data", "recovery.signal"), nil, 0o600))
	owner := check.Got(os.Stat(filepath.Join(a.dir, "data"))).Must(t)
	if of, ok := owner.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		check.Must(t, filepath.WalkDir(a.backup, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, int(of.Uid), int(of.Gid))
		}))
	}
}

// restoreOurs restores the schemas of our services to the moment. It returns the name of a copy of the whole database before that.
func (a *archived) restoreOurs(t *testing.T, db *pgtest.Database, moment time.Time) (after string) {
	t.Helper()
	live := check.Got(url.Parse(db.OwnerURL())).Must(t)
	name := strings.TrimPrefix(live.Path, "/")
	admin := check.Got(pgx.Connect(t.Context(), a.running.URL("postgres"))).Must(t)
	defer admin.Close(context.WithoutCancel(t.Context()))
	for _, statement := range []string{
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + name + `'`,
		`CREATE DATABASE after TEMPLATE "` + name + `"`,
		`SELECT pg_switch_wal()`,
	} {
		check.Got(admin.Exec(t.Context(), statement)).Must(t)
	}
	restored := a.restore(t, moment)
	defer func() { check.Must(t, restored.Kill()) }()
	dump := filepath.Join(filepath.Dir(a.dir), "dump")
	args := []string{"--dbname=" + restored.URL(name), "--format=custom", "--file=" + dump}
	for _, schema := range ours {
		args = append(args, "--schema="+schema)
	}
	run(t, a.program(t, "pg_dump"), args...)
	conn, err := pgx.Connect(t.Context(), db.OwnerURL())
	check.Must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), `DROP SCHEMA `+strings.Join(ours, ", ")+` CASCADE`)
	check.Must(t, err)
	run(t, a.program(t, "pg_restore"), "--dbname="+db.OwnerURL(), "--exit-on-error", dump)
	return "after"
}

// restore starts a server from the base backup and the write-ahead log, at the moment.
func (a *archived) restore(t *testing.T, moment time.Time) *cluster.Cluster {
	t.Helper()
	settings := append([]string{
		fmt.Sprintf("restore_command=cp %s/%%f %%p", filepath.Join(a.dir, "data", "pg_wal")),
		"recovery_target_time=" + moment.UTC().Format("2006-01-02 15:04:05.999999+00"), "recovery_target_action=promote",
	}, logged...)
	restored := check.Got(cluster.Start(t.Context(), cluster.Config{Dir: a.backup, Settings: settings})).Must(t)
	conn := check.Got(pgx.Connect(t.Context(), restored.URL("postgres"))).Must(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for recovering := true; recovering; <-look.C {
		check.Must(t, conn.QueryRow(t.Context(), `SELECT pg_is_in_recovery()`).Scan(&recovering))
	}
	return restored
}
