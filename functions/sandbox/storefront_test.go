package sandbox_test

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// notices are the subjects of Kabul's tenant in the outbox, shortened, with their versions of the aggregate, in order.
func (b books) notices(t *testing.T) []string {
	t.Helper()
	rows, _ := b.owner.Query(t.Context(), `
		SELECT replace(subject, 'melmastoon.', '') || ' ' || (envelope -> 'metadata' ->> 'aggregateVersion')
		FROM sandbox.outbox WHERE tenant_id = $1 ORDER BY seq`, kabul.Tenant)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestATenantIsSuspendedAndReinstatedOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	base := "/sandbox/tenant/v1/tenants/" + kabul.Tenant.String()
	for _, step := range []struct {
		act  string
		in   any
		want string
	}{
		{"reinstate", nil, "active"},
		{"suspend", body{"reason": "billing-overdue"}, "suspended"},
		{"suspend", body{"reason": "another reason"}, "suspended"},
		{"reinstate", nil, "active"},
		{"reinstate", nil, "active"},
	} {
		var got, read struct {
			Status string `json:"status"`
		}
		f.Post(base+"/"+step.act, step.in).Into(t, &got)
		f.Get(base).Into(t, &read)
		if got.Status != step.want || read.Status != step.want {
			t.Errorf("%s: %s, read as %s, want %s", step.act, got.Status, read.Status, step.want)
		}
	}
	if got, want := b.notices(t), []string{"tenant.suspended.v1 2", "tenant.reinstated.v1 3"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	for path, in := range map[string]any{
		base + "/suspend": body{"reason": ""},
		"/sandbox/tenant/v1/tenants/" + id.New[id.Tenant]().String() + "/reinstate": nil,
	} {
		if got := f.Post(path, in); got.Status != http.StatusBadRequest && got.Code() != "TENANT.UNKNOWN" {
			t.Errorf("%s: %d %s", path, got.Status, got.Code())
		}
	}
}

func TestConfigurationTellsWhatHasChanged(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/tenant/v1/tenants/" + kabul.Tenant.String() + "/config"
	patch := func(in body) (out struct {
		BrandName     string   `json:"brandName"`
		BrandTagline  string   `json:"brandTagline"`
		Locales       []string `json:"locales"`
		ConfigVersion int      `json:"configVersion"`
	}) {
		t.Helper()
		f.Send(http.MethodPatch, path, in).Into(t, &out)
		return out
	}
	got := patch(body{"brandName": "Kabul Grand", "locales": []string{"ps-AF", "en"}, "brandTagline": kabul.Tagline})
	if got.BrandName != "Kabul Grand" || got.BrandTagline != kabul.Tagline || len(got.Locales) != 2 || got.ConfigVersion != 2 {
		t.Errorf("changed to %+v", got)
	}
	if got := patch(body{"brandName": "Kabul Grand"}); got.ConfigVersion != 2 {
		t.Errorf("nothing changed, and the version is %d", got.ConfigVersion)
	}
	var told string
	if err := b.owner.QueryRow(t.Context(), `SELECT payload ->> 'changedKeys' FROM sandbox.outbox WHERE tenant_id = $1`, kabul.Tenant).Scan(&told); err != nil || told != `["brandName", "locales"]` {
		t.Errorf("told %s, %v", told, err)
	}
	for name, in := range map[string]body{
		"without its own currency": {"currencies": []string{"USD"}},
		"without a language":       {"locales": []string{}},
		"a language that is none":  {"locales": []string{"!"}},
		"a hold of an hour":        {"settings": body{"holdTtlSeconds": 3600, "noShowGraceHours": 6, "cancellationPolicyVersion": 1}},
		"something unknown":        {"slug": "other"},
	} {
		if got := f.Send(http.MethodPatch, path, in); got.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want 400", name, got.Status, got.Body)
		}
	}
}

