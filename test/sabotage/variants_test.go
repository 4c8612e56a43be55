package sabotage

// A variant is our code with one thing taken out that a promise stands on, and the test that notices.
type variant struct {
	name     string // what the sabotaged code does
	promise  string // as PROOFS.md says it
	file     string
	from, to string // the text, which is there exactly once, and what stands there instead
	in       string // the package
	notices  string // its test
}

// The promises.
const (
	noOversell = "no oversell"
	noLoss     = "no lost event"
	inOrder    = "order per key"
	oneEffect  = "effectively-once effect"
	oneHandoff = "single-use handoff"
	apart      = "tenant isolation"
	noPII      = "no PII"
	durable    = "durable idempotency"
	bounded    = "bounded response time"
	settled    = "money is settled"
	genuine    = "authentic tokens"
	current    = "current responses"
	challenged = "bots are challenged"
	evolving   = "compatible contracts"
)

var promises = []string{noOversell, noLoss, inOrder, oneEffect, oneHandoff, apart, noPII, durable, bounded, settled, genuine, current, challenged, evolving}

var variants = []variant{
	{
		"rooms are counted without locking their nights", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"n.night < p_end\n        ORDER BY n.room_type_id, n.night\n        FOR NO KEY UPDATE) AS l;", "n.night < p_end) AS l;",
		"functions/demo/sandbox", "TestHold_noOversell",
	}, {
		"the clock is read before waiting for the locks", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"at := platform.now(); -- after the locks: an earlier reading could find a lapsed", "at := now(); -- before the locks: an earlier reading could find a lapsed",
		"functions/demo/sandbox", "TestHold_clockReadAfterLock",
	}, {
		"expired holds stay counted forever", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"counted_at <= at AND at < next_lapse", "counted_at <= at",
		"functions/demo/sandbox", "TestHold_expiryFreesRooms",
	}, {
		"a count from before the clock was moved back stays valid", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"counted_at <= at AND at < next_lapse", "at < next_lapse",
		"functions/demo/sandbox", "TestHold_clockSetBack",
	}, {
		"released rooms stay counted", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"SET taken = n.taken - g.units", "SET taken = n.taken",
		"functions/demo/sandbox", "TestCommit_survivesExpiry",
	}, {
		"an expired hold is released a second time", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"AND sandbox.takes(a.state, a.expires_at, at)\n        GROUP BY", "AND a.state IN ('held', 'committed')\n        GROUP BY",
		"functions/demo/sandbox", "TestLapse_once",
	}, {
		"an expired hold keeps its rooms", noOversell, "schemas/postgres/sandbox/0001_init.up.sql",
		"state = 'committed' OR (state = 'held' AND expires_at > at)", "state IN ('committed', 'held')",
		"functions/demo/sandbox", "TestHold_expiryFreesRooms",
	}, {
		"a hold expires only when the sweep has run", noOversell, "functions/reservation/internal/booking/reservation.go",
		"if r.State == Held && !r.AsOf.Before(r.Hold.ExpiresAt) {", "if r.State == ExpiredHold {",
		"functions/reservation/internal/booking", "TestEffectiveState",
	}, {
		"a save with an old version overwrites the newer row", noOversell, "functions/reservation/internal/booking/reservations.go",
		"AND version = @stored`", "AND version <= @version`",
		"functions/reservation/internal/booking", "TestSave_versionConflict",
	}, {
		"events are marked as published before they are published", noLoss, "shared/platform/outbox/relay.go",
		`	out = o.serve(ctx, within, l.rows)
`, `	out = &outcome{at: o.now()}
	for _, r := range l.rows {
		out.published = append(out.published, r.ID)
	}
	if err := o.settle(within, l, out); err != nil {
		return out, true, err
	}
	out = o.serve(ctx, within, l.rows)
`,
		"shared/platform/outbox", "TestRelay_killed",
	}, {
		"an event that failed to publish counts as published", noLoss, "shared/platform/outbox/outcome.go",
		"case err == nil:", "case !errors.Is(err, topic.ErrRefused):",
		"shared/platform/outbox", "TestRelay_failingKey",
	}, {
		"dead letters are acknowledged before they are published", noLoss, "jobs/replay/send.go",
		`		gone, err := r.publish(ctx, s, out, stuck)
		sent += len(gone)
		failed = append(failed, err, r.acknowledge(ctx, s, gone))`, `		failed = append(failed, r.acknowledge(ctx, s, out))
		gone, err := r.publish(ctx, s, out, stuck)
		sent += len(gone)`,
		"jobs/replay", "TestSend_releasesOnFailure",
	}, {
		"writers of one key do not wait for each other", inOrder, "shared/platform/outbox/append.go",
		"SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "SELECT hashtextextended($1, 0)",
		"shared/platform/outbox", "TestAppend_writersOfOneKey",
	}, {
		"the newest event is published first", inOrder, "shared/platform/outbox/lanes.go",
		"ORDER BY l.lane, r.seq`", "ORDER BY l.lane, r.seq DESC`",
		"shared/platform/outbox", "TestOrder_underFailures",
	}, {
		"two relays publish one lane", inOrder, "shared/platform/outbox/lanes.go",
		"WHERE l.leased_until <= clock_timestamp()", "WHERE true",
		"shared/platform/outbox", "TestDrain_leasedLane",
	}, {
		"a key continues while one of its events waits for a retry", inOrder, "shared/platform/outbox/lanes.go",
		"f.ordering_key = o.ordering_key", "f.id = o.id",
		"shared/platform/outbox", "TestRelay_undecidedPublisher",
	}, {
		"dead letters are replayed in the order of discovery", inOrder, "jobs/replay/gather.go",
		`			inOrder(s.messages)
`, "",
		"jobs/replay", "TestSend_orderPerKey",
	}, {
		"a dead letter overtakes a failed one of its key", inOrder, "jobs/replay/send.go",
		"} else if !stuck[l.key] {", "} else {",
		"jobs/replay", "TestSend_failureStopsItsKey",
	}, {
		"a processed event is processed again", oneEffect, "shared/platform/inbox/inbox.go",
		"if !first {", "if !first && d.Processor == \"\" {",
		"shared/platform/inbox", "TestOnce_perProcessor",
	}, {
		"an event whose processing failed counts as processed", oneEffect, "shared/platform/inbox/inbox.go",
		"return f(tx)\n", "_ = f(tx)\n\t\treturn nil\n",
		"shared/platform/inbox", "TestOnce_effectFails",
	}, {
		"a replay reaches all subscribers of the subject", oneEffect, "jobs/replay/message.go",
		"m.Attributes[topic.ReplayTo], m.Attributes[topic.Replays] = l.to.Name, strconv.Itoa(l.replays+1)", "m.Attributes[topic.Replays] = strconv.Itoa(l.replays + 1)",
		"jobs/replay", "TestReplay_untilProcessedOnce",
	}, {
		"a message that keeps failing is replayed forever", oneEffect, "jobs/replay/message.go",
		"case l.replays >= maxReplays && !o.again:", "case l.replays < 0:",
		"jobs/replay", "TestSend_maxReplays",
	}, {
		"an ended draft stays active in its session", current, "functions/tenantbooking/internal/booking/drafts.go",
		"\t\ts.active.Clear(ctx, d.Tenant, d.Session, d.ID)\n", "",
		"functions/tenantbooking", "TestActiveDraft_clearedAtEnd",
	}, {
		"bootstrap returns the draft that the session names, unchecked", current, "functions/tenantbooking/internal/booking/activedrafts.go",
		"draft_id = @draft AND session_id = @session AND ended_at IS NULL", "(draft_id = @draft OR session_id = @session)",
		"functions/tenantbooking", "TestActiveDraft_checkedOnRead",
	}, {
		"a withdrawn consent does not reach running drafts", noPII, "functions/tenantbooking/changesession/changesession.go",
		"err = h.drafts.SetConsent(ctx, v.Session)", "err = nil",
		"functions/tenantbooking", "TestConsent_sweep",
	}, {
		"guests open payments while the site is read-only", current, "functions/tenantbooking/openintent/openintent.go",
		"}, New, tenantbooking.NewBookings)", "}, New)",
		"functions/tenantbooking", "TestReadOnly",
	}, {
		"an invalid document switches features off", current, "shared/platform/flags/flags.go",
		"if noRates == nil && noFeatures == nil {", "if noRates == nil || noFeatures == nil {",
		"shared/platform/flags", "TestRefresh_invalidDocumentKeepsLast",
	}, {
		"a draft without a payment outcome keeps the guest's details", noPII, "functions/tenantbooking/internal/booking/waiting.go",
		"d.waiting() < forgetAfter", "!d.State.Ended()",
		"functions/tenantbooking", "TestSweep_paymentWithoutOutcome",
	}, {
		"a call that declines telemetry is counted", noPII, "functions/tenantbooking/internal/session/session.go",
		"!s.Consent.Telemetry || s.optedOut", "!s.Consent.Telemetry",
		"functions/tenantbooking", "TestConsent_signals",
	}, {
		"one handoff admits several sessions", oneHandoff, "functions/tenantbooking/internal/session/arrivals.go",
		"case e.Session != v.Session.ID:", "case e.Session.IsZero():",
		"functions/tenantbooking", "TestAccept_sameSessionUntilExpiry",
	}, {
		"a handoff expires by a different clock", oneHandoff, "functions/tenantbooking/internal/session/arrivals.go",
		"WHERE platform.now() <= @expires", "WHERE clock_timestamp() <= @expires",
		"functions/tenantbooking", "TestAccept_sameSessionUntilExpiry",
	}, {
		"the owner of the tables bypasses row-level security", apart, "schemas/postgres/reservation/0001_init.up.sql",
		"ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY", "ENABLE ROW LEVEL SECURITY",
		"shared/platform/postgres/migrate", "TestCatalogue_rules",
	}, {
		"a connection keeps the tenant of the previous call", apart, "shared/platform/postgres/tx.go",
		"set_config('app.tenant_id', $2, true)", "set_config('app.tenant_id', CASE $2 WHEN '' THEN current_setting('app.tenant_id') ELSE $2 END, false)",
		"shared/platform/postgres", "TestIsolation_reusedConnections",
	}, {
		"settings of a call remain on its connection", apart, "shared/platform/postgres/tx.go",
		"if !t.sent { //", "if !t.sent && t.tenant != \"\" { //",
		"shared/platform/postgres", "TestIsolation_reusedConnections",
	}, {
		"statements continue without a transaction if BEGIN fails", apart, "shared/platform/postgres/tx.go",
		"if t.sent && t.conn.Conn().PgConn().TxStatus() == idle {", "if false {",
		"shared/platform/postgres", "TestTrips_failureLeavesNothing",
	}, {
		"errors of queued statements are ignored", apart, "shared/platform/postgres/tx.go",
		"t.broken = err // queued statements counted as executed, so the transaction cannot continue", "_ = err",
		"shared/platform/postgres", "TestTrips_failureLeavesNothing",
	}, {
		"staff of another hotel are admitted", apart, "functions/reservation/middleware.go",
		"if who.Tenant == nil || *who.Tenant != tenant {", "if who.Tenant == nil {",
		"functions/reservation", "TestMiddleware_principal",
	}, {
		"a handoff for another hotel is accepted", apart, "shared/handoff/keys.go",
		"if err == nil && h.Tenant != tenant {", "if err == nil && h.Tenant.IsZero() {",
		"functions/tenantbooking", "TestVerify_otherTenant",
	}, {
		"free text is stored and published without scrubbing", noPII, "shared/freetext/freetext.go",
		"text = strings.Map(shown, text)", "if true { return text }",
		"shared/freetext", "TestScrub",
	}, {
		"reasons keep contact data", noPII, "shared/freetext/freetext.go",
		"*t = Text(Scrub(string(text)))", "*t = Text(text)",
		"test/canaries", "TestCanaries_journeys",
	}, {
		"names of partners and staff keep contact data", noPII, "functions/reservation/internal/access/actor.go",
		"name := freetext.Scrub(string(text))", "name := string(text)",
		"test/canaries", "TestCanaries_journeys",
	}, {
		"names of campaigns keep contact data", noPII, "shared/event/attribution/campaign.go",
		"freetext.Reaches(s)", `freetext.Reaches("")`,
		"test/canaries", "TestCanaries_journeys",
	}, {
		"a promotional code keeps contact data", noPII, "functions/reservation/internal/quotes/ask.go",
		"if attribution.Plain(a.Promo) != a.Promo {", "if attribution.Plain(a.Promo) == \"\" && a.Promo == \" \" {",
		"functions/reservation/internal/quotes", "TestAsk_Validate",
	}, {
		"a forgotten scrubbing publishes contact data", noPII, "shared/platform/contract/registry.go",
		`object["format"] = "scrubbed"`, `_ = requireScrubbed`,
		"shared/platform/contract", "TestModels",
	}, {
		"events are published with members that their schema does not define", noPII, "shared/platform/contract/contract.go",
		"published.check(subject, closed, payload)", "published.check(subject, open, payload)",
		"shared/platform/outbox", "TestAppend_contractViolation",
	}, {
		"stored responses are not encrypted", noPII, "shared/platform/fn/idempotency/ledger.go",
		`s.Response, err = l.keys.Seal(a.Body, []byte("response "+row))`, "s.Response = a.Body",
		"shared/platform/fn/idempotency", "TestSeal_unreadableAtRest",
	}, {
		"the log contains a guest's token", noPII, "shared/handoff/token.go",
		"func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }", "func (t Token) LogValue() slog.Value { return slog.StringValue(t.text) }",
		"shared/handoff", "TestToken_format",
	}, {
		"the replay job shows payloads", noPII, "jobs/replay/output.go",
		`Payload: fmt.Sprintf("%d bytes, not shown", len(l.Data))`, "Payload: string(l.Data)",
		"jobs/replay", "TestShow_noGuestData",
	}, {
		"a process that takes over a claim starts a new act", durable, "shared/platform/fn/idempotency/store.go",
		"ELSE act END", "ELSE @act::uuid END",
		"shared/platform/fn/idempotency", "TestLedger_takeOverContinuesAct",
	}, {
		"a claim is taken over before its lease ends", durable, "shared/platform/fn/idempotency/store.go",
		"AND locked_until <= clock_timestamp() AND", "AND",
		"shared/platform/fn/idempotency", "TestLedger_inProgress",
	}, {
		"a key returns the response of a different request", durable, "shared/platform/fn/idempotency/ledger.go",
		"case e.Request != c.Request && e.Request != c.Former:", `case e.Request == "":`,
		"shared/platform/fn/idempotency", "TestReplay_otherRequest",
	}, {
		"an unavailable hot store is called on every request", bounded, "shared/platform/document/breaker.go",
		"c.ConsecutiveFailures >= tripAfter", "c.ConsecutiveFailures >= 100*tripAfter",
		"shared/platform/document", "TestBreaker_hangingStore",
	}, {
		"a call may take twice its timeout", bounded, "shared/platform/fn/frame.go",
		"c.began.Add(f.spec.Timeout-f.offset())", "c.began.Add(2*f.spec.Timeout-f.offset())",
		"shared/platform/fn", "TestCall_deadline",
	}, {
		"failures of one caller open the circuit breaker", bounded, "shared/platform/upstream/breaker.go",
		"return failed >= minCallers &&", "return failed >= 1 ||",
		"shared/platform/upstream", "TestBreaker_opens",
	}, {
		"every failed upstream call is retried", bounded, "shared/platform/upstream/budget.go",
		"if b.have < price {", "if b.have < -1000*price {",
		"shared/platform/upstream", "TestRetry_budget",
	}, {
		"a list request leaves no time for the response", bounded, "functions/consumer/internal/search/search.go",
		"deadline.Add(-compositionReserve)", "deadline",
		"functions/consumer/internal/search", "TestList_slowSearchHangingPrices",
	}, {
		"money that pays for nothing is kept", settled, "functions/reservation/internal/booking/confirm.go",
		"if back, refundable := r.RefundableAmount(i); refundable {", "if back, refundable := r.RefundableAmount(i); refundable && back.Amount == 0 {",
		"functions/reservation/internal/booking", "TestConfirm_outcomes",
	}, {
		"a late payment confirms rooms that are gone", settled, "functions/reservation/internal/booking/confirm.go",
		`if !errors.Is(err, ErrHoldExpired) || i.kept() == 0 { // only a captured payment justifies a second hold
		return r.Hold, err`, `if i.kept() > 0 {
		return r.Hold, nil
	}
	if i.kept() == 0 {
		return r.Hold, err`,
		"functions/reservation/internal/booking", "TestConfirm_outcomes",
	}, {
		"the expiry of a hold releases committed rooms", settled, "functions/demo/sandbox/internal/inventory/inventory.go",
		"WHERE a.allocation_id = ANY (@allocations) AND a.state = 'held'))", "WHERE a.allocation_id = ANY (@allocations)))",
		"functions/demo/sandbox", "TestHoldExpired_keepsCommittedRooms",
	}, {
		"a pending payment is given up as if it had failed", settled, "functions/reservation/internal/booking/payment.go",
		"i.Status == RequiresAction || i.Status == Processing || ", "",
		"functions/reservation/internal/platform", "TestPending",
	}, {
		"a payment that the bank processes is cancelled", settled, "functions/demo/sandbox/internal/payment/transactions.go",
		"AND status IN ('requires_payment', 'requires_action', 'pending_cash')`,", "AND status IN ('requires_payment', 'requires_action', 'processing', 'pending_cash')`,",
		"functions/demo/sandbox", "TestProcessing",
	}, {
		"another method is opened while the bank processes a payment", settled, "functions/demo/sandbox/internal/payment/intents.go",
		`case err == nil && live.Status == Processing:
		return Intent{}, ErrProcessing
`, `case err == nil && live.Status == Superseded:
		return Intent{}, ErrProcessing
`,
		"functions/demo/sandbox", "TestProcessing",
	}, {
		"a guest is not told that the bank processes a payment", settled, "functions/tenantbooking/internal/booking/payments.go",
		"err = ErrIllegalStep.Because(err)", "err = ErrDraftClosed.Because(err)",
		"functions/tenantbooking", "TestPay_whileProcessing",
	}, {
		"3-D Secure needs no client secret", genuine, "functions/demo/sandbox/internal/payment/intents.go",
		"subtle.ConstantTimeCompare([]byte(i.ClientSecret), []byte(secret)) == 0", "subtle.ConstantTimeCompare([]byte(i.ClientSecret), []byte(secret)) > 1",
		"functions/demo/sandbox", "TestAuthenticate",
	}, {
		"a decline is shown at every return", settled, "functions/tenantbooking/internal/booking/settle.go",
		"d.Declines = times", "d.Declines = 0",
		"functions/tenantbooking", "TestReturn_declineShownOnce",
	}, {
		"a confirmed reservation is asked for only while the payment service is away", settled, "functions/tenantbooking/internal/booking/settle.go",
		"	if f.reservation.Confirmed() {\n", "	if f.reservation.Confirmed() && err != nil {\n",
		"functions/tenantbooking", "TestPaid_everyActConfirms",
	}, {
		"a guest pays for a cancelled reservation", settled, "functions/tenantbooking/internal/booking/settle.go",
		"case f.reservation.State == \"cancelled\", f.paid.Status == \"failed\":", "case f.reservation.State == \"cancelled\":\n\t\treturn d.May(Pays)\n\tcase f.paid.Status == \"failed\":",
		"functions/tenantbooking", "TestPay_cancelledReservation",
	}, {
		"a return link opens every booking of a hotel", genuine, "functions/tenantbooking/internal/booking/site.go",
		"return []string{\"return\", t.String(), d.String(), expiry, string(m)}", "return []string{\"return\", t.String(), expiry, string(m)}",
		"functions/tenantbooking", "TestReturn_otherBrowser",
	}, {
		"a return link shows the client secret", genuine, "functions/tenantbooking/confirmpayment/confirmpayment.go",
		"out.Reservation, out.Secret = nil, \"\"", "out.Reservation = nil",
		"functions/tenantbooking", "TestReturn_pending",
	}, {
		"a form from any site is a write", genuine, "shared/platform/fn/origin.go",
		"if h.spec.CrossOrigin {", "if h.spec.IgnoresBody {",
		"shared/platform/fn", "TestCrossOrigin",
	}, {
		"a forged handoff is accepted", genuine, "shared/handoff/keys.go",
		"if !hmac.Equal(signature, want) {", "if !hmac.Equal(signature[:0], want[:0]) {",
		"shared/handoff", "TestVerify_everyBit",
	}, {
		"a token for another function is accepted", genuine, "shared/platform/identity/verifier.go",
		"AnyAudience: jwt.Audience{audience}, ", "",
		"shared/platform/fn", "TestPush_onlyWithToken",
	}, {
		"every hotel's site shows the theme of the first", current, "functions/tenantbooking/internal/hotel/storefront.go",
		"return s.themeCache.FetchDated(ctx, document.KeyOf(t.String())", `return s.themeCache.FetchDated(ctx, document.KeyOf("any")`,
		"functions/tenantbooking/bootstrap", "TestCached_perTenantLanguageCurrency",
	}, {
		"a cancelled booking counts for popularity", current, "functions/demo/sandbox/internal/search/demand.go",
		"interval '24 hours' AND b.cancelled_at IS NULL)", "interval '24 hours')",
		"functions/demo/sandbox", "TestPopularity_bookings",
	}, {
		"a view by a wrong clock counts for a day", current, "functions/demo/sandbox/internal/search/demand.go",
		"least(@at, platform.now()))", "@at)",
		"functions/demo/sandbox", "TestPopularity_views",
	}, {
		"a number of one guest is shown as popularity", current, "functions/consumer/internal/search/popularity.go",
		"const minPopularity = 3", "const minPopularity = 1",
		"functions/consumer/readhotel", "TestReadHotel_popularity",
	}, {
		"a hotel in a city of the same name is similar", current, "functions/consumer/internal/search/selections.go",
		"if listing.Property != hotel.ID && listing.Country == hotel.Country {", "if listing.Property != hotel.ID {",
		"functions/consumer/readhotel", "TestReadHotel_similar",
	}, {
		"a suspended hotel keeps its card on a wishlist", current, "functions/consumer/internal/search/search.go",
		"\t\tif closed[listing.Tenant] {\n", "\t\tif closed == nil {\n",
		"functions/consumer", "TestWishlist_cardsOfGoneHotels",
	}, {
		"a hotel without an exchange rate has no price", current, "functions/demo/sandbox/internal/pricing/previews.go",
		"\tfor _, h := range hotels {\n\t\tif fx := rates[h.tariff.Currency]; fx != nil {\n", "\tfor p, h := range hotels {\n\t\tif fx := rates[h.tariff.Currency]; fx == nil && h.tariff.Currency != y.Currency {\n\t\t\tdelete(hotels, p)\n\t\t} else if fx != nil {\n",
		"functions/demo/sandbox", "TestPreview_noExchangeRate",
	}, {
		"any badge of the search service is shown", current, "functions/consumer/internal/search/listing.go",
		"if badge.known() {", "if badge != \"\" {",
		"functions/consumer/internal/search", "TestListing_badges",
	}, {
		"the last event about a tenant overrides the tenant service forever", current, "functions/consumer/internal/search/tenants.go",
		"counts := statusForOne", "counts := statusForLists",
		"functions/consumer/minthandoff", "TestStatus_eventLost",
	}, {
		"each page of a search has an order of its own", current, "functions/consumer/internal/search/listings.go",
		"p.Offset > 0 && shown.Sort == question.Sort", "p.Offset > 0 && shown.Found < 0",
		"functions/consumer/search", "TestPages_oneOrder",
	}, {
		"a new hotel appears when the cached lists expire", current, "functions/consumer/internal/search/listings.go",
		"changed = append(changed, area)", "_ = area",
		"functions/consumer/search", "TestSearch_newHotel",
	}, {
		"a new hotel invalidates the lists of all areas", current, "functions/consumer/internal/search/h3.go",
		"return area.String(), ok", "return area.String()[:len(\"h3:84\")], ok",
		"functions/consumer/search", "TestSearch_newHotel",
	}, {
		"the cells of a place lack those at its edge", current, "functions/demo/sandbox/internal/search/cells.go",
		"> reachKm {", "> reachKm/2 {",
		"functions/demo/sandbox/internal/search", "TestCover_containsItsHotels",
	}, {
		"a map that is moved a little has other pins", current, "functions/consumer/internal/search/listings.go",
		"q.Geo.Box = q.Geo.coarse()", "_ = q.Geo.coarse()",
		"functions/consumer/searchmap", "TestSearchMap_pan",
	}, {
		"a cluster keeps its suspended hotel", current, "functions/consumer/internal/search/map.go",
		"if last.IsZero() {", "if last.IsZero() || len(closed) > 0 {",
		"functions/consumer/searchmap", "TestSearchMap_suspendedInCluster",
	}, {
		"a hotel is found although its main room is taken", current, "functions/demo/sandbox/internal/search/found.go",
		"WHERE a.room_type_id = l.main_room_type AND a.state", "WHERE false AND a.room_type_id = l.main_room_type AND a.state",
		"functions/demo/sandbox", "TestSearch_lastRoom",
	}, {
		"each cluster counts one hotel", current, "functions/demo/sandbox/internal/search/pins.go",
		"r.place[0], r.n, r.x", "r.place[0], 1::bigint, r.x",
		"functions/demo/sandbox", "TestPins_clusters",
	}, {
		"a cluster is in the place of its most popular hotel", current, "functions/demo/sandbox/internal/search/pins.go",
		"p.Geo = sum.direction()", "_ = sum.direction()",
		"functions/demo/sandbox", "TestPins_clusters",
	}, {
		"without the hot store every search calls every service", bounded, "shared/platform/cache/cache.go",
		"r.remember(e)\n\t}\n\treturn outcome[T]{entry: e, state: Bypass", "}\n\treturn outcome[T]{entry: e, state: Bypass",
		"functions/consumer/internal/search", "TestList_storeHangs",
	}, {
		"cached values survive their invalidation", current, "shared/platform/cache/cache.go",
		"slices.Equal(v.last.Epochs, v.epochs) &&", "",
		"functions/tenantbooking/bootstrap", "TestCached_eventsInvalidate",
	}, {
		"an error of an act is shown to the guest and published nowhere", noLoss, "functions/tenantbooking/middleware.go",
		"refusals.Publish(ctx, r.Visitor, c.Header, err, c.Now)", "_ = ctx",
		"functions/tenantbooking", "TestRefusals_firstQuote",
	}, {
		"a new theme invalidates the configuration too", current, "functions/tenantbooking/themepublished/themepublished.go",
		"hotel.OfLook(t)}", "hotel.OfLook(t), hotel.OfConfiguration(t)}",
		"functions/tenantbooking", "TestEvents_exactEffects",
	}, {
		"an allocation invalidates no month", current, "functions/tenantbooking/internal/hotel/rooms.go",
		"append(OfStay(s.Tenant, s.Property, s.Stay.Window()), OfProperty(s.Tenant, s.Property))", "[]cache.Epoch{OfProperty(s.Tenant, s.Property)}",
		"functions/tenantbooking", "TestEvents_exactEffects",
	}, {
		"two guests get the same room", noOversell, "schemas/postgres/reservation/0001_init.up.sql",
		"PRIMARY KEY (tenant_id, room_id, night)", "PRIMARY KEY (tenant_id, room_id, night, item_id)",
		"functions/reservation/internal/booking", "TestSave_roomTaken",
	}, {
		"a change of dates that a crash interrupts is forgotten", noOversell, "functions/reservation/internal/booking/changer.go",
		"if r.Saga.Plan != nil && !call.DryRun {", "if false {",
		"functions/reservation/internal/booking", "TestDates_crash",
	}, {
		"guests who have not arrived get a key", noOversell, "functions/reservation/internal/booking/keys.go",
		"if item.ArrivedAt != nil && slices.Contains(items, item.ID) {", "if item.Room != nil && slices.Contains(items, item.ID) {",
		"functions/reservation/internal/booking", "TestArrivals_changes",
	}, {
		"a no-show of some rooms releases those of the guests in the house", noOversell, "functions/reservation/internal/booking/missedrooms.go",
		"append(releases, p.Releases...)", "append(releases, r.Hold.Allocations...)",
		"functions/reservation/internal/booking", "TestMissRooms",
	}, {
		"guests who do not come while others do pay nothing", settled, "functions/reservation/internal/booking/penalty.go",
		"return i.Policy.NoShow(i.Nights, quotes.SumLines(i.Extras), c.MinorUnit())", "return 0 * i.Policy.NoShow(i.Nights, quotes.SumLines(i.Extras), c.MinorUnit())",
		"functions/reservation/internal/booking", "TestMissRooms",
	}, {
		"the sweep takes guests without a recorded arrival for a no-show", settled, "functions/reservation/internal/booking/finding.go",
		"r.arriveTogether()", "_ = r.arriveTogether",
		"functions/reservation/internal/booking", "TestArrivals_previousVersion",
	}, {
		"a requested refund counts as kept", settled, "functions/reservation/internal/booking/balance.go",
		"kept -= back.Amount", "kept -= 0 * back.Amount",
		"functions/reservation/internal/booking", "TestDates",
	}, {
		"what the hotel gave back is due again", settled, "functions/reservation/internal/booking/balance.go",
		"account.Sum(r.Account)-r.Payment.kept()", "r.Account.Price()-r.Payment.kept()",
		"functions/reservation/internal/booking", "TestBalance_due",
	}, {
		"a change of a guest in house prices slept nights again", settled, "functions/reservation/internal/booking/changing.go",
		"append(nightsBefore(item.Nights, after.Stay.Start, from), priced.Nights...)", "append([]quotes.Night{}, priced.Nights...)",
		"functions/reservation/internal/booking", "TestAccount_sleptNights",
	}, {
		"a later change gives a retained penalty back", settled, "functions/reservation/internal/account/account.go",
		"c.Kind == Retained && c.Cause.ends() && !ended", "c.Kind == Retained && !ended",
		"functions/reservation/internal/booking", "TestAccount_retained",
	}, {
		"the calendar date is the hotel's day", settled, "functions/reservation/internal/quotes/local.go",
		"min(graceHours, stay.MaxBusinessHours)", "0*min(graceHours, stay.MaxBusinessHours)",
		"functions/reservation/internal/booking", "TestStartCheckIn_time",
	}, {
		"moving a stay makes a late cancellation free", settled, "functions/reservation/internal/booking/changing.go",
		"earlier.Before(deadline) {", "deadline.Before(earlier) {",
		"functions/reservation/internal/booking", "TestDates_deadline",
	}, {
		"the sweep takes a reinstated guest for a no-show", settled, "functions/reservation/internal/booking/penalty.go",
		"if r.SparedUntil != nil && r.SparedUntil.After(missed) {", "if r.SparedUntil != nil && r.SparedUntil.Before(missed) {",
		"functions/reservation/internal/booking", "TestDeskRace_sweepAndOverride",
	}, {
		"services see who the guest is", noPII, "functions/reservation/internal/booking/view.go",
		"if p.Actor.Type == access.Staff {", "if p.Actor.Type != \"\" {",
		"functions/reservation/internal/booking", "TestViewFor",
	}, {
		"requests without a cookie are not counted", challenged, "functions/consumer/internal/bots/detector.go",
		"if !c.session.IsZero() || c.address != \"\" {", "if !c.session.IsZero() {",
		"functions/consumer/internal/bots", "TestDetector_cadence",
	}, {
		"a crawler is known by its user agent alone", challenged, "functions/consumer/internal/bots/rules.go",
		"func(p netip.Prefix) bool { return p.Contains(from.Unmap()) })", "func(p netip.Prefix) bool { return p.IsValid() })",
		"functions/consumer/internal/bots", "TestRules_crawlers",
	}, {
		"failed challenges do not block", challenged, "functions/consumer/internal/bots/detector.go",
		"if len(t.failures) >= maxFailures {", "if len(t.failures) < 0 {",
		"functions/consumer", "TestBots_blocked",
	}, {
		"every verdict is published", challenged, "functions/consumer/internal/bots/detector.go",
		"now.Sub(t.reportedAt) < reportInterval", "now.Sub(t.reportedAt) < 0",
		"functions/consumer/internal/bots", "TestDetector_due",
	}, {
		"a suspect without a cookie gets a session", challenged, "functions/consumer/internal/bots/guard.go",
		"return v.AsProgram(), nil", "return v, nil",
		"functions/consumer", "TestBots_suspectBrowser",
	}, {
		"an outage of the challenge service locks guests out", challenged, "functions/consumer/internal/bots/guard.go",
		"a.Action = None", "a.Action = Challenge",
		"functions/consumer", "TestBots_challenge",
	}, {
		"a response to a challenge makes every visitor human who sends it", challenged, "functions/consumer/internal/bots/guard.go",
		"case outcome == passed:", "case outcome == passed || outcome == expired:",
		"test/journeys", "TestBots_isolation",
	}, {
		"a passed challenge counts in one process only", challenged, "functions/consumer/internal/bots/guard.go",
		"return now.Before(v.Session.HumanUntil) || ", "return ",
		"functions/consumer", "TestBots_passedSession",
	}, {
		"a replay counts as a request", challenged, "functions/consumer/middleware.go",
		"v.unchecked = m.spec.Idempotent && v.StoredSession() != nil", "v.unchecked = false",
		"functions/consumer", "TestBots_replay",
	}, {
		"invalid rules of bot detection apply", challenged, "functions/consumer/internal/bots/live.go",
		"if rules, err := Parse(kept.Rules); err == nil {", "if rules, err := Parse(kept.Rules); err == nil || true {",
		"functions/consumer", "TestBots_rules",
	}, {
		"a page can report a step that the server records", oneEffect, "functions/consumer/internal/session/telemetry.go",
		"|| slices.Contains(serverSteps, s.Step)", "|| false && slices.Contains(serverSteps, s.Step)",
		"functions/consumer", "TestFunnel_serverSteps",
	}, {
		"a click names another visitor's search session", noPII, "functions/consumer/internal/session/searches.go",
		"|| kept.Guest != v.Session.ID ||", "||",
		"functions/consumer", "TestSearchSession_telemetry",
	}, {
		"search sessions outlive a cleared session", noPII, "functions/consumer/internal/session/sessions.go",
		"if h.isActive(now) {", "if h.isActive(now) && false {",
		"functions/consumer", "TestSearchSession_ends",
	}, {
		"clearing a silent session requests no erasure", noPII, "functions/consumer/internal/session/lifetime.go",
		"queueErasure(tx, d.ID, now)", "if d.Telemetry {\n\t\t\t\tqueueErasure(tx, d.ID, now)\n\t\t\t}",
		"functions/consumer", "TestErasure_requested",
	}, {
		"an erasure deletes evidence", noPII, "functions/consumer/internal/session/erasures.go",
		"if s.Retention.Class == event.Operational {", "if s.Retention.Class != event.Operational || true {",
		"jobs/erase", "TestErase_leavesNoTrace",
	}, {
		"an erasure is complete while the warehouse is away", noPII, "jobs/erase/sessions.go",
		"if err := s.openWarehouse(ctx); err != nil {", "if err := s.openWarehouse(ctx); err != nil && s.dry {",
		"jobs/erase", "TestErase_warehouseAway",
	}, {
		"an erasure leaves the dead letters", noPII, "jobs/erase/stays.go",
		"{s.deleteDocuments, s.deleteDeadLetters, s.deleteFromWarehouse,", "{s.deleteDocuments, s.deleteFromWarehouse,",
		"test/canaries", "TestCanaries_erased",
	}, {
		"an erasure leaves the events in the outbox", noPII, "jobs/erase/stayrows.go",
		`{"reservation.outbox", "ordering_key = ANY (@keys) AND published_at IS NOT NULL"}`, `{"reservation.outbox", "ordering_key = ANY (@keys) AND published_at IS NULL"}`,
		"test/canaries", "TestCanaries_erased",
	}, {
		"typed words are published with a search", noPII, "functions/consumer/internal/search/filterkeys.go",
		"keys = append(keys, known...)", "keys = append(keys, words...)",
		"functions/consumer/search", "TestSearch_typedText",
	}, {
		"a required member may be added", evolving, "scripts/schemadiff/evolution/members.go",
		"case required != requires:", "case required != requires && declared:",
		"scripts/schemadiff/evolution", "TestCompare_corpus",
	}, {
		"a member may be removed", evolving, "scripts/schemadiff/evolution/members.go",
		`c.findf(place, MemberRemoved, "")`, "continue",
		"scripts/schemadiff/evolution", "TestCompare_corpus",
	}, {
		"a value may be added to every enum that is not marked closed", evolving, "scripts/schemadiff/evolution/compare.go",
		`older["x-enum"] == "open"`, `older["x-enum"] != "closed"`,
		"scripts/schemadiff/evolution", "TestCompare_corpus",
	}, {
		"a bound may change", evolving, "scripts/schemadiff/evolution/compare.go",
		`keyword == "required":`, `keyword == "required", keyword == "maximum":`,
		"scripts/schemadiff/evolution", "TestCompare_corpus",
	}, {
		"alternatives and conditions are not compared", evolving, "scripts/schemadiff/evolution/compare.go",
		`c.combination(at+"/"+keyword, older, newer)`, "_, _ = older, newer",
		"scripts/schemadiff/evolution", "TestCompare_corpus",
	}, {
		"a schema behind a pattern of names may change", evolving, "scripts/schemadiff/evolution/compare.go",
		"c.part(below(at, keyword, name), older[name], newer[name])", "_ = name",
		"scripts/schemadiff/evolution", "TestCompare_corpus",
	}, {
		"a changed description needs no acknowledgement", evolving, "scripts/schemadiff/evolution/rules.go",
		"DescriptionChanged: Acknowledge,", "DescriptionChanged: Compatible,",
		"scripts/schemadiff", "TestCommand_twoFiles",
	}, {
		"an older version ends on the day of its deprecation", evolving, "scripts/schemadiff/history/compare.go",
		"today.Before(end)", "today.Before(since)",
		"scripts/schemadiff/history", "TestCompare",
	}, {
		"two versions exist without a deprecation", evolving, "scripts/schemadiff/history/compare.go",
		"if _, err := time.Parse(time.DateOnly, text); err != nil {", `if _, err := time.Parse(time.DateOnly, text); err != nil && text != "" {`,
		"scripts/schemadiff/history", "TestCompare",
	}, {
		"a guest's words are published", noPII, "functions/reservation/internal/booking/requests.go",
		"if q.Source != FromStaff {", "if q.Source == FromStaff {",
		"functions/reservation/internal/booking", "TestRequestAdded_guestWords",
	}, {
		"a payment begins although the guest has paid already", settled, "functions/tenantbooking/internal/booking/balance.go",
		"if p.kept() <= 0 || r.Payment", "if true || r.Payment",
		"functions/tenantbooking", "TestPayBalance",
	}, {
		"a payment begins over another amount than was shown", settled, "functions/tenantbooking/internal/booking/balance.go",
		"case due != *c.Due:", "case false:",
		"functions/tenantbooking", "TestPayBalance_refused",
	}, {
		"a payment replaces a promise of cash", settled, "functions/tenantbooking/internal/booking/balance.go",
		"case slices.ContainsFunc(all, PaymentState.CashOnArrival):", "case false:",
		"functions/tenantbooking", "TestPayBalance_refused",
	}, {
		"a decline is shown while a later payment is under way", settled, "functions/tenantbooking/internal/booking/settle.go",
		"case declined && f.paid.underWay():", "case declined && f.paid.underWay() && false:",
		"functions/tenantbooking", "TestReturn_declinedThenUnderWay",
	}, {
		"a former return link writes into the guest's draft", genuine, "functions/tenantbooking/internal/booking/drafts.go",
		"s.Any(context.WithValue(ctx, flowKey{}, &flow{}), Due", "s.Any(ctx, Due",
		"functions/tenantbooking", "TestReturn_formerLink",
	}, {
		"a session whose document is lost consents to telemetry", noPII, "functions/tenantbooking/internal/session/sessions.go",
		"fallback.LastSeenAt, fallback.Consent.Telemetry = session, now, now, false", "fallback.LastSeenAt = session, now, now",
		"functions/tenantbooking", "TestConsent_lostSession",
	}, {
		"a guest loses the booking with the snapshot of its draft", current, "functions/tenantbooking/internal/booking/drafts.go",
		"if d.State == Confirmed {", "if false {",
		"functions/tenantbooking", "TestOwner_withoutSnapshot",
	}, {
		"a payment of what is due is published nowhere", noLoss, "functions/tenantbooking/internal/booking/balance.go",
		"	if err := b.confirmations.publishIntent(ctx, c.Visitor, r, intent, c.Now); err != nil {\n		return out, err\n	}\n", "",
		"functions/tenantbooking", "TestPayBalance_events",
	}, {
		"a document with an old consent outlives a withdrawal", noPII, "functions/consumer/internal/session/publisher.go",
		"err != nil || !consents {", "err != nil {",
		"functions/consumer", "TestConsent_withdrawnDuringOutage",
	}, {
		"a confirmed booking leaves the quota of unpaid room nights", noOversell, "functions/reservation/internal/booking/quota.go",
		"AND r.quota_nights > 0 AND r.reservation_id", "AND r.state = 'held' AND r.reservation_id",
		"functions/reservation/internal/booking", "TestQuota_cashFromOneAddress",
	},
}
