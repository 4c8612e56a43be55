package setup_test

import (
	"testing"
	"time"

	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/local/setup"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMovableClock(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	ctx := t.Context()
	must(t, migrate.Up(ctx, conn, migrations.Files, "platform"))
	if _, err := setup.MoveClock(ctx, conn, time.Hour); err == nil {
		t.Error("the production clock moved")
	}
	must(t, setup.MovableClock(ctx, conn, migrations.Files))
	_, err := setup.MoveClock(ctx, conn, time.Hour)
	must(t, err)
	must(t, setup.MovableClock(ctx, conn, migrations.Files)) // a second start finds it as it was
	offset, err := setup.MoveClock(ctx, conn, 1500*time.Millisecond)
	must(t, err)
	if want := time.Hour + 1500*time.Millisecond; offset != want {
		t.Errorf("moved by %v in all, want %v", offset, want)
	}
	var ahead time.Duration
	must(t, conn.QueryRow(ctx, `SELECT platform.now() - clock_timestamp()`).Scan(&ahead))
	if (ahead - offset).Abs() > time.Minute {
		t.Errorf("platform.now() is ahead by %v, want %v", ahead, offset)
	}
}
