package listproperties

import (
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	want := `{"locale":"ps-AF","properties":[{"propertyId":"` + property.ID.String() + `","name":"کابل ګرانډ هوټل","timeZone":"Asia/Kabul","roomTypes":[` + room + `],"ratePlans":[{"ratePlanId":"` +
		property.RatePlans[0].ID.String() + `","name":"Flexible","mealPlan":"breakfast"}]}]}`
	first.Want(t, 200, "Content-Language", "ps-AF", "X-Cache", "MISS",
		"Cache-Control", "public, max-age=300", "Vary", "Origin, Accept-Language", "Set-Cookie", "") // for shared caches
	check.Equal(t, string(first.Body), want)
	again := front.Get(path, "Accept-Language", "ps", "If-None-Match", first.Header.Get("Etag"))
	again.Want(t, 304, "X-Cache", "HIT")
	check.Equal(t, len(again.Body), 0, "body of a 304")
	for _, request := range [][]string{{path + "?locale=en"}, {path, "Accept-Language", "en-GB"}} {
		english := front.Get(request[0], append(request[1:], "If-None-Match", first.Header.Get("Etag"))...)
		english.Want(t, 200)
		english.WantText(t, `"name":"Kabul Grand Hotel"`, `"name":"Deluxe","description":"A large room"`)
	}
	dari := front.Get(path + "?locale=fa-AF") // without descriptions in that language
	dari.Want(t, 200, "Content-Language", "fa-AF")
	dari.WantText(t, `"name":"Deluxe"`)
	check.Equal(t, hotels.Calls("property"), 1, "calls of the property service")
	front.Get(path+"?locale=de").WantProblem(t, 422, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED")
}

func TestListProperties_otherTenant(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*hotel.Property){
		"another tenant": func(p *hotel.Property) { p.Tenant = id.New[id.Tenant]() },
		"no tenant":      func(p *hotel.Property) { p.Tenant = id.Tenant{} },
		"no id":          func(p *hotel.Property) { p.ID = id.Property{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
			second := hotels.Property
			second.ID, second.Name.Default = id.New[id.Property](), "Next door"
			front := system.Front.As("")
			hotels.Do(func() { hotels.Others = []hotel.Property{second} })
			out := fntest.Read[Response](t, front.Get(path))
			check.MustEqual(t, len(out.Properties), 2)
			check.Equal(t, out.Properties[1].Property, second.ID, "as the second property")
			change(&second)
			hotels.Do(func() { hotels.Others = []hotel.Property{second} })
			system.DB.Advance(time.Hour)
			a := front.Get(path)
			a.Want(t, 503, "Retry-After", fntest.Any)
			check.Lacks(t, string(a.Body), "Next door")
		})
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
		a := front.Get(path)
		a.Want(t, 200, "X-Cache", state)
		a.WantText(t, `"name":"`+name+`"`)
	}
	rename := func(name string) {
		hotels.Do(func() { hotels.Property.RoomTypes[0].Name, hotels.Property.RoomTypes[0].Localized = name, nil })
	}
	rename("One")
	shown("One", "MISS")
	rename("Two")
	shown("One", "HIT")
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"properties"}, "updatedAt": now}, now)
	shown("Two", "MISS")
	rename("Three")
	shown("Two", "HIT")
	system.DB.Advance(5*time.Minute + time.Second)
	shown("Three", "MISS")
}

func TestListProperties_stale(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	before := front.Get(path)
	hotels.SetBehavior("property", upstreamtest.Failing)
	system.DB.Advance(6 * time.Minute)
	stale := front.Get(path)
	stale.Want(t, 200, "X-Cache", "STALE")
	stale.WantText(t, string(before.Body))
	system.DB.Advance(30 * time.Minute)
	front.Get(path).Want(t, 503, "Retry-After", fntest.Any)
}

func TestListProperties_slowService(t *testing.T) {
	t.Parallel()
	for behavior, name := range map[upstreamtest.Behavior]string{upstreamtest.Hanging: "hanging", upstreamtest.Failing: "failing", upstreamtest.Garbled: "garbled",
		upstreamtest.Garbage: "garbage", upstreamtest.Endless: "endless"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
			hotels.SetBehavior("property", behavior)
			var a fntest.Answer
			took, stalled := fntest.Timed(func() { a = system.Front.As("").Get(path) })
			a.Want(t, 503, "Retry-After", fntest.Any)
			if want := system.Env.Timeout(time.Second + 50*time.Millisecond); took > want {
				t.Errorf("took %v, not counting %v in which the machine was stalled, want at most %v", took, stalled, want)
			}
		})
	}
}

func TestListProperties_suspendedAndUnknown(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function, tenantsuspended.Function)
	front, hotel, now := system.Front.As(""), system.Platform.Tenants[0].ID, system.Env.Now()
	front.Get(path)
	system.Deliver(tenantsuspended.Function, hotel, map[string]any{"tenantId": hotel, "reason": "unpaid", "suspendedAt": now}, now)
	front.Get(path).WantProblem(t, 503, "TENANT.SUSPENDED")
	front.Get(strings.Replace(path, "kabul-grand", "nowhere", 1)).WantProblem(t, 404, "TENANT.UNKNOWN")
}
