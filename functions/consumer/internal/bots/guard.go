package bots

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Header is the request header with the response to a challenge.
const Header = "X-Challenge-Response"

// A Guard assesses requests before their session is stored. All functions in one process share the rules and the counters.
type Guard struct {
	rules    *liveRules
	detector *detector
	verifier verifier
	sessions *session.Sessions
	scores   *Scores
	db       *postgres.DB
	client   func(*http.Request) netip.Addr
	siteKey  string
	now      func() time.Time
}

// OpenGuard opens the stores and the client of the challenge service.
func OpenGuard(e env.Env) (*Guard, error) {
	var c struct {
		SiteKey string `env:"CHALLENGE_SITE_KEY,default=local"` // of the challenge provider; it is public
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("bots: %w", err)
	}
	client, err := fn.Client(e)
	if err != nil {
		return nil, err
	}
	return env.Once(e, "consumer.bots", func() (*Guard, error) {
		sessions, err := session.OpenSessions(e)
		return &Guard{
			rules: openRules(e), detector: newDetector(), verifier: openVerifier(e), sessions: sessions, scores: OpenScores(e),
			db: postgres.Open(e, session.Schema), client: client, siteKey: c.SiteKey, now: e.Now,
		}, err
	})
}

// Crawler returns the visitor as a crawler if the request is from a known one and has no session, and refreshes the rules.
func (g *Guard) Crawler(ctx context.Context, r *http.Request, v session.Visitor) session.Visitor {
	g.rules.refresh(ctx)
	if v.CookieSession().IsZero() && g.rules.current.Load().isCrawler(r.UserAgent(), g.client(r)) {
		return v.AsCrawler()
	}
	return v
}

// A Request is the part of a request that is assessed.
type Request struct {
	Function string // its name
	Header   http.Header
	Starts   bool // whether it starts a session for a visitor without one
	Defers   bool // whether that session may be stored with the next request instead
}

// Check assesses a request and returns its visitor, or [ErrSuspected] with a challenge, or [ErrBlocked]. A suspect without a cookie
// gets a session for this request only. So does a visitor with an unknown user agent, or from a crowded address, if the request
// defers its session: a guest returns the cookie, and a program that does not return it leaves nothing.
//
// If the challenge service does not say an outcome, the request continues and counts neither as passed nor as failed: an outage
// of that service must not lock guests out. The rate limits remain. A wrong response of a caller that this process has not
// challenged counts as no response: any client can send the header.
func (g *Guard) Check(ctx context.Context, r Request, v session.Visitor) (session.Visitor, error) {
	now, c := g.now(), callerOf(r, v)
	if v.IsCrawler() || g.isHuman(v, c, now) {
		return v, nil
	}
	e, rules := g.detector.observe(c, now), g.rules.current.Load()
	a := rules.assess(e)
	if response := r.Header.Get(Header); response != "" && a.Action != HardBlock {
		switch outcome, err := g.verifier.verify(ctx, response); {
		case err != nil:
			a.Action = None
		case outcome == passed:
			return g.pass(ctx, v, c, now.Add(humanTime)), nil
		case outcome == failed && e.challenged:
			e.failed, e.blocked = true, g.detector.fail(c, now)
			a = rules.assess(e)
		case g.isHuman(v, c, now): // expired: a concurrent request has used the response
			return v, nil
		}
	}
	g.report(ctx, v, c, a, now)
	switch {
	case a.Action == HardBlock:
		return v, ErrBlocked
	case a.Action == Challenge:
		g.detector.challenge(c, now)
		return v, g.challenge()
	case a.Verdict != Human && v.CookieSession().IsZero():
		return v.AsProgram(), nil
	case r.Defers && v.CookieSession().IsZero() && (v.Class == attribution.Other || rules.crowded(e)):
		return v.Deferred(), nil
	}
	return v, nil
}

// callerOf returns the caller of a visitor's request. Its session is the stored one, or the one that the cookie names.
func callerOf(r Request, v session.Visitor) caller {
	c := caller{session: v.CookieSession(), function: r.Function, starts: r.Starts, header: r.Header, class: v.Class, agent: v.Agent, address: v.IP}
	if stored := v.StoredSession(); stored != nil {
		c.session = *stored
	}
	return c
}

// isHuman reports whether the session has passed a challenge: the document knows it in every process, the memory if the document
// could not be written.
func (g *Guard) isHuman(v session.Visitor, c caller, now time.Time) bool {
	return now.Before(v.Session.HumanUntil) || g.detector.isHuman(c.session, now)
}

// pass records a passed challenge for the session. A new session is stored with it later. If the document cannot be written, the
// session is human in this process only.
func (g *Guard) pass(ctx context.Context, v session.Visitor, c caller, until time.Time) session.Visitor {
	if !c.session.IsZero() {
		g.detector.pass(c.session, until)
	}
	if stored := v.StoredSession(); stored != nil {
		changed, err := g.sessions.Change(ctx, *stored, func(s *session.Session) { s.HumanUntil = until })
		if err == nil && changed.ID == *stored {
			v = v.WithSession(changed)
		}
	}
	return v.AsHuman(until)
}

// challenge returns the error that asks for a response.
func (g *Guard) challenge() error {
	f := *ErrSuspected
	f.Members = map[string]any{"challenge": map[string]string{"kind": "captcha", "siteKey": g.siteKey}}
	return &f
}

// recordTimeout bounds the time that a request waits for its score to be stored.
const recordTimeout = 250 * time.Millisecond

// report stores the score and its event if they are due. If that fails, the request continues, and the caller's next request
// stores them.
func (g *Guard) report(ctx context.Context, v session.Visitor, c caller, a Assessment, now time.Time) {
	due, undo := g.detector.due(c, a, now)
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	err := g.db.InTx(ctx, func(tx postgres.Tx) error {
		return g.scores.Record(ctx, tx, Score{
			Assessment: a, Session: v.StoredSession(), Fingerprint: v.Fingerprint, IP: v.IP, Agent: v.Agent, At: now,
		})
	})
	if err != nil {
		undo()
	}
}
