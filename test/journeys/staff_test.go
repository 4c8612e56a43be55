package journeys

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// staffToken returns a token of Kabul's front desk from the running sandbox.
func staffToken(t *testing.T, s *system.System) string {
	t.Helper()
	var out struct{ Token string }
	s.Must(http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/staff-tokens", Body: map[string]any{
		"tenantId": demo.KabulGrand.Tenant, "propertyIds": []any{demo.KabulGrand.Property}, "roles": []string{"front_desk"}, "subject": "usr_desk",
	}}).Into(t, &out)
	return out.Token
}

// The keys of staff tokens are rotated while the reservation functions run. They accept tokens of the new key and of the old one.
func TestStaff_keysRotate(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	arrivals := func(token string) int {
		t.Helper()
		got, err := s.Do(t.Context(), system.Request{Method: http.MethodGet, Token: token,
			Path:   "/api/v1/reservations?arrivals=" + demo.KabulGrand.Property.String() + "&date=" + s.Env().Now().Format(time.DateOnly),
			Header: map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}})
		check.Must(t, err)
		return got.Status
	}
	old := staffToken(t, s)
	if got := arrivals(old); got != http.StatusOK {
		t.Fatalf("the first token: status = %d, want 200", got)
	}
	s.Must(http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/keys"})
	check.Equal(t, arrivals(staffToken(t, s)), http.StatusOK, "a token of the new key")
	check.Equal(t, arrivals(old), http.StatusOK, "the token of the old key")
	check.Equal(t, arrivals("x"+old), http.StatusUnauthorized, "a token with a broken signature")
	s.Advance(9 * time.Hour)
	check.Equal(t, arrivals(old), http.StatusUnauthorized, "after the shift")
}
