// Package listpolicies serves the house rules of a hotel's properties.
package listpolicies

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /bff/tenant-booking/v1/{tenantSlug}/policies. Shared caches keep its answers.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:    "tenantbooking-listpolicies",
	Route:   "GET " + tenantbooking.Base + "/policies",
	Uses:    fn.Uses{fn.Documents, fn.Upstream("property")},
	Timeout: time.Second,
}, New, tenantbooking.WithoutSession)

// A Request may name the language. The default is negotiated from Accept-Language.
type Request struct {
	Locale fn.Maybe[locale.Tag] `query:"locale"`
}

// A Response is the house rules in one language.
type Response struct {
	Locale   locale.Tag         `json:"locale"`
	Policies []hotel.PolicyView `json:"policies"`
}

type handler struct {
	content hotel.Content[[]hotel.HouseRule]
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, fn.JSON], error) {
	return (&handler{hotel.Content[[]hotel.HouseRule]{Find: hotel.OpenStorefronts(e).Rules, View: view}}).list, nil
}

func (h *handler) list(ctx context.Context, c tenantbooking.Call[Request]) (fn.JSON, error) {
	return h.content.Respond(ctx, c.Tenant, c.Header, c.In.Locale)
}

func view(rules []hotel.HouseRule, l locale.Tag) any {
	return Response{l, hotel.PolicyViews(rules, l)}
}
