package sabotage

var botsChallenged = guarantee{name: "bots are challenged", mutations: []mutation{
	{
		name: "requests without a cookie are not counted", file: "functions/consumer/internal/bots/detector.go",
		from: "if !c.session.IsZero() || c.address != \"\" {", to: "if !c.session.IsZero() {",
		pkg: "functions/consumer/internal/bots", test: "TestDetector_cadence",
	}, {
		name: "a crawler is known by its user agent alone", file: "functions/consumer/internal/bots/rules.go",
		from: "func(p netip.Prefix) bool { return p.Contains(from.Unmap()) })", to: "func(p netip.Prefix) bool { return p.IsValid() })",
		pkg: "functions/consumer/internal/bots", test: "TestRules_crawlers",
	}, {
		name: "failed challenges do not block", file: "functions/consumer/internal/bots/detector.go",
		from: "if len(t.failures) >= maxFailures {", to: "if len(t.failures) < 0 {",
		pkg: "functions/consumer", test: "TestBots_blocked",
	}, {
		name: "every verdict is published", file: "functions/consumer/internal/bots/detector.go",
		from: "now.Sub(t.reportedAt) < reportInterval", to: "now.Sub(t.reportedAt) < 0",
		pkg: "functions/consumer/internal/bots", test: "TestDetector_due",
	}, {
		name: "a suspect without a cookie gets a session", file: "functions/consumer/internal/bots/guard.go",
		from: "return v.AsProgram(), nil", to: "return v, nil",
		pkg: "functions/consumer", test: "TestBots_suspectBrowser",
	}, {
		name: "an outage of the challenge service locks guests out", file: "functions/consumer/internal/bots/guard.go",
		from: "a.Action = None", to: "a.Action = Challenge",
		pkg: "functions/consumer", test: "TestBots_challenge",
	}, {
		name: "a response to a challenge makes every visitor human who sends it", file: "functions/consumer/internal/bots/guard.go",
		from: "case outcome == passed:", to: "case outcome == passed || outcome == expired:",
		pkg: "test/journeys", test: "TestBots_isolation",
	}, {
		name: "a passed challenge counts in one process only", file: "functions/consumer/internal/bots/guard.go",
		from: "return now.Before(v.Session.HumanUntil) || ", to: "return ",
		pkg: "functions/consumer", test: "TestBots_passedSession",
	}, {
		name: "a replay counts as a request", file: "functions/consumer/middleware.go",
		from: "v.unchecked = m.spec.Idempotent && v.StoredSession() != nil", to: "v.unchecked = false",
		pkg: "functions/consumer", test: "TestBots_replay",
	}, {
		name: "invalid rules of bot detection apply", file: "functions/consumer/internal/bots/live.go",
		from: "if rules, err := Parse(kept.Rules); err == nil {", to: "if rules, err := Parse(kept.Rules); err == nil || true {",
		pkg: "functions/consumer", test: "TestBots_rules",
	},
}}
