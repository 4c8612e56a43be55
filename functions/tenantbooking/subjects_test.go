package tenantbooking_test

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/consumehandoff"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A publishedRow is the row of one subject in the event specification.
type publishedRow struct {
	subject  string // without melmastoon.bff.tenant. and .v1
	class    string
	period   string        // ISO 8601
	debounce time.Duration // repeated acts within it publish one event; 0 publishes each
	oneIn    int           // 0 publishes all
	always   bool          // no flag changes the rate
	byDraft  bool          // ordered by draft; otherwise by session
	required string
	optional string // members that some events of the subject do not have, and additive ones
	prepare  func(*tenantbookingtest.Guest)
	act      func(*tenantbookingtest.Guest)
}

func publishedRows() []publishedRow {
	type guest = tenantbookingtest.Guest
	cash := func(g *guest) {
		g.RequestQuote().Hold().SetGuest().Pay("cash_on_arrival").Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil)
	}
	choose := func(member string, values ...string) func(*guest) {
		return func(g *guest) {
			slices.Reverse(values)
			g.Must(http.StatusOK, "PATCH", "/session", `{"`+member+`":"`+values[0]+`"}`)
		}
	}
	return []publishedRow{
		{subject: "bootstrap.served", class: "operational", period: "P90D", debounce: 5 * time.Minute,
			required: "cache currency fanoutLatencyMs locale sessionId tenantConfigVersion tenantId tenantSlug themeVersion",
			optional: "handoffArrivalId handoffId",
			act:      func(g *guest) { g.Must(http.StatusOK, "GET", "/bootstrap", nil) }},
		{subject: "handoff.consumed", class: "audit", period: "P1Y", always: true,
			required: "consumedAt consumerSessionId elapsedMs handoffArrivalId hmacSignatureFingerprint mintedAt propertyId tenantId",
			optional: "campaign handoffId",
			act: func(g *guest) {
				g.Must(http.StatusOK, "POST", "/handoff/consume", `{"token":"`+g.Link(0).Reveal()+`"}`)
			}},
		{subject: "booking.draft.created", class: "regulated", period: "P3Y", always: true, byDraft: true,
			required: "deviceClass draftId holdExpiresAt occupancy propertyId ratePlanId reservationId roomTypeId sessionId stayWindow tenantId totalDisplay",
			optional: "handoffArrivalId promoCode",
			act:      func(g *guest) { g.RequestQuote().Hold() }},
		{subject: "booking.draft.abandoned", class: "regulated", period: "P3Y", always: true, byDraft: true,
			required: "abandonedAt createdAt draftId errorTrail lastActivityAt lastFlowState sessionId tenantId",
			optional: "guestEmailHash guestNameInitialsHash propertyId roomTypeId totalDisplayPotential",
			act: func(g *guest) {
				g.RequestQuote().Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
			}},
		{subject: "booking.draft.converted", class: "regulated", period: "P7Y", always: true, byDraft: true,
			required: "convertedAt createdAt deviceClass draftId elapsedMs paymentMethod paymentProvider propertyId ratePlanId reservationId " +
				"roomTypeId sessionId tenantId totalCapturedCurrency totalCapturedMinor",
			optional: "guestNameInitialsHash handoffArrivalId marketingAttribution totalMinor",
			act:      cash},
		{subject: "payment_intent.created", class: "regulated", period: "P7Y", always: true, byDraft: true,
			required: "amountMinor createdAt currency draftId intentId method provider redirectFlow tenantId",
			act:      func(g *guest) { g.RequestQuote().Hold().SetGuest().Pay("card") }},
		{subject: "confirmation.viewed", class: "operational", period: "P90D", debounce: 24 * time.Hour, always: true,
			required: "cache deviceClass elapsedFromConfirmMs locale reservationId sessionId tenantId viewedAt",
			prepare:  cash,
			act:      func(g *guest) { g.Must(http.StatusOK, "GET", "/confirmation/"+g.Stay.String(), nil) }},
		{subject: "flow.step_completed", class: "operational", period: "P30D", oneIn: 4, byDraft: true,
			required: "completedAt draftId fromState sessionId stepLatencyMs tenantId toState",
			prepare:  everyStep,
			act:      func(g *guest) { g.RequestQuote().Hold() }},
		{subject: "flow.error_encountered", class: "operational", period: "P90D", always: true, byDraft: true,
			required: "errorCode occurredAt retryAfterSec sessionId tenantId userActionable",
			optional: "atState draftId fingerprintHash handoffId ipHash upstream",
			act: func(g *guest) {
				g.RequestQuote().Must(http.StatusConflict, "POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"card"}`)
			}},
		{subject: "locale.changed", class: "operational", period: "P90D", always: true,
			required: "changedAt from isRtlChange sessionId tenantId to",
			act:      choose("locale", "fa-AF", "en")},
		{subject: "currency.changed", class: "operational", period: "P90D", always: true,
			required: "changedAt from sessionId tenantId to",
			optional: "draftId",
			act:      choose("currency", "AFN", "USD")},
	}
}

