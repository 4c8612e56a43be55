package session

import (
	"testing"

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
	bots, pool := OpenBots(e), postgres.Open(e, Schema)
	cause := id.New[id.Event]()
	record := func(s BotScore) error {
		return pool.InTx(t.Context(), func(tx postgres.Tx) error { return bots.Record(t.Context(), tx, s) })
	}
	seen := ReplayScore(agentHash, "", e.Now(), cause)
	if err := record(seen); err != nil {
		t.Fatal(err)
	}
	if err := record(seen); err == nil {
		t.Error("one event caused two scores")
	}
	session := id.New[id.GuestSession]()
	human := BotScore{Session: &session, Fingerprint: agentHash, IP: agentHash, Verdict: Human, Signals: []BotSignal{}, At: e.Now(), Cause: id.New[id.Event]()}
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
	if d.Subject.Name != BotSuspectedV1.Name {
		t.Errorf("d.Subject.Name = %q, want %q", d.Subject.Name, BotSuspectedV1.Name)
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
