package reservation

import (
	"cmp"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
)

func TestMiddleware_principal(t *testing.T) {
	t.Parallel()
	tenant, other, property := id.New[id.Tenant](), id.New[id.Tenant](), id.New[id.Property]()
	service := identity.Identity{Subject: "1", Email: "bff@melmastoon.local"}
	staff := identity.Identity{Subject: "usr_1", Staff: true, Tenant: &tenant, Properties: []id.Property{property}, Roles: []string{access.FrontDesk}}
	nobody := identity.Identity{Subject: "usr_2", Staff: true, Tenant: &tenant, Roles: []string{access.Manager}}
	cleaner := identity.Identity{Subject: "usr_3", Staff: true, Tenant: &tenant, Properties: []id.Property{property}, Roles: []string{"housekeeping"}}
	plain := identity.Identity{Subject: "usr_4", Staff: true, Tenant: &tenant, Properties: []id.Property{property}}
	mailed := identity.Identity{Subject: "desk@example.com", Staff: true, Tenant: &tenant, Roles: []string{access.FrontDesk}}
	for _, test := range []struct {
		name   string
		header string
		who    identity.Identity
		want   error
		actor  access.Actor
		sees   []bool // the property, another one
	}{
		{"service for any tenant", tenant.String(), service, nil, access.Actor{Type: access.System, ID: "bff"}, []bool{true, true}},
		{"staff for their tenant and properties", tenant.String(), staff, nil, access.Actor{Type: access.Staff, ID: "usr_1"}, []bool{true, false}},
		{"staff without a property", tenant.String(), nobody, nil, access.Actor{Type: access.Staff, ID: "usr_2"}, []bool{false, false}},
		{"staff with an e-mail address as subject", tenant.String(), mailed, nil, access.Actor{Type: access.Staff, ID: "[email]"}, []bool{false, false}},
		{"staff of another tenant", other.String(), staff, booking.ErrNotFound, access.Actor{}, nil},
		{"staff without a role", tenant.String(), plain, fault.ErrForbidden, access.Actor{}, nil},
		{"staff with another role", tenant.String(), cleaner, fault.ErrForbidden, access.Actor{}, nil},
		{"no tenant", "", service, fault.ErrValidation, access.Actor{}, nil},
		{"tenant by its slug", "kabul-grand-hotel", staff, fault.ErrValidation, access.Actor{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("X-Tenant-Id", test.header)
			v, scope, err := enter(r, test.who)
			if !errors.Is(err, test.want) || v.Actor != test.actor {
				t.Fatalf("got %v, %v; want %v, %v", v, err, test.actor, test.want)
			}
			if err != nil {
				return
			}
			if v.Allows(property) != test.sees[0] {
				t.Errorf("v.Allows(property) = %v, want %v", v.Allows(property), test.sees[0])
			}
			if v.Allows(id.New[id.Property]()) != test.sees[1] {
				t.Errorf("v.Allows(id.New[id.Property]()) = %v, want %v", v.Allows(id.New[id.Property]()), test.sees[1])
			}
			if v.Tenant != tenant {
				t.Errorf("v.Tenant = %v, want %v", v.Tenant, tenant)
			}
			if scope.Tenant != tenant || scope.Caller != cmp.Or(test.who.Email, test.who.Subject) {
				t.Errorf("scope %v", scope)
			}
		})
	}
}

func TestMiddleware_actingForStaff(t *testing.T) {
	t.Parallel()
	tenant := id.New[id.Tenant]()
	desk := identity.Identity{Subject: "1", Email: "desk@desk-software.iam.gserviceaccount.com"}
	bff := identity.Identity{Subject: "2", Email: "bff@hotels.iam.gserviceaccount.com"}
	staff := identity.Identity{Subject: "usr_1", Email: desk.Email, Staff: true, Tenant: &tenant, Roles: []string{access.FrontDesk}}
	for _, test := range []struct {
		name, desks              string
		who                      identity.Identity
		asGuest, asStaff, asSelf bool
		staffCancels             bool
	}{
		{"a desk service", "other@x.iam.gserviceaccount.com," + desk.Email, desk, true, true, true, true},
		{"a bff", desk.Email, bff, true, false, true, false},
		{"no desk services", "", desk, true, false, true, false},
		{"staff", "", staff, false, false, true, true},
		{"staff with a desk service's e-mail", desk.Email, staff, false, false, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d, err := openMiddleware(env.Of(nil).With("DESK_CALLERS", test.desks), false)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("X-Tenant-Id", tenant.String())
			v, _, err := d.Resolve(t.Context(), r, test.who)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.CanActAs(access.Actor{Type: access.Guest, ID: "gst_1"}); got != test.asGuest {
				t.Errorf("may act as a guest: %v", got)
			}
			if got := v.CanActAs(access.Actor{Type: access.Staff, ID: "usr_9"}); got != test.asStaff {
				t.Errorf("may act as staff: %v", got)
			}
			if got := v.CanActAs(v.Actor); got != test.asSelf {
				t.Errorf("may act as itself: %v", got)
			}
			if got := booking.AskedReason(booking.StaffCancelled).AllowedTo(v); got != test.staffCancels || !booking.AskedReason(booking.GuestCancelled).AllowedTo(v) {
				t.Errorf("may cancel as staff: %v", got)
			}
		})
	}
}

// Staff read why a reservation refuses an act. Services pass the sentence on to guests, who read the general one.
func TestExplain(t *testing.T) {
	t.Parallel()
	staff, desk, bff := access.Principal{Actor: access.Actor{Type: access.Staff}}, access.Principal{Desk: true}, access.Principal{}
	why := booking.ErrIllegalTransition.Saying("The stay has ended.").Showing(map[string]any{"state": booking.Confirmed})
	for _, test := range []struct {
		name       string
		by         access.Principal
		err        error
		wantDetail string
		members    int
	}{
		{"staff", staff, why, "The stay has ended.", 1},
		{"a desk service", desk, why, "The stay has ended.", 1},
		{"a bff", bff, why, booking.ErrIllegalTransition.Detail, 0},
		{"another refusal to a bff", bff, booking.ErrOverbooked, booking.ErrOverbooked.Detail, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := fault.From(explain(test.by, test.err))
			if got.Detail != test.wantDetail || len(got.Members) != test.members {
				t.Errorf("explain() says %q with %v, want %q with %d members", got.Detail, got.Members, test.wantDetail, test.members)
			}
		})
	}
	if err := explain(bff, nil); err != nil {
		t.Errorf("explain(nil) = %v", err)
	}
}

func TestEnter_twoTenants(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header["X-Tenant-Id"] = []string{id.New[id.Tenant]().String(), id.New[id.Tenant]().String()}
	if v, _, err := enter(r, identity.Identity{Email: "bff@melmastoon.local"}); !errors.Is(err, fault.ErrValidation) {
		t.Errorf("enter() = %v, %v; want %v", v, err, fault.ErrValidation)
	}
}
