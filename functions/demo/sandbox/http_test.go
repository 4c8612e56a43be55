package sandbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/functions/demo/sandbox/listintents"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// front is the sandbox's HTTP endpoint.
func (b books) front(t *testing.T) *fntest.Front {
	t.Helper()
	all := slices.DeleteFunc(slices.Clone(melmastoon.Functions), func(f fn.Function) bool {
		return f.Spec.Service() != "sandbox" || f.Spec.Route == "GET /docs"
	})
	return fntest.Open(t, b.env.With("PUBLIC_URL", "https://pay.example"), all...)
}

// body is a JSON object.
type body = map[string]any

func TestHTTP_tenantsAndProperties(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var tenant struct {
		TenantID string `json:"tenantId"`
		Slug     string `json:"slug"`
		Settings struct {
			HoldTTLSeconds int `json:"holdTtlSeconds"`
		} `json:"settings"`
	}
	f.Get("/sandbox/tenant/v1/tenants/kabul-grand-hotel").Into(t, &tenant)
	check.Equal(t, tenant.TenantID, kabul.Tenant.String())
	check.Equal(t, tenant.Slug, kabul.Slug)
	check.Equal(t, tenant.Settings.HoldTTLSeconds, 600)
	var list struct {
		Properties []struct {
			PropertyID string `json:"propertyId"`
		} `json:"properties"`
	}
	f.Get("/sandbox/property/v1/properties?tenantId="+kabul.Tenant.String()).Into(t, &list)
	check.MustEqual(t, len(list.Properties), 1)
	check.Equal(t, list.Properties[0].PropertyID, kabul.Property.String())
	for path, code := range map[string]string{
		"/sandbox/tenant/v1/tenants/nowhere":                                       "TENANT.UNKNOWN",
		"/sandbox/property/v1/properties/" + id.New[id.Property]().String():        "GENERAL.RESOURCE_NOT_FOUND",
		"/sandbox/property/v1/properties":                                          "GENERAL.VALIDATION_FAILED",
		"/sandbox/payment/v1/intents/" + id.New[id.Intent]().String():              "GENERAL.RESOURCE_NOT_FOUND",
		"/sandbox/payment/v1/checkout/" + id.New[id.Intent]().String():             "GENERAL.RESOURCE_NOT_FOUND",
		"/sandbox/inventory/v1/availability?propertyId=" + kabul.Property.String(): "GENERAL.VALIDATION_FAILED",
	} {
		t.Run(path, func(t *testing.T) {
			check.Equal(t, f.Get(path).Code(), code)
		})
	}
}

func TestHTTP_onlyPagesArePublic(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	stranger := b.front(t).As("")
	stranger.Get("/sandbox/payment/v1/checkout/"+i.ID.String()).Want(t, http.StatusOK)
	for _, path := range []string{"/sandbox/payment/v1/intents/" + i.ID.String(), "/sandbox/tenant/v1/tenants/" + kabul.Slug} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			stranger.Get(path).Want(t, http.StatusUnauthorized)
		})
	}
	for _, path := range []string{"/sandbox/inventory/v1/holds", "/sandbox/inventory/v1/commits", "/sandbox/inventory/v1/releases",
		"/sandbox/pricing/v1/quotes", "/sandbox/payment/v1/intents"} {
		t.Run(path, func(t *testing.T) {
			stranger.Post(path, body{}).Want(t, http.StatusUnauthorized)
		})
	}
}

func (b books) priceRequest() body {
	room := kabul.Rooms[0]
	return body{"tenantId": kabul.Tenant, "propertyId": kabul.Property, "currency": "AFN",
		"stayWindow": b.nights(10, 2),
		"items":      []body{{"roomTypeId": room.ID, "ratePlanId": room.Flexible.ID, "occupants": body{"adults": 2, "children": 0}}}}
}

type priced struct {
	Items []struct {
		NightlyRate string `json:"nightlyRateMicro"`
		Total       string `json:"totalMicro"`
	} `json:"items"`
	Lines []struct {
		Kind   string `json:"kind"`
		Amount string `json:"amountMicro"`
	} `json:"lines"`
	Totals struct {
		Currency string `json:"currency"`
	} `json:"totals"`
	FX *struct {
		Base  string  `json:"base"`
		Quote string  `json:"quote"`
		Rate  float64 `json:"rate"`
	} `json:"fxSnapshot"`
	ValidUntil time.Time `json:"validUntil"`
}

func TestQuote_validity(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var afn, usd, off priced
	f.Post("/sandbox/pricing/v1/quotes", b.priceRequest()).Into(t, &afn)
	check.Equal(t, len(afn.Lines), 3)
	check.Equal(t, afn.FX, nil)
	check.Equal(t, afn.Totals.Currency, "AFN")
	left := afn.ValidUntil.Sub(b.env.Now())
	if left > 15*time.Minute {
		t.Errorf("left = %v, want at most %v", left, 15*time.Minute)
	}
	if left < 14*time.Minute {
		t.Errorf("left = %v, want at least %v", left, 14*time.Minute)
	}
	inUSD := b.priceRequest()
	inUSD["currency"] = "USD"
	f.Post("/sandbox/pricing/v1/quotes", inUSD).Into(t, &usd)
	check.MustNotEqual(t, usd.FX, nil)
	check.Equal(t, usd.FX.Base, "AFN")
	check.Equal(t, usd.FX.Quote, "USD")
	check.Equal(t, usd.FX.Rate, 0.0142)
	withPromo := b.priceRequest()
	withPromo["promoCode"] = "nawroz"
	f.Post("/sandbox/pricing/v1/quotes", withPromo).Into(t, &off)
	check.MustEqual(t, len(off.Lines), 4)
	check.Equal(t, off.Lines[1].Kind, "discount")
	check.Equal(t, strings.HasPrefix(off.Lines[1].Amount, "-"), true, "%s", off.Lines[1].Amount)
}

