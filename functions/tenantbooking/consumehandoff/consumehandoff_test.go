package consumehandoff

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

const path = "/bff/tenant-booking/v1/kabul-grand/handoff/consume"

func TestConsumeHandoff_oneSession(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link, key := system.Front.As(""), map[string]any{"token": system.Link(0)}, tenantbookingtest.Key()
	first := front.Post(path, link, "Idempotency-Key", key)
	var arrived session.Arrival
	first.Into(t, &arrived)
	cookie, err := http.ParseSetCookie(first.Header.Get("Set-Cookie"))
	if first.Status != 200 || err != nil || arrived.ID.IsZero() || arrived.Occupancy.Adults != 2 || first.Header.Get("Cache-Control") != "private, no-store" {
		t.Fatalf("got %d %v %s", first.Status, first.Header, first.Body)
	}
	// The token and the key without the cookie open no session, because the request may have been copied.
	if again := front.Post(path, link, "Idempotency-Key", key); again.Status != 409 || again.Header.Get("Set-Cookie") != "" {
		t.Errorf("the same key without the session: %d %v %s", again.Status, again.Header, again.Body)
	}
	session := cookie.Name + "=" + cookie.Value
	if again := post(front, link, "Cookie", session); string(again.Body) != string(first.Body) {
		t.Errorf("the same session: %d %s", again.Status, again.Body)
	}
	if other := post(front, link); other.Status != 409 || other.Code() != "BFF.CONSUMER.HANDOFF_REPLAYED" {
		t.Errorf("another session: %d %s", other.Status, other.Body)
	}
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 1)
	tenantbookingtest.WantEvents(t, system.DB, "flow.error_encountered", 2)
	var code string // the attribute by which the consumer site's subscription filters
	err = system.DB.Owner(t).QueryRow(t.Context(), `
		SELECT DISTINCT envelope -> 'extensions' ->> 'errorcode' FROM bff_tenant_booking.outbox
		WHERE subject = $1`, subject.ErrorEncounteredV1.Name).Scan(&code)
	if err != nil || code != "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED" {
		t.Errorf("the replay is published with code %q, %v", code, err)
	}
}

func post(front *fntest.Front, body any, headers ...string) fntest.Answer {
	return front.Post(path, body, append(headers, "Idempotency-Key", tenantbookingtest.Key())...)
}

func TestConsumeHandoff_invalidToken(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	for name, token := range map[string]any{"nonsense": "v1.a.b", "nothing": "", "another hotel's": system.Link(1)} {
		a := post(system.Front.As(""), map[string]any{"token": token})
		if a.Status != 401 || a.Code() != "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID" || a.Header.Get("Set-Cookie") != "" || a.Header.Get("WWW-Authenticate") != "Handoff" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	late := system.Link(0)
	system.DB.Advance(31 * time.Minute)
	if a := post(system.Front.As(""), map[string]any{"token": late}); a.Status != 410 || a.Code() != "BFF.CONSUMER.HANDOFF_EXPIRED" {
		t.Errorf("too late: %d %s", a.Status, a.Body)
	}
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 0)
}
