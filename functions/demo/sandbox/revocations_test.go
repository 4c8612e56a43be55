package sandbox_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/shared/id"
)

func TestRevoke_publishes(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	session := id.New[id.TenantSession]().String()
	path := "/sandbox/iam/v1/sessions/" + session + "/revoke"
	if a := f.Post(path, body{"tenantId": kabul.Tenant, "reason": "signed-out-everywhere"}); a.Status != http.StatusOK {
		t.Fatalf("answered %d %s", a.Status, a.Body)
	}
	if a := f.Post("/sandbox/iam/v1/sessions/ses_01J8KABG000000000000000SSN/revoke", body{"userId": "usr_01J8KABG000000000000000SSN", "reason": "left"}); a.Status != http.StatusOK {
		t.Errorf("a session of no hotel: %d %s", a.Status, a.Body)
	}
	var ofHotel, withoutTenant int
	err := b.owner.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE tenant_id = $1 AND payload ->> 'sessionId' = $2 AND NOT jsonb_exists(payload, 'userId')),
			count(*) FILTER (WHERE tenant_id IS NULL AND NOT jsonb_exists(payload, 'tenantId') AND payload ->> 'userId' LIKE 'usr_%')
		FROM sandbox.outbox WHERE subject = 'melmastoon.iam.session.revoked.v1' AND parked_reason IS NULL`, kabul.Tenant, session).Scan(&ofHotel, &withoutTenant)
	if err != nil {
		t.Fatal(err)
	}
	if ofHotel != 1 {
		t.Errorf("ofHotel = %d, want 1", ofHotel)
	}
	if withoutTenant != 1 {
		t.Errorf("withoutTenant = %d, want 1", withoutTenant)
	}
	for name, bad := range map[string]struct {
		path string
		in   body
		want int
	}{
		"without a tenant":   {path, body{"reason": "left"}, http.StatusBadRequest},
		"without a reason":   {path, body{"reason": ""}, http.StatusBadRequest},
		"of no session":      {"/sandbox/iam/v1/sessions/somebody/revoke", body{"reason": "left"}, http.StatusNotFound},
		"of a user's e-mail": {path, body{"reason": "left", "userId": "z@example.com"}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			if a := f.Post(bad.path, bad.in); a.Status != bad.want {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
}
