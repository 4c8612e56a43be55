package listpolicies

import (
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

const path = "/bff/tenant-booking/v1/kabul-grand/policies"

func TestListPolicies_languageAndCaching(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first := front.Get(path, "Accept-Language", "ps")
	if first.Status != 200 || !strings.Contains(string(first.Body), "د ننوتلو وخت") || first.Header.Get("Content-Language") != "ps-AF" {
		t.Errorf("got %d %s", first.Status, first.Body)
	}
	if vary := strings.Join(first.Header.Values("Vary"), ", "); first.Header.Get("Cache-Control") != "public, max-age=300" || vary != "Origin, Accept-Language" || first.Header.Get("Set-Cookie") != "" {
		t.Errorf("a shared cache reads %v", first.Header)
	}
	again := front.Get(path, "Accept-Language", "ps", "If-None-Match", first.Header.Get("Etag"))
	if again.Status != 304 || len(again.Body) != 0 || again.Header.Get("X-Cache") != "HIT" {
		t.Errorf("the same: %d %s", again.Status, again.Body)
	}
	english := front.Get(path+"?locale=en", "If-None-Match", first.Header.Get("Etag"))
	if english.Status != 200 || !strings.Contains(string(english.Body), "Check-in") || hotels.Asked("property") != 1 {
		t.Errorf("in English: %d %s, asked %d times", english.Status, english.Body, hotels.Asked("property"))
	}
	if unknown := front.Get(path + "?locale=de"); unknown.Status != 422 || unknown.Code() != "BFF.CONSUMER.LOCALE_NOT_SUPPORTED" {
		t.Errorf("in German: %d %s", unknown.Status, unknown.Body)
	}
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
	if still := front.Get(path); still.Header.Get("X-Cache") != "HIT" || string(still.Body) != string(before.Body) {
		t.Errorf("changed without an event: %s", still.Body)
	}
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"policies"}, "updatedAt": now}, now)
	after := front.Get(path, "If-None-Match", before.Header.Get("Etag"))
	if after.Status != 200 || !strings.Contains(string(after.Body), property.String()) || after.Header.Get("Etag") == before.Header.Get("Etag") {
		t.Errorf("after a new rule: %d %s", after.Status, after.Body)
	}
}

func TestListPolicies_slowService(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	hotels.Mood("property", upstreamtest.Hanging)
	var a fntest.Answer
	if took, stalled := fntest.Timed(func() { a = system.Front.As("").Get(path) }); a.Status != 503 || took > system.Env.Timeout(time.Second+50*time.Millisecond) {
		t.Errorf("got %d after %v, not counting %v in which the machine was stalled: %s", a.Status, took, stalled, a.Body)
	}
}
