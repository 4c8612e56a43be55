package faults

import (
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestSiteChanges_newTerms changes what a hotel has decided while a guest has its page open.
func TestSiteChanges_newTerms(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Browser().At(demo.KabulGrand)
	seen := func() map[string]string {
		a := v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
		return map[string]string{"X-Bootstrap-Version": a.Header.Get("X-Bootstrap-Version")}
	}
	ask := func(from map[string]string, key string) system.Answer {
		t.Helper()
		a, err := v.Go(t.Context(), system.Request{Method: http.MethodPost, Path: "/quote", Body: v.QuoteBody(system.Usual()), Header: from, Key: key})
		check.Must(t, err)
		return a
	}
	before := seen()
	if a := ask(before, system.Key()); a.Status != http.StatusCreated {
		t.Fatalf("asked from %v: %d %s", before, a.Status, a.Body)
	}
	s.Must(http.StatusOK, system.Request{Method: http.MethodPatch, Path: "/sandbox/tenant/v1/tenants/" + v.Hotel.Tenant.String() + "/config",
		Body: map[string]any{"paymentMethods": []string{"card", "cash_on_arrival"}}})
	s.Quiet()
	key := system.Key()
	ask(before, key).WantProblem(t, http.StatusGone, "BFF.TENANT.BOOTSTRAP_STALE")
	ask(nil, system.Key()).Want(t, http.StatusCreated)
	ask(seen(), key).Want(t, http.StatusCreated)
}

// TestSiteChanges_revokedSession books before and after the platform has revoked the session.
func TestSiteChanges_revokedSession(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Browser()
	b.Headers = map[string]string{"X-Campaign-Source": "letter"}
	v := b.At(demo.KabulGrand)
	v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	b.Headers = nil
	first := v.RequestQuote(system.Usual()).Hold().DraftID
	s.Must(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/sessions/" + v.Session() + "/revoke",
		Body: map[string]any{"tenantId": v.Hotel.Tenant, "reason": "signed-out-everywhere"}})
	s.Quiet()
	v.Refused(http.StatusUnauthorized, "GENERAL.UNAUTHENTICATED", http.MethodPost, "/quote", v.QuoteBody(system.Usual()))
	v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil) // the guest goes on in a new session
	v.DraftID = ""
	second := v.RequestQuote(system.Usual()).Hold().DraftID
	brought := map[any]any{}
	for _, e := range s.Published(t.Context()) {
		if e.Subject == "melmastoon.bff.tenant.booking.draft.created.v1" {
			brought[e.Payload["draftId"]] = e.Envelope["marketingAttribution"]
		}
	}
	if was, ok := brought[first].(map[string]any); !ok || was["source"] != "letter" {
		t.Errorf("before, the guest was brought by %v", brought[first])
	}
	if is, known := brought[second]; !known || is != nil {
		t.Errorf("caused by %v, published %v", is, known)
	}
	if subjects := s.Published(t.Context()); !slices.ContainsFunc(subjects, func(e system.Events) bool {
		return e.Subject == "melmastoon.iam.session.revoked.v1" && e.Status == "published"
	}) {
		t.Error("no event says that the session is revoked")
	}
	s.Settle()
}
