package sandbox_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestScenarios(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	const header = "X-Sandbox-Scenario"
	left := "/sandbox/inventory/v1/availability?propertyId=" + kabul.Property.String() + "&start=" + b.nights(10, 2).Start.String() + "&end=" + b.nights(10, 2).End.String()
	var none struct {
		RoomTypes []inventory.Left `json:"roomTypes"`
	}
	f.Get(left, header, "sold_out").Into(t, &none)
	check.MustEqual(t, len(none.RoomTypes), 3, "sold out")
	check.Equal(t, none.RoomTypes[0].Units, 0, "sold out")
	h := holdRequest(b.want(b.nights(10, 2), 1))
	check.Equal(t, f.Post("/sandbox/inventory/v1/holds", h, header, "sold_out").Code(), "RESERVATION.OVERBOOKING_BLOCKED", "hold when sold out")
	f.Post("/sandbox/inventory/v1/holds", h).Want(t, http.StatusCreated)
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
	i := b.opened(t, standin.Card)
	f.Post("/sandbox/payment/v1/checkout/"+i.ID.String(), "action=pay", "Content-Type", form, header, "declined")
	got, err := b.Intents.Get(t.Context(), i.ID)
	check.Must(t, err)
	check.Equal(t, got.Attempts, 1)
	check.Equal(t, got.Status, payment.RequiresPayment)
	tenant := "/sandbox/tenant/v1/tenants/" + kabul.Slug
	down := f.Get(tenant, header, "upstream_down")
	down.Want(t, http.StatusServiceUnavailable)
	check.NotEqual(t, down.Header.Get("Retry-After"), "", "upstream_down")
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
		"fail; function=any-name":         http.StatusOK,
		"fail":                            http.StatusBadRequest,
		"fail; of=tenant":                 http.StatusBadRequest,
		"fail; function=a; of=tenant":     http.StatusBadRequest,
		"sold_out; function=any-name":     http.StatusBadRequest,
		"fail; function":                  http.StatusBadRequest,
	} {
		t.Run(scenario, func(t *testing.T) {
			f.Get(tenant, header, scenario).Want(t, want)
		})
	}
	began := time.Now()
	slow := f.Get(tenant, header, "upstream_slow")
	slow.Want(t, http.StatusOK)
	if time.Since(began) < 1400*time.Millisecond {
		t.Errorf("upstream_slow: time.Since(began) = %v, want at least %v", time.Since(began), 1400*time.Millisecond)
	}
}

// TestScenariosOf compares the scenarios of each service with those that the functions at its routes ask for.
func TestScenariosOf(t *testing.T) {
	t.Parallel()
	constants := map[string]sandbox.Scenario{"SoldOut": "sold_out", "PriceChanged": "price_changed", "HoldExpired": "hold_expired", "Suspended": "tenant_suspended",
		"LockFailed": "lock_failed", "PostedReturn": "posted_return"}
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	asked, route := regexp.MustCompile(`scenario\.([A-Z]\w+)\b`), regexp.MustCompile(`"[A-Z]+ /sandbox/(\w+)/`)
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		service := route.FindSubmatch(text)
		for _, name := range asked.FindAllSubmatch(text, -1) {
			if s, ok := constants[string(name[1])]; ok && service != nil {
				seen[string(name[1])] = true
				if !slices.Contains(sandbox.ScenariosOf(string(service[1])), s) {
					t.Errorf("%s asks for %s, which is no scenario of %s", file, s, service[1])
				}
			}
		}
	}
	if len(seen) != len(constants) {
		t.Errorf("functions ask for %v, want all of %v", seen, constants)
	}
	for service, want := range map[string]int{"iam": 2, "lock": 3, "payment": 7, "search": 3} {
		t.Run(service, func(t *testing.T) {
			if got := sandbox.ScenariosOf(service); len(got) != want {
				t.Errorf("got %v, want %d scenarios", got, want)
			}
		})
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
	routed = slices.Compact(routed)
	check.Equal(t, routed, sandbox.Services)
}
