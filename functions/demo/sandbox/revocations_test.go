package sandbox_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestRevoke_publishes(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	session := id.New[id.TenantSession]().String()
	path := "/sandbox/iam/v1/sessions/" + session + "/revoke"
	f.Post(path, body{"tenantId": kabul.Tenant, "reason": "signed-out-everywhere"}).Must(t, http.StatusOK)
	f.Post("/sandbox/iam/v1/sessions/ses_01J8KABG000000000000000SSN/revoke", body{"userId": "usr_01J8KABG000000000000000SSN", "reason": "left"}).Want(t, http.StatusOK)
	var ofHotel, withoutTenant int
	err := b.owner.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE tenant_id = $1 AND payload ->> 'sessionId' = $2 AND NOT jsonb_exists(payload, 'userId')),
			count(*) FILTER (WHERE tenant_id IS NULL AND NOT jsonb_exists(payload, 'tenantId') AND payload ->> 'userId' LIKE 'usr_%')
		FROM sandbox.outbox WHERE subject = 'melmastoon.iam.session.revoked.v1' AND parked_reason IS NULL`, kabul.Tenant, session).Scan(&ofHotel, &withoutTenant)
	check.Must(t, err)
	check.Equal(t, ofHotel, 1)
	check.Equal(t, withoutTenant, 1)
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
			f.Post(bad.path, bad.in).Want(t, bad.want)
		})
	}
}
