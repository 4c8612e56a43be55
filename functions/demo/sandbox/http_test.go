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
	if tenant.TenantID != kabul.Tenant.String() {
		t.Errorf("tenant.TenantID = %q, want %q", tenant.TenantID, kabul.Tenant.String())
	}
	if tenant.Slug != kabul.Slug {
		t.Errorf("tenant.Slug = %q, want %q", tenant.Slug, kabul.Slug)
	}
	if tenant.Settings.HoldTTLSeconds != 600 {
		t.Errorf("tenant.Settings.HoldTTLSeconds = %d, want 600", tenant.Settings.HoldTTLSeconds)
	}
	var list struct {
		Properties []struct {
			PropertyID string `json:"propertyId"`
		} `json:"properties"`
	}
	f.Get("/sandbox/property/v1/properties?tenantId="+kabul.Tenant.String()).Into(t, &list)
	if len(list.Properties) != 1 {
		t.Fatalf("len(list.Properties) = %d, want 1", len(list.Properties))
	}
	if list.Properties[0].PropertyID != kabul.Property.String() {
		t.Errorf("list.Properties[0].PropertyID = %q, want %q", list.Properties[0].PropertyID, kabul.Property.String())
	}
	for path, code := range map[string]string{
		"/sandbox/tenant/v1/tenants/nowhere":                                       "TENANT.UNKNOWN",
		"/sandbox/property/v1/properties/" + id.New[id.Property]().String():        "GENERAL.RESOURCE_NOT_FOUND",
		"/sandbox/property/v1/properties":                                          "GENERAL.VALIDATION_FAILED",
		"/sandbox/payment/v1/intents/" + id.New[id.Intent]().String():              "GENERAL.RESOURCE_NOT_FOUND",
		"/sandbox/payment/v1/checkout/" + id.New[id.Intent]().String():             "GENERAL.RESOURCE_NOT_FOUND",
		"/sandbox/inventory/v1/availability?propertyId=" + kabul.Property.String(): "GENERAL.VALIDATION_FAILED",
	} {
		t.Run(path, func(t *testing.T) {
			if got := f.Get(path); got.Code() != code {
				t.Errorf("%d %s, want %s", got.Status, got.Code(), code)
			}
		})
	}
}

func TestHTTP_onlyPagesArePublic(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	stranger := b.front(t).As("")
	if got := stranger.Get("/sandbox/payment/v1/checkout/" + i.ID.String()); got.Status != http.StatusOK {
		t.Errorf("the page: %d, want 200", got.Status)
	}
	for _, path := range []string{"/sandbox/payment/v1/intents/" + i.ID.String(), "/sandbox/tenant/v1/tenants/" + kabul.Slug} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			if got := stranger.Get(path); got.Status != http.StatusUnauthorized {
				t.Errorf("%s: %d, want 401", path, got.Status)
			}
		})
	}
	for _, path := range []string{"/sandbox/inventory/v1/holds", "/sandbox/inventory/v1/commits", "/sandbox/inventory/v1/releases",
		"/sandbox/pricing/v1/quotes", "/sandbox/payment/v1/intents"} {
		t.Run(path, func(t *testing.T) {
			if got := stranger.Post(path, body{}); got.Status != http.StatusUnauthorized {
				t.Errorf("%d, want 401", got.Status)
			}
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
	if len(afn.Lines) != 3 {
		t.Errorf("len(afn.Lines) = %d, want 3", len(afn.Lines))
	}
	if afn.FX != nil {
		t.Errorf("afn.FX = %v, want nil", afn.FX)
	}
	if afn.Totals.Currency != "AFN" {
		t.Errorf(`afn.Totals.Currency = %q, want "AFN"`, afn.Totals.Currency)
	}
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
	if usd.FX == nil {
		t.Fatal("usd.FX = nil, want a value")
	}
	if usd.FX.Base != "AFN" {
		t.Errorf(`usd.FX.Base = %q, want "AFN"`, usd.FX.Base)
	}
	if usd.FX.Quote != "USD" {
		t.Errorf(`usd.FX.Quote = %q, want "USD"`, usd.FX.Quote)
	}
	if usd.FX.Rate != 0.0142 {
		t.Errorf("usd.FX.Rate = %v, want 0.0142", usd.FX.Rate)
	}
	withPromo := b.priceRequest()
	withPromo["promoCode"] = "nawroz"
	f.Post("/sandbox/pricing/v1/quotes", withPromo).Into(t, &off)
	if len(off.Lines) != 4 {
		t.Fatalf("len(off.Lines) = %d, want 4", len(off.Lines))
	}
	if off.Lines[1].Kind != "discount" {
		t.Errorf(`off.Lines[1].Kind = %q, want "discount"`, off.Lines[1].Kind)
	}
	if !strings.HasPrefix(off.Lines[1].Amount, "-") {
		t.Errorf("off.Lines[1].Amount = %q, want prefix %q", off.Lines[1].Amount, "-")
	}
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
			if got := f.Post("/sandbox/pricing/v1/quotes", r); got.Code() != test.code {
				t.Errorf("%d %s, want %s", got.Status, got.Code(), test.code)
			}
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
			if got.Status != step.status {
				t.Errorf("status = %d, want %d: %s", got.Status, step.status, got.Body)
			}
			if got.Code() != step.code {
				t.Errorf("code = %q, want %q", got.Code(), step.code)
			}
		})
	}
	var left struct {
		RoomTypes []struct {
			UnitsLeft int `json:"unitsLeft"`
		} `json:"roomTypes"`
	}
	f.Get("/sandbox/inventory/v1/availability?propertyId="+h.Property.String()+"&start="+h.Stay.Start.String()+"&end="+h.Stay.End.String()).Into(t, &left)
	if len(left.RoomTypes) != 3 {
		t.Fatalf("len(left.RoomTypes) = %d, want 3", len(left.RoomTypes))
	}
	if left.RoomTypes[2].UnitsLeft != 2 {
		t.Errorf("left.RoomTypes[2].UnitsLeft = %d, want 2", left.RoomTypes[2].UnitsLeft)
	}
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
			if got := f.Post("/sandbox/inventory/v1/holds", holdRequest(h)); got.Code() != test.code {
				t.Errorf("%d %s, want %q", got.Status, got.Body, test.code)
			}
		})
	}
}

func TestListIntents(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	first := b.opened(t, standin.Card)
	second, err := b.Intents.Open(t.Context(), wanted(first.Reservation, standin.MFS))
	if err != nil {
		t.Fatal(err)
	}
	b.opened(t, standin.Card) // another reservation's
	for tenant, want := range map[id.Tenant][]payment.Status{first.Tenant: {"superseded", payment.RequiresAction}, demo.HeratGarden.Tenant: nil} {
		t.Run(fmt.Sprint(tenant), func(t *testing.T) {
			var out listintents.Response
			f.Get("/sandbox/payment/v1/intents?tenantId="+tenant.String()+"&reservationId="+first.Reservation.String()).Into(t, &out)
			var got []payment.Status
			for _, i := range out.Intents {
				got = append(got, i.Status)
			}
			if !slices.Equal(got, want) {
				t.Errorf("tenant %s: got = %q, want %q", tenant, got, want)
			}
			if want != nil && out.Intents[1].ID != second.ID {
				t.Errorf("tenant %s: got %v, want %v", tenant, got, want)
			}
		})
	}
}