// everyStep raises the rate of step_completed to one.
func everyStep(g *tenantbookingtest.Guest) {
	kept := document.Open[flags.Document](g.Env, tenantbooking.FlagsIn)
	_, _ = kept.Put(context.Background(), flags.Key, flags.Document{Sampling: []byte(`{"melmastoon.bff.tenant.flow.step_completed.v1":1}`)}, 1, g.Env.Now().AddDate(1, 0, 0))
	g.DB.Advance(time.Minute)
}

// TestPublished_specification compares schemas, catalogue, sampling and published events with the event specification.
func TestPublished_specification(t *testing.T) {
	t.Parallel()
	kept := readCatalogue(t)
	rows := publishedRows()
	check.Equal(t, len(tenantbooking.Sampling), len(rows), "the service declares subjects")
	for _, row := range rows {
		t.Run(row.subject, func(t *testing.T) {
			t.Parallel()
			name := "melmastoon.bff.tenant." + row.subject + ".v1"
			check.Equal(t, tenantbooking.Sampling[name], flags.Rule{OneIn: row.oneIn, Always: row.always})
			want := retention{Class: row.class, Period: row.period}
			check.Equal(t, kept[name].Retention, want, "terraform/catalogue.json: retention")
			row.checkSchema(t, name, want)
			row.checkEvents(t, name)
		})
	}
}

type retention struct {
	Class  string `json:"class"`
	Period string `json:"period"`
}

// readCatalogue returns the subjects of the published catalogue.
func readCatalogue(t *testing.T) map[string]struct {
	Retention retention `json:"retention"`
} {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "terraform", "catalogue.json"))
	check.Must(t, err)
	var catalogue struct {
		Subjects map[string]struct {
			Retention retention `json:"retention"`
		} `json:"subjects"`
	}
	check.Must(t, json.Unmarshal(text, &catalogue))
	return catalogue.Subjects
}

func (row publishedRow) checkSchema(t *testing.T, name string, want retention) {
	t.Helper()
	text, err := fs.ReadFile(eventschemas.Files, name+".json")
	check.Must(t, err)
	var schema struct {
		Retention  retention      `json:"x-retention"`
		Required   []string       `json:"required"`
		Properties map[string]any `json:"properties"`
	}
	check.Must(t, json.Unmarshal(text, &schema))
	check.Equal(t, schema.Retention, want)
	check.Equal(t, sorted(schema.Required), row.required, "required members:\n")
	var members []string
	for member := range schema.Properties {
		members = append(members, member)
	}
	check.Equal(t, sorted(members), sorted(strings.Fields(row.required+" "+row.optional)), "members:\n")
}

func sorted(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), " ") }

// checkEvents performs the act twice, and once more after the debounce interval.
func (row publishedRow) checkEvents(t *testing.T, name string) {
	t.Helper()
	system, _ := tenantbookingtest.BuildWithHotels(t, append(funnel(), bootstrap.Function, changesession.Function, consumehandoff.Function)...)
	g := system.Guest(0)
	if row.prepare != nil {
		row.prepare(g)
	}
	row.act(g)
	row.act(g)
	want := 2
	if row.debounce > 0 {
		want = 1
	}
	tenantbookingtest.WantEvents(t, g.DB, row.subject, want)
	var class, key, draft, session string
	err := g.DB.Owner(t).QueryRow(t.Context(), `
		SELECT envelope ->> 'retentionClass', ordering_key, coalesce(payload ->> 'draftId', ''), envelope ->> 'sessionId'
		FROM bff_tenant_booking.outbox WHERE subject = @subject ORDER BY seq LIMIT 1`, pgx.StrictNamedArgs{"subject": name}).Scan(&class, &key, &draft, &session)
	check.Must(t, err)
	check.Equal(t, class, row.class, "retention class of the envelope")
	about := session
	if row.byDraft {
		about = draft
	}
	check.Equal(t, key, g.Tenant.ID.String()+":"+about, "the ordering key")
	if row.debounce > 0 {
		g.DB.Advance(row.debounce + time.Second)
		row.act(g)
		tenantbookingtest.WantEvents(t, g.DB, row.subject, 2)
	}
}
