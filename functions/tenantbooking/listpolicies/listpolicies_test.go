package listpolicies

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

const path = "/bff/tenant-booking/v1/kabul-grand/policies"

func TestListPolicies_languageAndCaching(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first := front.Get(path, "Accept-Language", "ps")
	first.Want(t, 200, "Content-Language", "ps-AF",
		"Cache-Control", "public, max-age=300", "Vary", "Origin, Accept-Language", "Set-Cookie", "") // for shared caches
	first.WantText(t, "د ننوتلو وخت")
	again := front.Get(path, "Accept-Language", "ps", "If-None-Match", first.Header.Get("Etag"))
	again.Want(t, 304, "X-Cache", "HIT")
	check.Equal(t, len(again.Body), 0, "body of a 304")
	english := front.Get(path+"?locale=en", "If-None-Match", first.Header.Get("Etag"))
	english.Want(t, 200)
	english.WantText(t, "Check-in")
	check.Equal(t, hotels.Calls("property"), 1, "calls of the property service")
	front.Get(path+"?locale=de").WantProblem(t, 422, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED")
}

// The encoded response stays in the cache as long as its rules.
func TestListPolicies_newRule(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function, configupdated.Function)
	front, hotel, now := system.Front.As(""), system.Platform.Tenants[0].ID, system.Env.Now()
	for range 3 {
		front.Get(path)
	}
	before, property := front.Get(path), id.New[id.Property]()
	hotels.Do(func() { hotels.Property.ID = property })
	cached := front.Get(path) // no event has reported the change
	cached.Want(t, 200, "X-Cache", "HIT")
	cached.WantText(t, string(before.Body))
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"policies"}, "updatedAt": now}, now)
	after := front.Get(path, "If-None-Match", before.Header.Get("Etag"))
	after.Want(t, 200)
	after.WantText(t, property.String())
	check.NotEqual(t, after.Header.Get("Etag"), before.Header.Get("Etag"), "the new content has the old ETag")
}

func TestListPolicies_slowService(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	hotels.SetBehavior("property", upstreamtest.Hanging)
	var a fntest.Answer
	took, stalled := fntest.Timed(func() { a = system.Front.As("").Get(path) })
	a.Want(t, 503)
	if want := system.Env.Timeout(time.Second + 50*time.Millisecond); took > want {
		t.Errorf("took %v, not counting %v in which the machine was stalled, want at most %v", took, stalled, want)
	}
}
