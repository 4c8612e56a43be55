package consumer

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

// A Verdict is what a visitor seems to be.
type Verdict string

// The verdicts.
const (
	Human   Verdict = "human"
	Suspect Verdict = "suspect"
	Bot     Verdict = "bot"
)

// A BotSignal is one reason to take a visitor for a machine, and how much it says.
type BotSignal struct {
	Kind   string  `json:"kind"`
	Weight float64 `json:"weight"`
	Detail string  `json:"detail,omitzero"`
}

// A BotScore is one judgement of a visitor, kept as evidence and never changed.
type BotScore struct {
	Session     *id.GuestSession // nil for who was met elsewhere, on a hotel's own site
	Fingerprint pseudonym.Hash
	IP          pseudonym.Hash // "" where the address is not known
	Score       float64        // from 0 to 1, the sum of the signals
	Verdict     Verdict
	Signals     []BotSignal
	At          time.Time
	Cause       id.Event // that made us look
}

// Replaying judges who opens a handoff that another browser has used. A link that is passed on to somebody is opened so too:
// it raises suspicion and proves nothing.
func Replaying(fingerprint, ip pseudonym.Hash, at time.Time, cause id.Event) BotScore {
	// One link in two browsers is as near to a fingerprint that two sessions share as the kinds of signals come.
	signal := BotSignal{Kind: "fingerprint-collision", Weight: replayWeight, Detail: "handoff-replayed"}
	return BotScore{
		Fingerprint: fingerprint, IP: ip, Score: signal.Weight, Verdict: Suspect, Signals: []BotSignal{signal}, At: at, Cause: cause,
	}
}

const replayWeight = 0.5

// Bots keeps the judgements.
type Bots struct{ outbox *outbox.Outbox }

// OpenBots opens the store.
func OpenBots(e env.Env) *Bots { return &Bots{outbox.Open(e, postgres.Open(e, Schema))} }

// Record keeps a judgement and tells of it, in the transaction of the effect that led to it. A human is nothing to tell of.
func (b *Bots) Record(ctx context.Context, tx postgres.Tx, s BotScore) error {
	tx.Queue(`
		INSERT INTO bff_consumer.bot_scores (guest_session_id, fingerprint_hash, ip_hash, score, verdict, signals, evaluated_at, caused_by)
		VALUES (@session, @fingerprint, nullif(@ip, ''), @score, @verdict, @signals, @at, @cause)`,
		pgx.StrictNamedArgs{"session": s.Session, "fingerprint": string(s.Fingerprint), "ip": string(s.IP), "score": s.Score,
			"verdict": string(s.Verdict), "signals": s.Signals, "at": s.At, "cause": s.Cause})
	if s.Verdict == Human {
		return nil
	}
	if err := b.outbox.Append(ctx, tx, s.suspected()); err != nil {
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

// suspected tells of a judgement after which nothing was done. What is told of one visitor keeps its order: by the session,
// or by the fingerprint where there is none.
func (s BotScore) suspected() event.Draft {
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