func TestAPublishedThemeIsTheOneOnShow(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/theme/v1/tenants/" + kabul.Tenant.String() + "/theme"
	var before, after, read sandbox.Theme
	f.Get(path).Into(t, &before)
	if before.Version != 1 || before.Tokens != kabul.Theme.Tokens || before.ID != kabul.Theme.ID {
		t.Errorf("the first theme is %+v", before)
	}
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	if got := f.Post(path+"/publish", body{"tokens": tokens}); got.Status != http.StatusCreated {
		t.Fatalf("publish: %d %s", got.Status, got.Body)
	} else {
		got.Into(t, &after)
	}
	f.Get(path).Into(t, &read)
	if !reflect.DeepEqual(read, after) || after.Version != 2 || after.ID != before.ID || after.Published == before.Published || after.Tokens != tokens {
		t.Errorf("published %+v, read %+v", after, read)
	}
	if got, want := b.notices(t), []string{"theme.published.v1 2", "search_aggregation.listing.indexed.v1 2"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	for name, change := range map[string]func(*sandbox.Tokens){
		"a colour that ends the style sheet": func(k *sandbox.Tokens) { k.Text = "</style>" },
		"a font from elsewhere":              func(k *sandbox.Tokens) { k.Font = "url(https://evil.example)" },
		"a corner that is none":              func(k *sandbox.Tokens) { k.Corner = -1 },
	} {
		bad := kabul.Theme.Tokens
		change(&bad)
		if got := f.Post(path+"/publish", body{"tokens": bad}); got.Code() != "GENERAL.VALIDATION_FAILED" {
			t.Errorf("%s: %d %s", name, got.Status, got.Code())
		}
	}
}

func TestAHotelShowsItselfInAllItsLanguages(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var hotel sandbox.Property
	f.Get("/sandbox/property/v1/properties/"+kabul.Property.String()).Into(t, &hotel)
	pictures := slices.Clone(hotel.Photos)
	for _, r := range hotel.RoomTypes {
		pictures = append(pictures, r.Photos...)
		if len(r.Photos) == 0 || r.Localized["ps-AF"].Name == "" || r.Localized["fa-AF"].Description == "" {
			t.Errorf("%s is not shown in Pashto and Dari: %+v", r.Name, r.Localized)
		}
	}
	seen := map[string]bool{}
	for _, p := range pictures {
		text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.URL, "data:image/svg+xml;base64,"))
		if err != nil || seen[p.URL] || p.Alt.Default == "" {
			t.Errorf("a picture of %s: %v, the same as another: %t", p.Alt.Default, err, seen[p.URL])
		}
		seen[p.URL] = true
		for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("not XML: %v in %s", err, text)
			}
		}
	}
	var list struct {
		Policies []sandbox.HouseRule `json:"policies"`
	}
	f.Get("/sandbox/property/v1/policies?tenantId="+kabul.Tenant.String()).Into(t, &list)
	if len(list.Policies) < 3 || list.Policies[0].Title.Localized["ps-AF"] == "" || list.Policies[0].Property != kabul.Property {
		t.Errorf("policies %+v", list.Policies)
	}
}

type compared struct {
	RoomTypes []sandbox.Offers `json:"roomTypes"`
	FX        *sandbox.FX      `json:"fxSnapshot"`
}

func (b books) comparePath(currency, people string) string {
	w := b.nights(10, 2)
	return "/sandbox/pricing/v1/cheapest?tenantId=" + kabul.Tenant.String() + "&propertyId=" + kabul.Property.String() +
		"&start=" + w.Start.String() + "&end=" + w.End.String() + "&currency=" + currency + people
}

