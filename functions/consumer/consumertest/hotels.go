package consumertest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// FakeHotels is a fake property service for tests that only look up a hotel's tenant. Every hotel belongs to the same tenant,
// except one that does not exist.
type FakeHotels struct {
	Tenant    id.Tenant
	Missing   id.Property
	Suspended atomic.Bool // whether the tenant is suspended
	server    *httptest.Server
}

// HotelsTenant is the tenant of every hotel.
var HotelsTenant = id.New[id.Tenant]()

// OpenFakeHotels starts the fake service.
func OpenFakeHotels(t testing.TB) *FakeHotels {
	t.Helper()
	h := &FakeHotels{Tenant: HotelsTenant, Missing: id.New[id.Property]()}
	m := http.NewServeMux()
	m.HandleFunc("GET /properties/{id}", h.property)
	m.HandleFunc("GET /tenants/{id}", h.tenant)
	h.server = httptest.NewServer(m)
	t.Cleanup(h.server.Close)
	return h
}

// Around returns the environment with the URLs of the property and tenant services added.
func (h *FakeHotels) Around(e env.Env) env.Env {
	return e.With("UPSTREAM_PROPERTY_URL", h.server.URL).With("UPSTREAM_TENANT_URL", h.server.URL)
}

func (h *FakeHotels) tenant(w http.ResponseWriter, r *http.Request) {
	status := "active"
	if h.Suspended.Load() {
		status = "suspended"
	}
	_ = json.MarshalWrite(w, map[string]any{"tenantId": r.PathValue("id"), "slug": "a-hotel", "currency": "AFN", "status": status})
}

func (h *FakeHotels) property(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") == h.Missing.String() {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND","detail":"No."}`))
		return
	}
	_ = json.MarshalWrite(w, map[string]any{
		"propertyId": r.PathValue("id"), "tenantId": h.Tenant, "name": map[string]string{"default": "A house"},
		"roomTypes": []any{}, "ratePlans": []any{},
	})
}