func TestQuote_currencyNotSupported(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	for _, test := range []struct {
		name, member string
		value        any
		code         string
	}{
		{"a currency of another hotel", "currency", "IRR", "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED"},
		{"another tenant's property", "propertyId", demo.HeratGarden.Property, "GENERAL.RESOURCE_NOT_FOUND"},
		{"a promotion that is none", "promoCode", "FREE", "GENERAL.VALIDATION_FAILED"},
		{"yesterday", "stayWindow", b.nights(-2, 3), "GENERAL.VALIDATION_FAILED"},
		{"no night", "stayWindow", b.nights(2, 0), "GENERAL.VALIDATION_FAILED"},
		{"no room", "items", []body{}, "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := b.priceRequest()
			r[test.member] = test.value
			check.Equal(t, f.Post("/sandbox/pricing/v1/quotes", r).Code(), test.code)
		})
	}
}

func holdRequest(h inventory.Hold) body {
	return body{"tenantId": h.Tenant, "propertyId": h.Property, "reservationId": h.Reservation, "stayWindow": h.Stay,
		"ttlSeconds": int(h.TTL / time.Second), "allocations": h.Claims}
}

func TestHTTP_holdCommitRelease(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	h := b.want(b.nights(10, 2), 2)
	named := body{"tenantId": h.Tenant, "allocationIds": ids(h)}
	for _, step := range []struct {
		name, path string
		in         body
		status     int
		code       string
	}{
		{"hold", "holds", holdRequest(h), 201, ""},
		{"the same hold", "holds", holdRequest(h), 201, ""},
		{"hold without rooms", "holds", holdRequest(b.want(h.Stay, 1)), 409, "RESERVATION.OVERBOOKING_BLOCKED"},
		{"commit", "commits", named, 200, ""},
		{"the same commit", "commits", named, 200, ""},
		{"release", "releases", named, 204, ""},
		{"the same release", "releases", named, 204, ""},
		{"commit after the release", "commits", named, 410, "RESERVATION.HOLD_EXPIRED"},
		{"hold after the release", "holds", holdRequest(h), 410, "RESERVATION.HOLD_EXPIRED"},
		{"commit of an unknown allocation", "commits", body{"tenantId": h.Tenant, "allocationIds": ids(b.want(h.Stay, 1))}, 404, "GENERAL.RESOURCE_NOT_FOUND"},
		{"nothing", "releases", body{"tenantId": h.Tenant, "allocationIds": []string{}}, 400, "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(step.name, func(t *testing.T) {
			got := f.Post("/sandbox/inventory/v1/"+step.path, step.in)
			got.WantProblem(t, step.status, step.code)
		})
	}
	var left struct {
		RoomTypes []struct {
			UnitsLeft int `json:"unitsLeft"`
		} `json:"roomTypes"`
	}
	f.Get("/sandbox/inventory/v1/availability?propertyId="+h.Property.String()+"&start="+h.Stay.Start.String()+"&end="+h.Stay.End.String()).Into(t, &left)
	check.MustEqual(t, len(left.RoomTypes), 3)
	check.Equal(t, left.RoomTypes[2].UnitsLeft, 2)
}

// TestHTTP_holdLimits holds the shortest and longest time and the most rooms, and one more of each. The hotel has fewer rooms.
func TestHTTP_holdLimits(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	shortest, longest := int(stay.MinHold/time.Second), int(stay.MaxHold/time.Second)
	for _, test := range []struct {
		name           string
		seconds, rooms int
		code           string
	}{
		{"shortest", shortest, 1, ""},
		{"longest", longest, 1, ""},
		{"a second less", shortest - 1, 1, "GENERAL.VALIDATION_FAILED"},
		{"a second more", longest + 1, 1, "GENERAL.VALIDATION_FAILED"},
		{"most rooms", shortest, stay.MaxRooms, "RESERVATION.OVERBOOKING_BLOCKED"},
		{"a room more", shortest, stay.MaxRooms + 1, "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := b.want(b.nights(10, 1), 1)
			for len(h.Claims) < test.rooms {
				h.Claims = append(h.Claims, b.want(h.Stay, 1).Claims...)
			}
			h.TTL = time.Duration(test.seconds) * time.Second
			check.Equal(t, f.Post("/sandbox/inventory/v1/holds", holdRequest(h)).Code(), test.code)
		})
	}
}

func TestListIntents(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	first := b.opened(t, standin.Card)
	second, err := b.Intents.Open(t.Context(), wanted(first.Reservation, standin.MFS))
	check.Must(t, err)
	b.opened(t, standin.Card) // another reservation's
	for tenant, want := range map[id.Tenant][]payment.Status{first.Tenant: {"superseded", payment.RequiresAction}, demo.HeratGarden.Tenant: nil} {
		t.Run(fmt.Sprint(tenant), func(t *testing.T) {
			out := fntest.Read[listintents.Response](t, f.Get("/sandbox/payment/v1/intents?tenantId="+tenant.String()+"&reservationId="+first.Reservation.String()))
			var got []payment.Status
			for _, i := range out.Intents {
				got = append(got, i.Status)
			}
			check.Equal(t, got, want, "tenant %s", tenant)
			if want != nil && out.Intents[1].ID != second.ID {
				t.Errorf("tenant %s: got %v, want %v", tenant, got, want)
			}
		})
	}
}
