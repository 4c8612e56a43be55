package tenantbooking_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/consumehandoff"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// unpublished lists the errors that have no event on any route, with the reason.
var unpublished = map[string]string{
	"GENERAL.VALIDATION_FAILED":        "malformed input",
	"GENERAL.MALFORMED_JSON":           "malformed input",
	"GENERAL.PAYLOAD_TOO_LARGE":        "malformed input",
	"GENERAL.UNSUPPORTED_MEDIA_TYPE":   "malformed input",
	"GENERAL.IDEMPOTENCY_KEY_REQUIRED": "malformed input",
	"GENERAL.IDEMPOTENCY_KEY_REUSED":   "malformed input",
	"GENERAL.IDEMPOTENCY_IN_PROGRESS":  "the guest is shown the result of the first call",
	"GENERAL.UNAUTHENTICATED":          "the event requires a session",
	"GENERAL.CROSS_ORIGIN_REFUSED":     "the caller is a page of another site",
	"TENANT.UNKNOWN":                   "the event requires a tenant",
}

// unpublishedOn lists the routes on which an error has no event. UPSTREAM_UNAVAILABLE: these routes call the tenant service only, and
// without its answer the tenant is unknown. UNAVAILABLE: these routes fail only without PostgreSQL, which also stores events.
// RATE_LIMITED: an event per rejected call would cause the load that the limit prevents; the hold quota of POST /hold is published.
var unpublishedOn = map[string][]string{
	"BFF.UPSTREAM_UNAVAILABLE": {"GET /bootstrap", "POST /handoff/consume", "PATCH /draft/{draftId}"},
	"GENERAL.UNAVAILABLE":      {"GET /bootstrap", "POST /handoff/consume", "PATCH /draft/{draftId}"},
	"GENERAL.RATE_LIMITED": {"GET /bootstrap", "POST /handoff/consume", "POST /quote", "PATCH /draft/{draftId}", "DELETE /draft/{draftId}",
		"POST /draft/{draftId}/payment-intent", "POST /draft/{draftId}/return", "POST /draft/{draftId}/confirm"},
}

// A failure prepares the state in which the next call of a guest fails.
type failure func(*testing.T, *tenantbookingtest.Guest)

func upstreamAnswers(path string, status int, code string) failure {
	return func(_ *testing.T, g *tenantbookingtest.Guest) {
		g.Platform.Change(func() {
			g.Platform.Rejects = func(r *http.Request) (int, string) {
				if !strings.HasSuffix(r.URL.Path, path) {
					return 0, ""
				}
				return status, code
			}
		})
	}
}

// paidBut captures the draft's payment, and makes the reservation service reject the confirmation.
func paidBut(status int, code string) failure {
	return func(t *testing.T, g *tenantbookingtest.Guest) {
		t.Helper()
		g.Platform.Pay(g.Intent, false)
		upstreamAnswers("/confirm", status, code)(t, g)
	}
}

func without(service string) failure {
	return func(_ *testing.T, g *tenantbookingtest.Guest) {
		g.Platform.Change(func() { g.Platform.Down = service })
	}
}

func after(d time.Duration) failure {
	return func(_ *testing.T, g *tenantbookingtest.Guest) { g.DB.Advance(d) }
}

func change(what func(*tenantbookingtest.Guest)) failure {
	return func(_ *testing.T, g *tenantbookingtest.Guest) { g.Platform.Change(func() { what(g) }) }
}

// statement executes SQL, and executes undo when the test ends.
func statement(sql, undo string) failure {
	return func(t *testing.T, g *tenantbookingtest.Guest) {
		t.Helper()
		owner := g.DB.Owner(t)
		t.Cleanup(func() {
			check.Got(owner.Exec(context.Background(), undo)).NoError(t)
		})
		check.Got(owner.Exec(t.Context(), sql)).Must(t)
	}
}

// missing renames a table until the test ends, so that statements on it fail.
func missing(table string) failure {
	return statement("ALTER TABLE bff_tenant_booking."+table+" RENAME TO removed", "ALTER TABLE bff_tenant_booking.removed RENAME TO "+table)
}