func TestEveryRateIsComparedAsItWouldBeQuoted(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var all compared
	f.Get(b.comparePath("USD", "&adults=3&children=1&rooms=2")).Into(t, &all)
	if len(all.RoomTypes) != 2 || all.FX == nil { // the standard room is too small
		t.Fatalf("compared %+v", all)
	}
	for _, room := range all.RoomTypes {
		if len(room.Rates) != 2 || room.Cheapest != room.Rates[0].RatePlan || room.Rates[0].Total > room.Rates[1].Total {
			t.Errorf("%s: %+v", room.RoomType, room)
		}
		for _, rate := range room.Rates {
			var quoted struct {
				Totals struct {
					Grand money.Micro `json:"grandTotalMicro"`
				} `json:"totals"`
			}
			f.Post("/sandbox/pricing/v1/quotes", body{"tenantId": kabul.Tenant, "propertyId": kabul.Property, "currency": "USD",
				"stayWindow": b.nights(10, 2), "items": []body{
					{"roomTypeId": room.RoomType, "ratePlanId": rate.RatePlan, "occupants": body{"adults": 2, "children": 1}},
					{"roomTypeId": room.RoomType, "ratePlanId": rate.RatePlan, "occupants": body{"adults": 1, "children": 0}}}}).Into(t, &quoted)
			if quoted.Totals.Grand != rate.Total {
				t.Errorf("%s is compared at %d and quoted at %d", rate.Name, rate.Total, quoted.Totals.Grand)
			}
			if _, err := (money.Amount{Micro: rate.Nightly, Currency: money.USD}).Minor(); err != nil {
				t.Errorf("the night at %s: %v", rate.Name, err)
			}
		}
	}
	var roomy compared
	f.Get(b.comparePath("AFN", "&adults=4&rooms=1")).Into(t, &roomy)
	if len(roomy.RoomTypes) != 1 || roomy.RoomTypes[0].RoomType != suites.ID {
		t.Errorf("four people fit into %+v", roomy.RoomTypes)
	}
	for name, path := range map[string]string{
		"nobody": b.comparePath("AFN", "&adults=0&rooms=1"), "more rooms than adults": b.comparePath("AFN", "&adults=1&rooms=2"),
		"a currency of another hotel": b.comparePath("IRR", "&adults=1&rooms=1"), "no party": b.comparePath("AFN", ""),
	} {
		if got := f.Get(path); got.Status/100 != 4 {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
}

func TestPublishedPricesAreChargedFromThenOn(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	plan := suites.Flexible.ID
	path := "/sandbox/pricing/v1/rate-plans/" + plan.String() + "/publish"
	week := slices.Repeat([]string{"1000000000"}, 7)
	var p sandbox.PublishedPlan
	f.Post(path, body{"weekdayMicro": week}).Into(t, &p)
	if p.Version != 2 || p.Property != kabul.Property || p.RatePlan != plan {
		t.Errorf("published %+v", p)
	}
	var all compared
	f.Get(b.comparePath("AFN", "&adults=2&rooms=1")).Into(t, &all)
	i := slices.IndexFunc(all.RoomTypes, func(o sandbox.Offers) bool { return o.RoomType == suites.ID })
	if got := all.RoomTypes[i].Rates[0]; got.RatePlan != plan || got.Nightly != 1000_000_000 {
		t.Errorf("the suite now costs %+v", got)
	}
	if got, want := b.notices(t), []string{"pricing.rate_plan.published.v1 2", "search_aggregation.listing.indexed.v1 2"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	for name, bad := range map[string][]string{"six days": week[:6], "a free night": append(week[:6:6], "0")} {
		if got := f.Post(path, body{"weekdayMicro": bad}); got.Code() != "GENERAL.VALIDATION_FAILED" {
			t.Errorf("%s: %d %s", name, got.Status, got.Code())
		}
	}
	if got := f.Post("/sandbox/pricing/v1/rate-plans/"+id.New[id.RatePlan]().String()+"/publish", body{"weekdayMicro": week}); got.Status != http.StatusNotFound {
		t.Errorf("a plan of nobody: %d", got.Status)
	}
}

func TestAScenarioMakesThingsGoWrong(t *testing.T) {
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
	if got := f.Get(tenant, header, "earthquake"); got.Status != http.StatusBadRequest {
		t.Errorf("a scenario that is none: %d, want 400", got.Status)
	}
	began := time.Now()
	if got := f.Get(tenant, header, "upstream_slow"); got.Status != http.StatusOK || time.Since(began) < 1400*time.Millisecond {
		t.Errorf("slow: %d after %v", got.Status, time.Since(began))
	}
}
