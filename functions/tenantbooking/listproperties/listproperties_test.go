package listproperties

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

const path = "/bff/tenant-booking/v1/kabul-grand/properties"

func TestListProperties_languageAndCaching(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front, property := system.Front.As(""), hotels.Property
	first := front.Get(path, "Accept-Language", "ps")
	room := `{"roomTypeId":"` + property.RoomTypes[0].ID.String() + `","name":"ډیلکس","description":"لویه خونه","photos":[{"url":"data:,","alt":"A bed","isHero":true}],"maxOccupancy":3}`
	want := `{"locale":"ps-AF","properties":[{"propertyId":"` + property.ID.String() + `","name":"کابل ګرانډ هوټل","timeZone":"Asia/Kabul","roomTypes":[` + room + `]}]}`
	if first.Status != 200 || string(first.Body) != want || first.Header.Get("Content-Language") != "ps-AF" || first.Header.Get("X-Cache") != "MISS" {
		t.Errorf("got %d %s, want %s", first.Status, first.Body, want)
	}
	if vary := strings.Join(first.Header.Values("Vary"), ", "); first.Header.Get("Cache-Control") != "public, max-age=300" || vary != "Origin, Accept-Language" || first.Header.Get("Set-Cookie") != "" {
		t.Errorf("a shared cache reads %v", first.Header)
	}
	again := front.Get(path, "Accept-Language", "ps", "If-None-Match", first.Header.Get("Etag"))
	if again.Status != 304 || len(again.Body) != 0 || again.Header.Get("X-Cache") != "HIT" {
		t.Errorf("the same: %d %s", again.Status, again.Body)
	}
	for _, ask := range [][]string{{path + "?locale=en"}, {path, "Accept-Language", "en-GB"}} {
		english := front.Get(ask[0], append(ask[1:], "If-None-Match", first.Header.Get("Etag"))...)
		if english.Status != 200 || !strings.Contains(string(english.Body), `"name":"Kabul Grand Hotel"`) || !strings.Contains(string(english.Body), `"name":"Deluxe","description":"A large room"`) {
			t.Errorf("in English: %d %s", english.Status, english.Body)
		}
	}
	dari := front.Get(path + "?locale=fa-AF") // without descriptions in that language
	if dari.Status != 200 || dari.Header.Get("Content-Language") != "fa-AF" || !strings.Contains(string(dari.Body), `"name":"Deluxe"`) || hotels.Asked("property") != 1 {
		t.Errorf("in Dari: %d %s, asked %d times", dari.Status, dari.Body, hotels.Asked("property"))
	}
	if unknown := front.Get(path + "?locale=de"); unknown.Status != 422 || unknown.Code() != "BFF.CONSUMER.LOCALE_NOT_SUPPORTED" {
		t.Errorf("in German: %d %s", unknown.Status, unknown.Body)
	}
}

func TestListProperties_otherTenant(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*hotel.Property){
		"another hotel's":   func(h *hotel.Property) { h.Tenant = id.New[id.Tenant]() },
		"nobody's":          func(h *hotel.Property) { h.Tenant = id.Tenant{} },
		"one without an id": func(h *hotel.Property) { h.ID = id.Property{} },
	} {
		system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
		other := hotels.Property
		other.ID, other.Name.Default = id.New[id.Property](), "Next door"
		front := system.Front.As("")
		hotels.Do(func() { hotels.Others = []hotel.Property{other} })
		var two Response
		if err := json.Unmarshal(front.Get(path).Body, &two); err != nil || len(two.Properties) != 2 || two.Properties[1].Property != other.ID {
			t.Errorf("two of one hotel's: %+v, %v", two, err)
		}
		spoil(&other)
		hotels.Do(func() { hotels.Others = []hotel.Property{other} })
		system.DB.Advance(time.Hour)
		if a := front.Get(path); a.Status != 503 || a.Header.Get("Retry-After") == "" || strings.Contains(string(a.Body), "Next door") {
			t.Errorf("%s: %d %v %s", name, a.Status, a.Header, a.Body)
		}
	}
}

// No event reports changes of properties. A change of the tenant's configuration is shown at once, and other changes
// after five minutes.
func TestListProperties_newRoom(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function, configupdated.Function)
	front, hotel, now := system.Front.As(""), system.Platform.Tenants[0].ID, system.Env.Now()
	shown := func(name, state string) {
		t.Helper()
		if a := front.Get(path); a.Status != 200 || a.Header.Get("X-Cache") != state || !strings.Contains(string(a.Body), `"name":"`+name+`"`) {
			t.Errorf("want %s, %s: %d %s %s", name, state, a.Status, a.Header.Get("X-Cache"), a.Body)
		}
	}
	called := func(name string) {
		hotels.Do(func() { hotels.Property.RoomTypes[0].Name, hotels.Property.RoomTypes[0].Localized = name, nil })
	}
	called("One")
	shown("One", "MISS")
	called("Two")
	shown("One", "HIT")
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"properties"}, "updatedAt": now}, now)
	shown("Two", "MISS")
	called("Three")
	shown("Two", "HIT")
	system.DB.Advance(5*time.Minute + time.Second)
	shown("Three", "MISS")
}

func TestListProperties_stale(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	before := front.Get(path)
	hotels.Mood("property", upstreamtest.Failing)
	system.DB.Advance(6 * time.Minute)
	if a := front.Get(path); a.Status != 200 || a.Header.Get("X-Cache") != "STALE" || string(a.Body) != string(before.Body) {
		t.Errorf("six minutes later: %d %s %s", a.Status, a.Header.Get("X-Cache"), a.Body)
	}
	system.DB.Advance(30 * time.Minute)
	if a := front.Get(path); a.Status != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("much later: %d %v %s", a.Status, a.Header, a.Body)
	}
}

func TestListProperties_slowService(t *testing.T) {
	t.Parallel()
	for mood, name := range map[upstreamtest.Mood]string{upstreamtest.Hanging: "hanging", upstreamtest.Failing: "failing", upstreamtest.Garbled: "garbled",
		upstreamtest.Garbage: "garbage", upstreamtest.Endless: "endless"} {
		system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
		hotels.Mood("property", mood)
		var a fntest.Answer
		took, stalled := fntest.Timed(func() { a = system.Front.As("").Get(path) })
		if a.Status != 503 || a.Header.Get("Retry-After") == "" || took > system.Env.Timeout(time.Second+50*time.Millisecond) {
			t.Errorf("%s: got %d after %v, not counting %v in which the machine was stalled: %s", name, a.Status, took, stalled, a.Body)
		}
	}
}

func TestListProperties_suspendedAndUnknown(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function, tenantsuspended.Function)
	front, hotel, now := system.Front.As(""), system.Platform.Tenants[0].ID, system.Env.Now()
	front.Get(path)
	system.Deliver(tenantsuspended.Function, hotel, map[string]any{"tenantId": hotel, "reason": "unpaid", "suspendedAt": now}, now)
	if a := front.Get(path); a.Status != 503 || a.Code() != "TENANT.SUSPENDED" {
		t.Errorf("suspended: %d %s", a.Status, a.Body)
	}
	if a := front.Get(strings.Replace(path, "kabul-grand", "nowhere", 1)); a.Status != 404 || a.Code() != "TENANT.UNKNOWN" {
		t.Errorf("unknown: %d %s", a.Status, a.Body)
	}
}
