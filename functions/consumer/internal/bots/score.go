package bots

import (
	"fmt"
	"math"
	"net/http"
	"slices"

	"melmastoon.ghasi.io/shared/event/attribution"
)

// A Verdict is the result of bot detection for a visitor.
type Verdict string

// The verdicts.
const (
	Human   Verdict = "human"
	Suspect Verdict = "suspect"
	Bot     Verdict = "bot"
)

// An Action is what is done about a visitor.
type Action string

// The actions.
const (
	None      Action = "none"
	Challenge Action = "challenge"
	HardBlock Action = "hard-block"
)

// A Kind is a kind of signal.
type Kind string

// The kinds of signals.
const (
	AgentPattern         Kind = "ua-pattern"
	Cadence              Kind = "cadence"
	FingerprintCollision Kind = "fingerprint-collision"
	Recaptcha            Kind = "recaptcha"
	HeaderAnomaly        Kind = "header-anomaly"
)

// A Signal is one indication that a visitor is a bot, with its weight. Its detail is one of a few fixed texts, which contain
// nothing of the request.
type Signal struct {
	Kind   Kind    `json:"kind"`
	Weight float64 `json:"weight"`
	Detail string  `json:"detail,omitzero"`
}

// An Assessment is the result of bot detection for one request.
type Assessment struct {
	Score   float64 // from 0 to 1, the sum of the signals
	Verdict Verdict
	Signals []Signal
	Action  Action
}

// escalates reports whether the verdict or the action is more severe than in an earlier assessment.
func (a Assessment) escalates(before Assessment) bool {
	return slices.Index(verdicts, a.Verdict) > slices.Index(verdicts, before.Verdict) || slices.Index(actions, a.Action) > slices.Index(actions, before.Action)
}

// Verdicts and actions in the order of severity.
var (
	verdicts = []Verdict{Human, Suspect, Bot}
	actions  = []Action{None, Challenge, HardBlock}
)

// evidence is what is known about the caller of a request.
type evidence struct {
	header     http.Header
	class      attribution.Device
	shared     bool // whether the requests are counted by address: many guests may share it
	requests   int  // of the caller within 2 s
	births     int  // of sessions of the address and fingerprint within 10 min
	challenged bool // whether the caller was challenged within 10 min
	failed     bool // whether a challenge failed within 10 min
	blocked    bool // after three failed challenges
}

// precision is the number of distinct scores between 0 and 1: weights are decimal fractions, whose sums are not exact.
const precision = 1e6

// crowded reports whether callers without a session arrive at an address faster than the last step of the pace.
func (r Rules) crowded(e evidence) bool {
	n := len(r.Cadence)
	return e.shared && n > 0 && e.requests >= r.Cadence[n-1].Count
}

// assess scores a request.
func (r Rules) assess(e evidence) Assessment {
	a := Assessment{Verdict: Human, Signals: []Signal{}, Action: None}
	sum := 0.0
	add := func(kind Kind, weight float64, detail string) {
		if weight > 0 {
			a.Signals, sum = append(a.Signals, Signal{kind, weight, detail}), sum+weight
		}
	}
	if kind := attribution.ProgramOf(e.header); kind != "" {
		add(AgentPattern, r.Agent, kind)
	} else if e.class == attribution.Other {
		add(AgentPattern, r.Unknown, "unknown user agent")
	}
	cadence, collision := reached(r.Cadence, e.requests), reached(r.Collision, e.births)
	if e.shared {
		cadence.Weight = min(cadence.Weight, maxAddress)
		collision.Weight = min(collision.Weight, maxAddress-cadence.Weight)
	}
	add(Cadence, cadence.Weight, fmt.Sprintf("%d requests in 2 s", cadence.Count))
	add(FingerprintCollision, collision.Weight, fmt.Sprintf("%d sessions in 10 min", collision.Count))
	if isBrowser(e.class) && e.header.Get("Accept-Language") == "" {
		add(HeaderAnomaly, r.NoLanguage, "no Accept-Language")
	}
	if isBrowser(e.class) && contradictory(e.header) {
		add(HeaderAnomaly, r.Hints, "client hints contradict the user agent")
	}
	if e.failed {
		add(Recaptcha, r.Failed, "failed")
	}
	a.Score = math.Round(min(sum, 1)*precision) / precision
	switch {
	case a.Score >= r.Bot:
		a.Verdict = Bot
	case a.Score >= r.Suspect:
		a.Verdict = Suspect
	}
	switch {
	case e.blocked:
		a.Action = HardBlock
	case a.Score >= r.Challenge:
		a.Action = Challenge
	}
	return a
}
