package bots

import (
	"testing"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

const agentHash pseudonym.Hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// rows counts rows as the superuser.
func rows(t *testing.T, db *pgtest.Database, what string) (n int) {
	t.Helper()
	check.Must(t, db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM `+what).Scan(&n))
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
	check.Must(t, record(seen))
	if err := record(seen); err == nil {
		t.Error("one event caused two scores")
	}
	guest := id.New[id.GuestSession]()
	human := Score{Assessment: Assessment{Verdict: Human, Signals: []Signal{}}, Session: &guest, Fingerprint: agentHash, IP: agentHash, At: e.Now()}
	check.Must(t, record(human))
	n, published := rows(t, db, "bff_consumer.bot_scores"), rows(t, db, "bff_consumer.outbox WHERE status <> 'parked'")
	check.Equal(t, n, 2, "scores")
	check.Equal(t, published, 1)
	d := seen.event()
	check.Equal(t, d.Subject.Name, session.BotSuspectedV1.Name)
	check.Equal(t, d.ID, seen.event().ID)
	check.Equal(t, d.Tenant.IsZero(), true)
	check.Equal(t, d.Subject.Retention.Class, event.Audit)
}
