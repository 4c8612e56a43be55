package migrate_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// files makes the migrations of a service called inn.
func files(steps map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, sql := range steps {
		fsys["inn/"+name] = &fstest.MapFile{Data: []byte(sql)}
	}
	return fsys
}

var two = files(map[string]string{
	"0001_rooms.up.sql":   `CREATE TABLE inn.rooms (n int); CREATE TABLE inn.keys (n int);`,
	"0001_rooms.down.sql": `DROP TABLE inn.rooms; DROP TABLE inn.keys;`,
	"0002_floor.up.sql":   `ALTER TABLE inn.rooms ADD COLUMN floor int`,
	"0002_floor.down.sql": `ALTER TABLE inn.rooms DROP COLUMN floor`,
	"notes.sql":           `this is no step`,
})

// columns returns the columns of the service's schema, without the migrations table.
func columns(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), `
		SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'inn' AND table_name <> 'schema_migrations' ORDER BY 1`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.Must(t, err)
	return found
}

func TestMigrate_upAndDown(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	ctx := t.Context()
	for _, step := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"all up", func() error { return migrate.Up(ctx, conn, two, "inn") }, []string{"keys.n", "rooms.floor", "rooms.n"}},
		{"again", func() error { return migrate.Up(ctx, conn, two, "inn") }, []string{"keys.n", "rooms.floor", "rooms.n"}},
		{"one down", func() error { return migrate.Down(ctx, conn, two, "inn", 1) }, []string{"keys.n", "rooms.n"}},
		{"and up", func() error { return migrate.Up(ctx, conn, two, "inn") }, []string{"keys.n", "rooms.floor", "rooms.n"}},
		{"more down than there are", func() error { return migrate.Down(ctx, conn, two, "inn", 9) }, nil},
		{"down from nothing", func() error { return migrate.Down(ctx, conn, two, "inn", 1) }, nil},
		{"up from nothing", func() error { return migrate.Up(ctx, conn, two, "inn") }, []string{"keys.n", "rooms.floor", "rooms.n"}},
	} {
		check.Must(t, step.do())
		if got := columns(t, conn); !slices.Equal(got, step.want) {
			t.Fatalf("%s: got %v, want %v", step.name, got, step.want)
		}
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	ctx := t.Context()
	applied := func(want ...string) {
		t.Helper()
		if got, err := migrate.Pending(ctx, conn, two, "inn"); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v, %v; want %v", got, err, want)
		}
	}
	applied("0001_rooms", "0002_floor")
	check.Must(t, migrate.Up(ctx, conn, two, "inn"))
	applied()
	check.Must(t, migrate.Down(ctx, conn, two, "inn", 1))
	applied("0002_floor")
}

func TestSteps_invalid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, says string
		fsys       fstest.MapFS
	}{
		{"one that fails half-way", "nonsense", files(map[string]string{
			"0001_a.up.sql": `CREATE TABLE inn.rooms (n int); SELECT nonsense`})},
		{"one that commits by itself", "must not end the transaction", files(map[string]string{
			"0001_a.up.sql": `CREATE TABLE inn.rooms (n int); ROLLBACK`})},
		{"two of one number", "two steps numbered 0001", files(map[string]string{
			"0001_a.up.sql": `CREATE TABLE inn.rooms (n int)`, "0001_b.up.sql": ``})},
		{"a service that does not exist", "inn", fstest.MapFS{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := pgtest.Empty(t).Owner(t)
			err := migrate.Up(t.Context(), conn, test.fsys, "inn")
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want a word about %q", err, test.says)
			}
			check.Equal(t, len(columns(t, conn)), 0, "left behind")
			check.Must(t, migrate.Up(t.Context(), conn, two, "inn")) // a failed step can be repaired and run again
		})
	}
}

func TestDown_incomplete(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	forgetful := files(map[string]string{
		"0001_a.up.sql":   `CREATE TABLE inn.rooms (n int); CREATE TABLE inn.keys (n int)`,
		"0001_a.down.sql": `DROP TABLE inn.rooms`,
	})
	check.Must(t, migrate.Up(t.Context(), conn, forgetful, "inn"))
	err := migrate.Down(t.Context(), conn, forgetful, "inn", 1)
	if err == nil || !strings.Contains(err.Error(), "inn.keys") {
		t.Errorf("got %v, want the name of the remaining object", err)
	}
	if got := columns(t, conn); len(got) != 2 {
		t.Errorf("got %v, want all as it was", got)
	}
}

func TestDown_noDownFile(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	oneWay := files(map[string]string{"0001_a.up.sql": `CREATE TABLE inn.rooms (n int)`})
	check.Must(t, migrate.Up(t.Context(), conn, oneWay, "inn"))
	check.Fails(t, migrate.Down(t.Context(), conn, oneWay, "inn", 1), "a step without its down file")
}

// Without the lock, several runs at once meet at CREATE SCHEMA and all but one fail.
func TestUp_concurrent(t *testing.T) {
	t.Parallel()
	d := pgtest.Empty(t)
	g, ctx := errgroup.WithContext(t.Context())
	for range 8 {
		conn := d.Owner(t)
		g.Go(func() error { return migrate.Up(ctx, conn, two, "inn") })
	}
	check.Must(t, g.Wait())
	check.Equal(t, len(columns(t, d.Owner(t))), 3)
}

func TestUp_interrupted(t *testing.T) {
	t.Parallel()
	d := pgtest.Empty(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conn := d.Owner(t)
	if err := migrate.Up(ctx, conn, two, "inn"); err == nil {
		t.Fatal("it ran after its end")
	}
	check.Must(t, migrate.Up(t.Context(), d.Owner(t), two, "inn"))
}

// A database that another release has prepared is recognised.
func TestUnknown(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	check.Must(t, migrate.Up(t.Context(), conn, two, "inn"))
	one := files(map[string]string{"0001_all.up.sql": `SELECT`, "0001_all.down.sql": `SELECT`})
	for _, test := range []struct {
		name  string
		files fstest.MapFS
		want  []string
	}{
		{"the same release", two, nil},
		{"fewer migrations", one, []string{"0002"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Got(migrate.Unknown(t.Context(), conn, test.files, "inn")).Want(t, test.want)
		})
	}
}

func TestServices_order(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for _, path := range []string{"sandbox/0001_a.up.sql", "platform/0001_a.up.sql", "platform/0002_b.up.sql", "bus/0001_a.up.sql", "empty/notes.md"} {
		fsys[path] = &fstest.MapFile{}
	}
	want := []string{"platform", "bus", "sandbox"}
	check.Got(migrate.Services(fsys)).Want(t, want)
}
