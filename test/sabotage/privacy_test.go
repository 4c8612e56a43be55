package sabotage

var noPII = guarantee{name: "no PII", mutations: []mutation{
	{
		name: "a withdrawn consent does not reach running drafts", file: "functions/tenantbooking/changesession/changesession.go",
		from: "err = h.drafts.SetConsent(ctx, v.Session)", to: "err = nil",
		pkg: "functions/tenantbooking", test: "TestConsent_sweep",
	}, {
		name: "a draft without a payment outcome keeps the guest's details",
		file: "functions/tenantbooking/internal/booking/waiting.go",
		from: "d.waiting() < forgetAfter", to: "!d.State.Ended()",
		pkg: "functions/tenantbooking", test: "TestSweep_paymentWithoutOutcome",
	}, {
		name: "a call that declines telemetry is counted", file: "functions/tenantbooking/internal/session/session.go",
		from: "!s.Consent.Telemetry || s.optedOut", to: "!s.Consent.Telemetry",
		pkg: "functions/tenantbooking", test: "TestConsent_signals",
	}, {
		name: "free text is stored and published without scrubbing", file: "shared/freetext/freetext.go",
		from: "text = strings.Map(shown, text)", to: "if true { return text }",
		pkg: "shared/freetext", test: "TestScrub",
	}, {
		name: "reasons keep contact data", file: "shared/freetext/freetext.go",
		from: "*t = Text(Scrub(string(text)))", to: "*t = Text(text)",
		pkg: "test/canaries", test: "TestCanaries_journeys",
	}, {
		name: "names of partners and staff keep contact data", file: "functions/reservation/internal/access/actor.go",
		from: "name := freetext.Scrub(string(text))", to: "name := string(freetext.Text(text))",
		pkg: "test/canaries", test: "TestCanaries_journeys",
	}, {
		name: "names of campaigns keep contact data", file: "shared/event/attribution/campaign.go",
		from: "freetext.Reaches(s)", to: `freetext.Reaches("")`,
		pkg: "test/canaries", test: "TestCanaries_journeys",
	}, {
		name: "a promotional code keeps contact data", file: "functions/reservation/internal/quotes/ask.go",
		from: "if attribution.Plain(a.Promo) != a.Promo {", to: "if attribution.Plain(a.Promo) == \"\" && a.Promo == \" \" {",
		pkg: "functions/reservation/internal/quotes", test: "TestAsk_Validate",
	}, {
		name: "a forgotten scrubbing publishes contact data", file: "shared/platform/contract/registry.go",
		from: `object["format"] = "scrubbed"`, to: `_ = requireScrubbed`,
		pkg: "shared/platform/contract", test: "TestModels",
	}, {
		name: "events are published with members that their schema does not define", file: "shared/platform/contract/contract.go",
		from: "published.check(subject, closed, payload)", to: "published.check(subject, open, payload)",
		pkg: "shared/platform/outbox", test: "TestAppend_contractViolation",
	}, {
		name: "stored responses are not encrypted", file: "shared/platform/fn/idempotency/ledger.go",
		from: `s.Response, err = l.keys.Seal(a.Body, []byte("response "+row))`, to: "s.Response = a.Body",
		pkg: "shared/platform/fn/idempotency", test: "TestSeal_unreadableAtRest",
	}, {
		name: "the log contains a guest's token", file: "shared/handoff/token.go",
		from: "func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }",
		to:   "func (t Token) LogValue() slog.Value { return slog.StringValue(t.text) }",
		pkg:  "shared/handoff", test: "TestToken_format",
	}, {
		name: "the replay job shows payloads", file: "jobs/replay/output.go",
		from: `Payload: fmt.Sprintf("%d bytes, not shown", len(l.Data))`, to: "Payload: string(l.Data)",
		pkg: "jobs/replay", test: "TestShow_noGuestData",
	}, {
		name: "services see who the guest is", file: "functions/reservation/internal/booking/view.go",
		from: "if p.Actor.Type == access.Staff {", to: "if p.Actor.Type != \"\" {",
		pkg: "functions/reservation/internal/booking", test: "TestViewFor",
	}, {
		name: "a click names another visitor's search session", file: "functions/consumer/internal/session/searches.go",
		from: "|| kept.Guest != v.Session.ID ||", to: "||",
		pkg: "functions/consumer", test: "TestSearchSession_telemetry",
	}, {
		name: "search sessions outlive a cleared session", file: "functions/consumer/internal/session/sessions.go",
		from: "if h.isActive(now) {", to: "if h.isActive(now) && false {",
		pkg: "functions/consumer", test: "TestSearchSession_ends",
	}, {
		name: "clearing a silent session requests no erasure", file: "functions/consumer/internal/session/lifetime.go",
		from: "queueErasure(tx, d.ID, now)", to: "if d.Telemetry {\n\t\t\t\tqueueErasure(tx, d.ID, now)\n\t\t\t}",
		pkg: "functions/consumer", test: "TestErasure_requested",
	}, {
		name: "an erasure deletes evidence", file: "functions/consumer/internal/session/erasures.go",
		from: "if s.Retention.Class == event.Operational {", to: "if s.Retention.Class != event.Operational || true {",
		pkg: "jobs/erase", test: "TestErase_leavesNoTrace",
	}, {
		name: "an erasure is complete while the warehouse is away", file: "jobs/erase/sessions.go",
		from: "if err := s.openWarehouse(ctx); err != nil {", to: "if err := s.openWarehouse(ctx); err != nil && s.dry {",
		pkg: "jobs/erase", test: "TestErase_warehouseAway",
	}, {
		name: "an erasure leaves the dead letters", file: "jobs/erase/stays.go",
		from: "{s.deleteDocuments, s.deleteDeadLetters, s.deleteFromWarehouse,", to: "{s.deleteDocuments, s.deleteFromWarehouse,",
		pkg: "test/canaries", test: "TestCanaries_erased",
	}, {
		name: "an erasure leaves the events in the outbox", file: "jobs/erase/stayrows.go",
		from: `{"reservation.outbox", "ordering_key = ANY (@keys) AND published_at IS NOT NULL"}`,
		to:   `{"reservation.outbox", "ordering_key = ANY (@keys) AND published_at IS NULL"}`,
		pkg:  "test/canaries", test: "TestCanaries_erased",
	}, {
		name: "typed words are published with a search", file: "functions/consumer/internal/search/filterkeys.go",
		from: "keys = append(keys, known...)", to: "keys = append(keys, words...)",
		pkg: "functions/consumer/search", test: "TestSearch_typedText",
	}, {
		name: "a guest's words are published", file: "functions/reservation/internal/booking/requests.go",
		from: "if q.Source != FromStaff {", to: "if q.Source == FromStaff {",
		pkg: "functions/reservation/internal/booking", test: "TestRequestAdded_guestWords",
	}, {
		name: "a session whose document is lost consents to telemetry",
		file: "functions/tenantbooking/internal/session/sessions.go",
		from: "fallback.LastSeenAt, fallback.Consent.Telemetry = session, now, now, false", to: "fallback.LastSeenAt = session, now, now",
		pkg: "functions/tenantbooking", test: "TestConsent_lostSession",
	}, {
		name: "a document with an old consent outlives a withdrawal", file: "functions/consumer/internal/session/publisher.go",
		from: "err != nil || !consents {", to: "err != nil {",
		pkg: "functions/consumer", test: "TestConsent_withdrawnDuringOutage",
	},
}}
