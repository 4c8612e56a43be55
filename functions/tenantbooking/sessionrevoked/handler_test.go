package sessionrevoked

import (
	"context"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// revocations records the tenants whose sessions were revoked.
type revocations []id.Tenant

func (r *revocations) Revoke(_ context.Context, t id.Tenant, _ id.TenantSession, _ time.Time) error {
	*r = append(*r, t)
	return nil
}

func TestHandle_tenant(t *testing.T) {
	t.Parallel()
	tenant, session := id.New[id.Tenant](), id.New[id.TenantSession]().String()
	for _, test := range []struct {
		name              string
		session           string
		envelope, payload *id.Tenant
		revoked, rejected bool
	}{
		{"both", session, &tenant, &tenant, true, false},
		{"envelope", session, &tenant, nil, true, false},
		{"payload", session, nil, &tenant, true, false},
		{"none", session, nil, nil, false, true},
		{"other_service", "ses_01J8KABG000000000000000SSN", nil, nil, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var done revocations
			err := (&handler{&done}).handle(t.Context(), event.Event[Revoked]{
				Payload: Revoked{Session: test.session, Tenant: test.payload}, Delivery: event.Delivery{Tenant: test.envelope}})
			if rejected := err != nil && strings.HasPrefix(err.Error(), "parked: "); rejected != test.rejected || err != nil && !rejected {
				t.Errorf("handle() error = %v, want a dead letter: %t", err, test.rejected)
			}
			check.Equal(t, len(done) == 1 && done[0] == tenant, test.revoked, "revoked of %v", done)
		})
	}
}
