package faults

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/invariants"
)

// A commitObserver checks the invariants of the inventory at each commit, by a trigger in the database. It serializes commits, so
// that each check reads all earlier ones.
type commitObserver struct{ conn *pgx.Conn }

const observerSchema = `
	CREATE SCHEMA observer;
	CREATE SEQUENCE observer.looks;
	CREATE SEQUENCE observer.meetings;
	CREATE TABLE observer.breaches (room_type_id uuid, night date, taken bigint, capacity int);
	CREATE FUNCTION observer.look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		IF NOT pg_try_advisory_xact_lock(hashtextextended('observer', 0)) THEN
			PERFORM nextval('observer.meetings'); -- another commit is being checked
			PERFORM pg_advisory_xact_lock(hashtextextended('observer', 0));
		END IF;
		PERFORM nextval('observer.looks');
		INSERT INTO observer.breaches {oversell};
		INSERT INTO observer.breaches {miscount};
		RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER watched AFTER INSERT OR UPDATE ON sandbox.allocations
		DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION observer.look();`

// observeCommits installs the trigger.
func observeCommits(t *testing.T, conn *pgx.Conn) commitObserver {
	t.Helper()
	w := commitObserver{conn}
	w.exec(t, strings.NewReplacer("{oversell}", invariant(t, "no_oversell.sql"), "{miscount}", invariant(t, "nights_are_counted.sql")).Replace(observerSchema))
	return w
}

func invariant(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSuffix(strings.TrimSpace(string(check.Got(fs.ReadFile(invariants.SQL, name)).Must(t))), ";")
}

func (w commitObserver) exec(t *testing.T, sql string) {
	t.Helper()
	check.Got(w.conn.Exec(t.Context(), sql)).Must(t)
}

func (w commitObserver) number(t *testing.T, sql string) (n int) {
	t.Helper()
	check.Must(t, w.conn.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// counts returns the number of checked commits, and of those that waited for another one.
func (w commitObserver) counts(t *testing.T) (reads, meetings int) {
	t.Helper()
	const called = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM observer.`
	return w.number(t, called+`looks`), w.number(t, called+`meetings`)
}

// breaches returns the number of commits after which a night had more allocations than rooms, or a wrong count.
func (w commitObserver) breaches(t *testing.T) int {
	t.Helper()
	return w.number(t, `SELECT count(*) FROM observer.breaches`)
}
