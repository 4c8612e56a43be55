package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/money"
)

func TestScenarios(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	const header = "X-Sandbox-Scenario"
	left := "/sandbox/inventory/v1/availability?propertyId=" + kabul.Property.String() + "&start=" + b.nights(10, 2).Start.String() + "&end=" + b.nights(10, 2).End.String()
	var none struct {
		RoomTypes []sandbox.Left `json:"roomTypes"`
	}
	f.Get(left, header, "sold_out").Into(t, &none)
	if len(none.RoomTypes) != 3 || none.RoomTypes[0].Units != 0 {
		t.Errorf("sold out: %+v", none)
	}
	h := holdRequest(b.want(b.nights(10, 2), 1))
	if got := f.Post("/sandbox/inventory/v1/holds", h, header, "sold_out"); got.Code() != "RESERVATION.OVERBOOKING_BLOCKED" {
		t.Errorf("hold when sold out: %d %s", got.Status, got.Code())
	}
	if got := f.Post("/sandbox/inventory/v1/holds", h); got.Status != http.StatusCreated {
		t.Errorf("the same hold on another day: %d %s", got.Status, got.Body)
	}
	var usual, dearer struct {
		Totals struct {
			Grand money.Micro `json:"grandTotalMicro"`
		} `json:"totals"`
	}
	f.Post("/sandbox/pricing/v1/quotes", b.priceRequest()).Into(t, &usual)
	f.Post("/sandbox/pricing/v1/quotes", b.priceRequest(), header, "price_changed").Into(t, &dearer)
	if dearer.Totals.Grand <= usual.Totals.Grand {
		t.Errorf("after the price has changed: %d, before: %d", dearer.Totals.Grand, usual.Totals.Grand)
	}
	i := b.opened(t, sandbox.Card)
	f.Post("/sandbox/payment/v1/checkout/"+i.ID.String(), "action=pay", "Content-Type", form, header, "declined")
	if got, err := b.Intents.Get(t.Context(), i.ID); err != nil || got.Attempts != 1 || got.Status != sandbox.RequiresPayment {
		t.Errorf("after the bank has declined: %+v, %v", got, err)
	}
	tenant := "/sandbox/tenant/v1/tenants/" + kabul.Slug
	if got := f.Get(tenant, header, "upstream_down"); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("down: %d %s", got.Status, got.Body)
	}
	for scenario, want := range map[string]int{
		"upstream_down;of=tenant":         http.StatusServiceUnavailable,
		"upstream_down; of=tenant":        http.StatusServiceUnavailable,
		"upstream_down;of=pricing":        http.StatusOK,
		"sold_out":                        http.StatusOK,
		"earthquake":                      http.StatusBadRequest,
		"earthquake;of=pricing":           http.StatusBadRequest,
		"upstream_down;of=weather":        http.StatusBadRequest,
		"upstream_down;for=tenant":        http.StatusBadRequest,
		"upstream_down;of=tenant;hotel=1": http.StatusBadRequest,
		"upstream_down;of":                http.StatusBadRequest,
	} {
		if got := f.Get(tenant, header, scenario); got.Status != want {
			t.Errorf("%s: %d, want %d", scenario, got.Status, want)
		}
	}
	began := time.Now()
	if got := f.Get(tenant, header, "upstream_slow"); got.Status != http.StatusOK || time.Since(began) < 1400*time.Millisecond {
		t.Errorf("slow: %d after %v", got.Status, time.Since(began))
	}
}

// TestServices_nameEveryService holds the names that a scenario takes to the routes of the catalogue.
func TestServices_nameEveryService(t *testing.T) {
	t.Parallel()
	var routed []string
	for _, f := range melmastoon.Functions {
		if _, path, ok := strings.Cut(f.Spec.Route, "/sandbox/"); ok {
			name, _, _ := strings.Cut(path, "/")
			routed = append(routed, name)
		}
	}
	slices.Sort(routed)
	if routed = slices.Compact(routed); !slices.Equal(routed, sandbox.Services) {
		t.Errorf("services %v, want those of the routes %v", sandbox.Services, routed)
	}
}
