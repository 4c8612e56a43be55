package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/readlink"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func linkPath(t id.Tenant, r id.Reservation) string {
	return "/internal/tenant-booking/v1/tenants/" + t.String() + "/confirmations/" + r.String() + "/link"
}

// TestReadLink_opensConfirmation follows the link that a notification service gets, in a browser without a session.
func TestReadLink_opensConfirmation(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, append(funnel(), readlink.Function)...)
	g := s.Guest(0).RequestQuote().Hold()
	g.Must(http.StatusOK, "PATCH", "/draft/"+g.Draft.String(), strings.Replace(tenantbookingtest.Zarghona, `{"firstName"`, `{"locale":"ps-AF","firstName"`, 1))
	g.Pay("cash_on_arrival").Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil)
	var link booking.Link
	a := s.Front.Get(linkPath(g.Tenant.ID, g.Stay))
	a.Want(t, http.StatusOK, "Cache-Control", "no-store")
	a.Into(t, &link)
	check.Equal(t, link.URL, "https://kabul-grand.localhost/confirmations/"+g.Stay.String()+"?t="+link.Token)
	check.Equal(t, link.Locale, "ps-AF")
	s.Front.As("").Get(g.Path("/confirmation/"+g.Stay.String()+"?t="+link.Token)).Want(t, http.StatusOK)
	s.DB.Advance(link.ExpiresAt.Sub(s.Env.Now()) + time.Second)
	s.Front = fntest.Behind(t, s.Env, s.Front.Issuer(), append(funnel(), readlink.Function)...)
	s.Front.As("").Get(g.Path("/confirmation/"+g.Stay.String()+"?t="+link.Token)).Want(t, http.StatusNotFound)
}

func TestReadLink_refused(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, append(funnel(), readlink.Function)...)
	g, _, _ := bookByCard(t, s)
	held := s.Guest(0).RequestQuote().Hold()
	for _, test := range []struct {
		name, path string
		as         *fntest.Front
		status     int
		code       string
	}{
		{"guest", linkPath(g.Tenant.ID, g.Stay), s.Front.As(""), http.StatusUnauthorized, "GENERAL.UNAUTHENTICATED"},
		{"other_tenant", linkPath(s.Platform.Tenants[1].ID, g.Stay), s.Front, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND"},
		{"unknown_tenant", linkPath(id.New[id.Tenant](), g.Stay), s.Front, http.StatusNotFound, "TENANT.UNKNOWN"},
		{"held_only", linkPath(g.Tenant.ID, held.Stay), s.Front, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND"},
		{"unknown", linkPath(g.Tenant.ID, id.New[id.Reservation]()), s.Front, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.as.Get(test.path).WantProblem(t, test.status, test.code)
		})
	}
}
