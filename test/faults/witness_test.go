package faults

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/test/invariants"
)

// A witness looks at every commit to the books of the inventory and holds it to the invariants. Commits follow each other
// while it watches, so that each look sees all that was committed before.
type witness struct{ conn *pgx.Conn }

const testimony = `
	CREATE SCHEMA witness;
	CREATE SEQUENCE witness.looks;
	CREATE SEQUENCE witness.meetings;
	CREATE TABLE witness.breaches (room_type_id uuid, night date, taken bigint, capacity int);
	CREATE FUNCTION witness.look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		IF NOT pg_try_advisory_xact_lock(hashtextextended('witness', 0)) THEN
			PERFORM nextval('witness.meetings'); -- another commit is just being looked at
			PERFORM pg_advisory_xact_lock(hashtextextended('witness', 0));
		END IF;
		PERFORM nextval('witness.looks');
		INSERT INTO witness.breaches {oversell};
		INSERT INTO witness.breaches {miscount};
		RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER watched AFTER INSERT OR UPDATE ON sandbox.allocations
		DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION witness.look();`

// watch puts a witness into the database.
func watch(t *testing.T, conn *pgx.Conn) witness {
	t.Helper()
	w := witness{conn}
	w.exec(t, strings.NewReplacer("{oversell}", invariant(t, "no_oversell.sql"), "{miscount}", invariant(t, "nights_are_counted.sql")).Replace(testimony))
	return w
}

func invariant(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(invariants.SQL, name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
}

func (w witness) exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := w.conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func (w witness) number(t *testing.T, sql string) (n int) {
	t.Helper()
	if err := w.conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// looks is how many commits were looked at, meetings how many of them found another in their way.
func (w witness) looks(t *testing.T) (looks, meetings int) {
	t.Helper()
	const called = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM witness.`
	return w.number(t, called+`looks`), w.number(t, called+`meetings`)
}

// breaches is how often a commit found a night with more takers than rooms, or one that was counted wrongly.
func (w witness) breaches(t *testing.T) int {
	t.Helper()
	return w.number(t, `SELECT count(*) FROM witness.breaches`)
}