var (
	readOnly = failure(func(t *testing.T, g *tenantbookingtest.Guest) {
		t.Helper()
		setFeatures(t, g.System, `{"readOnly":true}`)
	})
	draftsBroken = missing("booking_drafts")
	anotherDraft = failure(func(_ *testing.T, g *tenantbookingtest.Guest) { g.Draft = id.New[id.Draft]() })
	hotelClosed  = failure(func(t *testing.T, g *tenantbookingtest.Guest) {
		change(func(g *tenantbookingtest.Guest) { g.Platform.Tenants[0].Status = "suspended" })(t, g)
		g.DB.Advance(6 * time.Minute) // beyond the cache of the tenant
	})
	draftAbandoned = failure(func(t *testing.T, g *tenantbookingtest.Guest) {
		t.Helper()
		g.Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
	})
	newDraft = failure(func(t *testing.T, g *tenantbookingtest.Guest) { t.Helper(); g.RequestQuote() })
	// confirming leaves the draft in the state confirming: the payment service first reports the capture, and then a decline.
	confirming = failure(func(t *testing.T, g *tenantbookingtest.Guest) {
		t.Helper()
		paidBut(http.StatusServiceUnavailable, "GENERAL.UNAVAILABLE")(t, g)
		g.Must(http.StatusServiceUnavailable, "POST", "/draft/"+g.Draft.String()+"/return", nil)
		declined := g.Intent
		g.Platform.Decline(declined, false)
		g.Platform.Unpay(declined)
	})
	booked = failure(func(t *testing.T, g *tenantbookingtest.Guest) {
		t.Helper()
		g.Platform.Pay(g.Intent, true)
		g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
	})
	handoffBroken = missing("handoff_arrival_log")
)

// A refusingRoute is a route of the booking flow, with the failure that leads to each of its errors.
type refusingRoute struct {
	route    string // below the base path
	prepare  func(*tenantbookingtest.Guest)
	send     func(*tenantbookingtest.Guest, *string) fntest.Answer // the string is a handoff's token
	failures map[string]failure                                    // by code
	tokens   map[string]func(*testing.T, *tenantbookingtest.Guest) string
}

