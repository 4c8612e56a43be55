package bots

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Score is the assessment of a visitor. It is stored as evidence and never changed.
type Score struct {
	Assessment

	Session     *id.GuestSession // nil if the visitor has none, or was seen on a hotel's own site
	Fingerprint pseudonym.Hash
	IP          pseudonym.Hash // "" if the address is unknown
	Agent       pseudonym.Hash // of the user agent; "" if unknown
	At          time.Time
	Cause       *id.Event // the event that triggered the assessment; nil if a request did
}

// ReplayScore returns the score of a visitor who opens a handoff that another browser has used. A shared link looks the same,
// so the verdict is only Suspect.
func ReplayScore(fingerprint, ip pseudonym.Hash, at time.Time, cause id.Event) Score {
	// The published signal kinds have none for a replay; fingerprint-collision is the closest.
	signal := Signal{Kind: FingerprintCollision, Weight: replayWeight, Detail: "handoff-replayed"}
	return Score{
		Assessment:  Assessment{Score: signal.Weight, Verdict: Suspect, Signals: []Signal{signal}, Action: None},
		Fingerprint: fingerprint, IP: ip, At: at, Cause: &cause,
	}
}

const replayWeight = 0.5

// Scores stores scores.
type Scores struct{ outbox *outbox.Outbox }

// OpenScores opens the store.
func OpenScores(e env.Env) *Scores { return &Scores{outbox.Open(e, postgres.Open(e, session.Schema))} }

// Record stores a score and, unless the verdict is Human, appends an event, in the given transaction. The event does not depend on
// the guest's consent, because it is evidence.
func (b *Scores) Record(ctx context.Context, tx postgres.Tx, s Score) error {
	tx.Queue(`
		INSERT INTO bff_consumer.bot_scores (guest_session_id, fingerprint_hash, ip_hash, user_agent_hash, score, verdict, signals, evaluated_at, caused_by)
		VALUES (@session, @fingerprint, nullif(@ip, ''), nullif(@agent, ''), @score, @verdict, @signals, @at, @cause)`,
		pgx.StrictNamedArgs{"session": s.Session, "fingerprint": string(s.Fingerprint), "ip": string(s.IP), "agent": string(s.Agent),
			"score": s.Score, "verdict": string(s.Verdict), "signals": s.Signals, "at": s.At, "cause": s.Cause})
	if s.Verdict == Human {
		return nil
	}
	if err := b.outbox.Append(ctx, tx, s.event()); err != nil {
		return fmt.Errorf("bots: record: %w", err)
	}
	return nil
}

type botSuspected struct {
	Session     *id.GuestSession `json:"guestSessionId"`
	Score       float64          `json:"score"`
	Verdict     Verdict          `json:"verdict"`
	Signals     []Signal         `json:"signals"`
	IP          pseudonym.Hash   `json:"ipHash,omitzero"`
	Agent       pseudonym.Hash   `json:"userAgentHash,omitzero"`
	Fingerprint pseudonym.Hash   `json:"fingerprintHash"`
	At          time.Time        `json:"evaluatedAt"`
	Action      Action           `json:"actionTaken"`
}

// event returns the event of a score. The ordering key is the session, or the fingerprint if there is no session.
func (s Score) event() event.Draft {
	key, guest := string(s.Fingerprint), ""
	if s.Session != nil {
		guest = s.Session.String()
		key = guest
	}
	var known id.Event // a new one, unless the cause decides it
	if s.Cause != nil {
		known = id.Derive[id.Event](*s.Cause, "bot suspected")
	}
	return event.Draft{
		Subject: session.BotSuspectedV1, OrderingKey: key, Session: guest, ID: known,
		Payload: botSuspected{
			Session:     s.Session,
			Score:       s.Score,
			Verdict:     s.Verdict,
			Signals:     s.Signals,
			IP:          s.IP,
			Agent:       s.Agent,
			Fingerprint: s.Fingerprint,
			At:          s.At,
			Action:      s.Action,
		},
	}
}
