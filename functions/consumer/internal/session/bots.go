package session

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Verdict is the result of bot detection for a visitor.
type Verdict string

// The verdicts.
const (
	Human   Verdict = "human"
	Suspect Verdict = "suspect"
	Bot     Verdict = "bot"
)

// A BotSignal is one indication that a visitor is a bot, with its weight.
type BotSignal struct {
	Kind   string  `json:"kind"`
	Weight float64 `json:"weight"`
	Detail string  `json:"detail,omitzero"`
}

// A BotScore is one assessment of a visitor. It is stored as evidence and never changed.
type BotScore struct {
	Session     *id.GuestSession // nil if the visitor was seen on a hotel's own site
	Fingerprint pseudonym.Hash
	IP          pseudonym.Hash // "" if the address is unknown
	Score       float64        // from 0 to 1, the sum of the signals
	Verdict     Verdict
	Signals     []BotSignal
	At          time.Time
	Cause       id.Event // the event that triggered the assessment
}

// ReplayScore returns the score of a visitor who opens a handoff that another browser has used. A shared link looks the same,
// so the verdict is only Suspect.
func ReplayScore(fingerprint, ip pseudonym.Hash, at time.Time, cause id.Event) BotScore {
	// The published signal kinds have none for a replay; fingerprint-collision is the closest.
	signal := BotSignal{Kind: "fingerprint-collision", Weight: replayWeight, Detail: "handoff-replayed"}
	return BotScore{
		Fingerprint: fingerprint, IP: ip, Score: signal.Weight, Verdict: Suspect, Signals: []BotSignal{signal}, At: at, Cause: cause,
	}
}

const replayWeight = 0.5

// Bots stores bot scores.
type Bots struct{ outbox *outbox.Outbox }

// OpenBots opens the store.
func OpenBots(e env.Env) *Bots { return &Bots{outbox.Open(e, postgres.Open(e, Schema))} }

// Record stores a score and, unless the verdict is Human, appends an event, in the given transaction.
func (b *Bots) Record(ctx context.Context, tx postgres.Tx, s BotScore) error {
	tx.Queue(`
		INSERT INTO bff_consumer.bot_scores (guest_session_id, fingerprint_hash, ip_hash, score, verdict, signals, evaluated_at, caused_by)
		VALUES (@session, @fingerprint, nullif(@ip, ''), @score, @verdict, @signals, @at, @cause)`,
		pgx.StrictNamedArgs{"session": s.Session, "fingerprint": string(s.Fingerprint), "ip": string(s.IP), "score": s.Score,
			"verdict": string(s.Verdict), "signals": s.Signals, "at": s.At, "cause": s.Cause})
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
	Signals     []BotSignal      `json:"signals"`
	IP          pseudonym.Hash   `json:"ipHash,omitzero"`
	Fingerprint pseudonym.Hash   `json:"fingerprintHash"`
	At          time.Time        `json:"evaluatedAt"`
	Action      string           `json:"actionTaken"`
}

// event returns the event of a score. No action is taken against the visitor. The ordering key is the session, or the
// fingerprint if there is no session.
func (s BotScore) event() event.Draft {
	key := string(s.Fingerprint)
	if s.Session != nil {
		key = s.Session.String()
	}
	return event.Draft{
		Subject: BotSuspectedV1, OrderingKey: key, ID: id.Derive[id.Event](s.Cause, "bot suspected"),
		Payload: botSuspected{
			Session:     s.Session,
			Score:       s.Score,
			Verdict:     s.Verdict,
			Signals:     s.Signals,
			IP:          s.IP,
			Fingerprint: s.Fingerprint,
			At:          s.At,
			Action:      "none",
		},
	}
}
