package tenantbooking_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// draftOfArrival returns the ledger's draft of the guest's arrival.
func draftOfArrival(t *testing.T, g *tenantbookingtest.Guest) (draft string) {
	t.Helper()
	err := g.DB.Owner(t).QueryRow(t.Context(), `SELECT coalesce(booking_draft_id, '') FROM bff_tenant_booking.handoff_arrival_log WHERE tenant_id = $1 AND session_id = $2`,
		g.Tenant.ID, g.Session.ID).Scan(&draft)
	check.Must(t, err)
	return draft
}

func TestQuote_namesDraftOfArrival(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	arrive := func(n int) *tenantbookingtest.Guest {
		g := system.Guest(n)
		g.Must(http.StatusOK, "GET", "/bootstrap?h="+system.Link(n).Reveal(), nil)
		return g
	}
	g, other, foreign := arrive(0), arrive(0), arrive(1)
	system.Guest(0).RequestQuote() // without a handoff
	check.Equal(t, draftOfArrival(t, g), "", "draft in the ledger before the quote")
	first := g.RequestQuote().Draft
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+first.String()+`"`))
	check.MustNotEqual(t, g.RequestQuote().Draft, first, "a quote without a draft continued")
	g.Hold().SetGuest() // the arrival moves to the session's new id
	for _, test := range []struct {
		name string
		g    *tenantbookingtest.Guest
		want string
	}{{"the session's first draft", g, first.String()}, {"another session's arrival", other, ""}, {"another hotel's arrival", foreign, ""}} {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, draftOfArrival(t, test.g), test.want, "draft in the ledger")
		})
	}
}

// Every response of a session has Content-Language, including responses without text.
func TestContentLanguage(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0)
	step := func(status int, method, path string, body any) {
		t.Helper()
		a := g.Must(status, method, path, body, "Accept-Language", "en")
		check.Equal(t, a.Header.Get("Content-Language"), "fa-AF", "%s %s: Content-Language", method, path)
	}
	g.Must(http.StatusOK, "PATCH", "/session", `{"locale":"fa-AF"}`)
	step(http.StatusOK, "PATCH", "/session", `{"currency":"AFN"}`)
	step(http.StatusOK, "GET", "/bootstrap", nil)
	step(http.StatusCreated, "POST", "/quote", g.QuoteBody())
	draft := "/draft/" + g.Draft.String()
	step(http.StatusCreated, "POST", "/hold", g.HoldBody())
	step(http.StatusOK, "PATCH", draft, tenantbookingtest.Zarghona)
	step(http.StatusOK, "GET", draft, nil)
	step(http.StatusCreated, "POST", draft+"/payment-intent", `{"method":"card"}`)
	step(http.StatusAccepted, "POST", draft+"/return", nil)
	g.Platform.Pay(g.Intent, false)
	step(http.StatusOK, "POST", draft+"/return", nil)
	step(http.StatusOK, "GET", "/confirmation/"+g.Stay.String(), nil)
	g.RequestQuote()
	step(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
	a := g.Send("GET", "/draft/"+id.New[id.Draft]().String(), nil, "Accept-Language", "en")
	if got := a.Header.Get("Content-Language"); a.Status != http.StatusNotFound || got == "" {
		t.Errorf("a problem: got %d with Content-Language %q, want 404 with a language", a.Status, got)
	}
}

// Tables, indexes and policies as the specification names them.
func TestSchema_specifiedNames(t *testing.T) {
	t.Parallel()
	db := tenantbookingtest.Build(t).DB
	for name, sql := range map[string]string{
		"outbox.tenant_id is NOT NULL": `SELECT attnotnull FROM pg_attribute WHERE attrelid = 'bff_tenant_booking.outbox'::regclass AND attname = 'tenant_id'`,
		"ix_idempotency_tenant_expires": `SELECT indexdef LIKE '%(tenant_id, expires_at)' FROM pg_indexes
			WHERE schemaname = 'bff_tenant_booking' AND tablename = 'idempotency' AND indexname = 'ix_idempotency_tenant_expires'`,
		"policy of snapshots": `SELECT count(*) FILTER (WHERE policyname = 'booking_draft_snapshots_tenant_isolation') = 1 AND count(*) FILTER (WHERE policyname = 'tenant_isolation') = 0
			FROM pg_policies WHERE schemaname = 'bff_tenant_booking' AND tablename = 'booking_draft_snapshots'`,
		"policy of arrivals": `SELECT count(*) FILTER (WHERE policyname = 'handoff_arrival_log_tenant_isolation') = 1 AND count(*) FILTER (WHERE policyname = 'tenant_isolation') = 0
			FROM pg_policies WHERE schemaname = 'bff_tenant_booking' AND tablename = 'handoff_arrival_log'`,
	} {
		t.Run(name, func(t *testing.T) {
			var ok bool
			if err := db.Owner(t).QueryRow(t.Context(), sql).Scan(&ok); err != nil || !ok {
				t.Errorf("got %t, %v, want true", ok, err)
			}
		})
	}
}
