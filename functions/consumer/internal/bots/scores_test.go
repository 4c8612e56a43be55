package bots

import (
	"testing"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

const agentHash pseudonym.Hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// rows counts rows as the superuser.
func rows(t *testing.T, db *pgtest.Database, what string) (n int) {
	t.Helper()
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM `+what).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRecord_botScoreOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	bots, pool := OpenScores(e), postgres.Open(e, session.Schema)
	cause := id.New[id.Event]()
	record := func(s Score) error {
		return pool.InTx(t.Context(), func(tx postgres.Tx) error { return bots.Record(t.Context(), tx, s) })
	}
	seen := ReplayScore(agentHash, "", e.Now(), cause)
	if err := record(seen); err != nil {
		t.Fatal(err)
	}
	if err := record(seen); err == nil {
		t.Error("one event caused two scores")
	}
	guest := id.New[id.GuestSession]()
	human := Score{Assessment: Assessment{Verdict: Human, Signals: []Signal{}}, Session: &guest, Fingerprint: agentHash, IP: agentHash, At: e.Now()}
	if err := record(human); err != nil {
		t.Fatal(err)
	}
	n, published := rows(t, db, "bff_consumer.bot_scores"), rows(t, db, "bff_consumer.outbox WHERE status <> 'parked'")
	if n != 2 {
		t.Errorf("scores = %d, want 2", n)
	}
	if published != 1 {
		t.Errorf("published = %d, want 1", published)
	}
	d := seen.event()
	if d.Subject.Name != session.BotSuspectedV1.Name {
		t.Errorf("d.Subject.Name = %q, want %q", d.Subject.Name, session.BotSuspectedV1.Name)
	}
	if d.ID != seen.event().ID {
		t.Errorf("d.ID = %v, want %v", d.ID, seen.event().ID)
	}
	if !d.Tenant.IsZero() {
		t.Errorf("d.Tenant = %v, want zero", d.Tenant)
	}
	if d.Subject.Retention.Class != event.Audit {
		t.Errorf("d.Subject.Retention.Class = %q, want %q", d.Subject.Retention.Class, event.Audit)
	}
}