func refusingRoutes() []refusingRoute {
	type guest = tenantbookingtest.Guest
	held := func(g *guest) { g.RequestQuote().Hold() }
	paying := func(method string) func(*guest) {
		return func(g *guest) { g.RequestQuote().Hold().SetGuest().Pay(method) }
	}
	onDraft := func(method, rest string, body any, headers ...string) func(*guest, *string) fntest.Answer {
		return func(g *guest, _ *string) fntest.Answer {
			return g.Send(method, "/draft/"+g.Draft.String()+rest, body, headers...)
		}
	}
	overHold := change(func(g *guest) { g.Platform.TooMuchHeld = true })
	stale := func(g *guest) []string {
		if g.Tenant.ConfigVersion < 0 {
			return []string{"X-Bootstrap-Version", "v0-other.none"}
		}
		return nil
	}
	outdated := failure(func(t *testing.T, g *guest) {
		change(func(g *guest) { g.Platform.Tenants[0].ConfigVersion = 2 })(t, g)
		g.DB.Advance(6 * time.Minute)
		g.Tenant.ConfigVersion = -1
	})
	handoff := map[string]failure{"GENERAL.INTERNAL": handoffBroken, "TENANT.SUSPENDED": hotelClosed}
	tokens := map[string]func(*testing.T, *guest) string{
		"BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID": func(_ *testing.T, g *guest) string { return g.Link(1).Reveal() },
		"BFF.CONSUMER.HANDOFF_EXPIRED": func(_ *testing.T, g *guest) string {
			token := g.Link(0).Reveal()
			g.DB.Advance(31 * time.Minute)
			return token
		},
		"BFF.CONSUMER.HANDOFF_REPLAYED": func(t *testing.T, g *guest) string {
			t.Helper()
			token := g.Link(0).Reveal()
			g.Guest(0).Must(http.StatusOK, "POST", "/handoff/consume", `{"token":"`+token+`"}`)
			return token
		},
	}
	return []refusingRoute{
		{
			route: "GET /bootstrap", failures: handoff, tokens: tokens,
			send: func(g *guest, token *string) fntest.Answer { return g.Send("GET", "/bootstrap?h="+*token, nil) },
		},
		{
			route: "POST /handoff/consume", failures: handoff, tokens: tokens,
			send: func(g *guest, token *string) fntest.Answer {
				return g.Send("POST", "/handoff/consume", `{"token":"`+*token+`"}`)
			},
		},
		{
			route: "POST /quote", prepare: func(g *guest) { g.RequestQuote() },
			send: func(g *guest, _ *string) fntest.Answer {
				return g.Send("POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`), stale(g)...)
			},
			failures: map[string]failure{
				"BFF.TENANT.READ_ONLY":       readOnly,
				"GENERAL.RESOURCE_NOT_FOUND": anotherDraft, "BFF.TENANT.DRAFT_CLOSED": draftAbandoned,
				"BFF.TENANT.ILLEGAL_STEP": func(t *testing.T, g *guest) { t.Helper(); g.Hold().SetGuest().Pay("card") }, "BFF.TENANT.BOOTSTRAP_STALE": outdated, "GENERAL.INTERNAL": draftsBroken,
				"BFF.UPSTREAM_UNAVAILABLE": without("reservation"), "TENANT.SUSPENDED": hotelClosed,
				"GENERAL.UNAVAILABLE": upstreamAnswers("/quotes", http.StatusConflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS"),
			},
		},
		{
			route: "POST /hold", prepare: func(g *guest) { g.RequestQuote() },
			send: func(g *guest, _ *string) fntest.Answer { return g.Send("POST", "/hold", g.HoldBody(), stale(g)...) },
			failures: map[string]failure{
				"BFF.TENANT.READ_ONLY":       readOnly,
				"GENERAL.RESOURCE_NOT_FOUND": anotherDraft, "BFF.TENANT.DRAFT_CLOSED": draftAbandoned, "GENERAL.INTERNAL": draftsBroken,
				"BFF.TENANT.ILLEGAL_STEP":         func(t *testing.T, g *guest) { t.Helper(); g.Hold().SetGuest().Pay("card") },
				"RESERVATION.OVERBOOKING_BLOCKED": change(func(g *guest) { g.Platform.SoldOut = true }),
				"BFF.TENANT.PRICE_CHANGED":        func(_ *testing.T, g *guest) { g.Quote = id.New[id.Quote]() },
				"RESERVATION.HOLD_EXPIRED":        upstreamAnswers("/holds", http.StatusGone, "RESERVATION.HOLD_EXPIRED"),
				"BFF.TENANT.QUOTE_EXPIRED":        after(16 * time.Minute),
				"BFF.TENANT.BOOTSTRAP_STALE":      outdated,
				"GENERAL.RATE_LIMITED":            overHold,
				"BFF.UPSTREAM_UNAVAILABLE":        without("reservation"), "TENANT.SUSPENDED": hotelClosed,
				"GENERAL.UNAVAILABLE": upstreamAnswers("/holds", http.StatusConflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS"),
			},
		},
		{
			route: "PATCH /draft/{draftId}", prepare: held,
			send: func(g *guest, _ *string) fntest.Answer {
				var match []string
				if g.Version != "" {
					match = []string{"If-Match", g.Version}
				}
				return g.Send("PATCH", "/draft/"+g.Draft.String(), tenantbookingtest.Zarghona, match...)
			},
			failures: map[string]failure{
				"GENERAL.RESOURCE_NOT_FOUND": anotherDraft, "BFF.TENANT.DRAFT_CLOSED": draftAbandoned, "GENERAL.INTERNAL": draftsBroken,
				"BFF.TENANT.ILLEGAL_STEP": newDraft, "RESERVATION.HOLD_EXPIRED": after(11 * time.Minute), "TENANT.SUSPENDED": hotelClosed,
				"GENERAL.VERSION_CONFLICT": func(_ *testing.T, g *guest) { g.Version = `"99"` },
			},
		},
		{
			route: "DELETE /draft/{draftId}", prepare: paying("card"), send: onDraft("DELETE", "", nil),
			failures: map[string]failure{
				"GENERAL.RESOURCE_NOT_FOUND": anotherDraft, "BFF.TENANT.DRAFT_CLOSED": booked, "GENERAL.INTERNAL": draftsBroken,
				"BFF.TENANT.ILLEGAL_STEP": confirming, "RESERVATION.HOLD_EXPIRED": paidBut(http.StatusGone, "RESERVATION.HOLD_EXPIRED"),
				"BFF.UPSTREAM_UNAVAILABLE": without("payment"),
				"GENERAL.UNAVAILABLE":      paidBut(http.StatusConflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS"),
			},
		},
		{
			route: "POST /draft/{draftId}/payment-intent", prepare: paying("card"),
			send: func(g *guest, _ *string) fntest.Answer {
				method := "card"
				if g.Intent.IsZero() {
					method = "paypal"
				}
				return g.Send("POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"`+method+`"}`)
			},
			failures: map[string]failure{
				"BFF.TENANT.READ_ONLY":          readOnly,
				"TENANT.PAYMENT_NOT_CONFIGURED": func(_ *testing.T, g *guest) { g.Intent = id.Intent{} },
				"GENERAL.RESOURCE_NOT_FOUND":    anotherDraft, "BFF.TENANT.DRAFT_CLOSED": draftAbandoned, "GENERAL.INTERNAL": draftsBroken,
				"BFF.TENANT.ILLEGAL_STEP": newDraft, "RESERVATION.HOLD_EXPIRED": after(11 * time.Minute), "TENANT.SUSPENDED": hotelClosed,
				"RESERVATION.OVERBOOKING_BLOCKED": paidBut(http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED"),
				"RESERVATION.ILLEGAL_TRANSITION":  paidBut(http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION"),
				"BFF.UPSTREAM_UNAVAILABLE":        without("payment"),
				"GENERAL.UNAVAILABLE":             upstreamAnswers("/intents", http.StatusConflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS"),
			},
		},
		{
			route: "POST /draft/{draftId}/return", prepare: paying("card"), send: onDraft("POST", "/return", nil),
			failures: map[string]failure{
				"PAYMENT.DECLINED":           func(_ *testing.T, g *guest) { g.Platform.Decline(g.Intent, false) },
				"GENERAL.RESOURCE_NOT_FOUND": anotherDraft, "BFF.TENANT.DRAFT_CLOSED": draftAbandoned, "GENERAL.INTERNAL": draftsBroken,
				"BFF.TENANT.ILLEGAL_STEP": newDraft, "RESERVATION.HOLD_EXPIRED": paidBut(http.StatusGone, "RESERVATION.HOLD_EXPIRED"),
				"RESERVATION.OVERBOOKING_BLOCKED": paidBut(http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED"),
				"RESERVATION.ILLEGAL_TRANSITION":  paidBut(http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION"),
				"PAYMENT.NOT_CAPTURED":            paidBut(http.StatusConflict, "PAYMENT.NOT_CAPTURED"),
				"BFF.UPSTREAM_UNAVAILABLE":        without("payment"),
				"GENERAL.UNAVAILABLE":             paidBut(http.StatusConflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS"),
			},
		},
		{
			route: "POST /draft/{draftId}/confirm", prepare: paying("cash_on_arrival"), send: onDraft("POST", "/confirm", nil),
			failures: map[string]failure{
				"GENERAL.RESOURCE_NOT_FOUND": anotherDraft, "BFF.TENANT.DRAFT_CLOSED": draftAbandoned, "GENERAL.INTERNAL": draftsBroken,
				"BFF.TENANT.ILLEGAL_STEP": newDraft, "RESERVATION.HOLD_EXPIRED": after(11 * time.Minute),
				"RESERVATION.OVERBOOKING_BLOCKED": upstreamAnswers("/confirm", http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED"),
				"RESERVATION.ILLEGAL_TRANSITION":  upstreamAnswers("/confirm", http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION"),
				"PAYMENT.NOT_CAPTURED":            upstreamAnswers("/confirm", http.StatusConflict, "PAYMENT.NOT_CAPTURED"),
				"BFF.UPSTREAM_UNAVAILABLE":        without("reservation"),
				"GENERAL.UNAVAILABLE":             upstreamAnswers("/confirm", http.StatusConflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS"),
			},
		},
	}
}

// TestRefusals_everyCodePublished causes each error that the OpenAPI document lists for a route of the booking flow. Each must be
// published once. A new code in the document needs a row in refusingRoutes.
func TestRefusals_everyCodePublished(t *testing.T) {
	t.Parallel()
	document, err := openapitest.Open("tenantbooking", false)
	check.Must(t, err)
	for _, r := range refusingRoutes() {
		method, path, _ := strings.Cut(r.route, " ")
		documented := codesOf(document, method+" "+tenantbooking.Base+path)
		check.NotEqual(t, len(documented), 0, "%s: the document lists no codes", r.route)
		for _, code := range documented {
			if unpublished[code] != "" {
				continue
			}
			t.Run(r.route+" "+code, func(t *testing.T) {
				t.Parallel()
				r.check(t, code)
			})
		}
	}
}

// codesOf returns the codes in the descriptions of an operation's errors.
func codesOf(d *openapitest.Document, route string) (codes []string) {
	responses, _ := d.At(openapitest.Operation(route), "responses")
	statuses, _ := responses.(map[string]any)
	for status := range statuses {
		response, _ := d.At(openapitest.Operation(route), "responses", status)
		description, _ := openapitest.Member(response, "description").(string)
		if status >= "400" {
			codes = append(codes, regexp.MustCompile(`\b(?:[A-Z]+\.)+[A-Z_]+`).FindAllString(description, -1)...)
		}
	}
	slices.Sort(codes)
	return codes
}

func (r refusingRoute) check(t *testing.T, code string) {
	t.Helper()
	provoke, token := r.failures[code], r.tokens[code]
	if provoke == nil && token == nil {
		check.MustEqual(t, slices.Contains(unpublishedOn[code], r.route), true, "refusingRoutes has no row for this code")
		return
	}
	system, _ := tenantbookingtest.BuildWithHotels(t, append(funnel(), bootstrap.Function, consumehandoff.Function)...)
	g := system.Guest(0)
	if r.prepare != nil {
		r.prepare(g)
	}
	sent := g.Link(0).Reveal()
	if token != nil {
		sent = token(t, g)
	} else {
		provoke(t, g)
	}
	before := publishedErrors(t, g)
	check.Equal(t, r.send(g, &sent).Code(), code)
	codes := publishedErrors(t, g)[len(before):]
	check.Equal(t, codes, []string{"MELMASTOON." + code}, "published")
}

// publishedErrors returns the codes of the published errors.
func publishedErrors(t *testing.T, g *tenantbookingtest.Guest) (codes []string) {
	t.Helper()
	err := g.DB.Owner(t).QueryRow(t.Context(), `
		SELECT coalesce(array_agg(payload ->> 'errorCode' ORDER BY seq), '{}') FROM bff_tenant_booking.outbox
		WHERE subject LIKE '%error_encountered%' AND parked_reason IS NULL`).Scan(&codes)
	check.Must(t, err)
	return codes
}

// TestRefusals_firstQuote rejects a quote before the draft exists.
func TestRefusals_firstQuote(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0)
	without("reservation")(t, g)
	g.Send("POST", "/quote", g.QuoteBody()).WantProblem(t, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE")
	var session, upstream string
	var hasDraft bool
	err := g.DB.Owner(t).QueryRow(t.Context(), `
		SELECT payload ->> 'sessionId', payload ->> 'upstream', payload ? 'draftId' FROM bff_tenant_booking.outbox`).Scan(&session, &upstream, &hasDraft)
	check.Must(t, err)
	check.Equal(t, session, g.Session.ID.String(), "published the session")
	check.Equal(t, upstream, "reservation-service", "published the upstream")
	check.Equal(t, hasDraft, false, "published a draftId")
}

// TestRefusals_malformed sends malformed input, for which no event is published.
func TestRefusals_malformed(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote()
	for _, body := range []string{`{`, `{}`, g.QuoteBody(`,"unknown":1`)} {
		t.Run(body, func(t *testing.T) {
			g.Send("POST", "/quote", body).Want(t, http.StatusBadRequest)
		})
	}
	if codes := publishedErrors(t, g); len(codes) > 0 {
		t.Errorf("published %v, want none", codes)
	}
}

// TestRefusals_repeated causes the same error three times. Only the first one writes the draft, and its ETag does not change.
func TestRefusals_repeated(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	tag := g.Must(http.StatusOK, "GET", path, nil).Header.Get("Etag")
	version := func() (n int) {
		t.Helper()
		check.Must(t, g.DB.Owner(t).QueryRow(t.Context(), `SELECT version FROM bff_tenant_booking.booking_drafts`).Scan(&n))
		return n
	}
	before := version()
	for range 3 {
		g.Send("POST", path+"/payment-intent", `{"method":"card"}`).WantProblem(t, http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP")
	}
	check.Equal(t, len(publishedErrors(t, g)), 3)
	check.Equal(t, version(), before+1, "version of the draft")
	g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona, "If-Match", tag)
}
