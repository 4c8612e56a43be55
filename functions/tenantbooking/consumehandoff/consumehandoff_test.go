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
	if err != nil {
		t.Fatalf("got no cookie: %v in %d %v %s", err, first.Status, first.Header, first.Body)
	}
	first.Want(t, 200, "Cache-Control", "private, no-store")
	if arrived.ID.IsZero() {
		t.Errorf("got no arrival id in %s", first.Body)
	}
	if got := arrived.Occupancy.Adults; got != 2 {
		t.Errorf("got %d adults, want 2", got)
	}
	// The token and the key without the cookie open no session, because the request may have been copied.
	front.Post(path, link, "Idempotency-Key", key).Want(t, 409, "Set-Cookie", "")
	if again := post(front, link, "Cookie", cookie.Name+"="+cookie.Value); string(again.Body) != string(first.Body) {
		t.Errorf("the same session gets %d %s, want %s", again.Status, again.Body, first.Body)
	}
	post(front, link).WantProblem(t, 409, "BFF.CONSUMER.HANDOFF_REPLAYED") // another session
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 1)
	tenantbookingtest.WantEvents(t, system.DB, "flow.error_encountered", 2)
	var code string // the attribute by which the consumer site's subscription filters
	err = system.DB.Owner(t).QueryRow(t.Context(), `
		SELECT DISTINCT envelope -> 'extensions' ->> 'errorcode' FROM bff_tenant_booking.outbox
		WHERE subject = $1`, subject.ErrorEncounteredV1.Name).Scan(&code)
	if err != nil {
		t.Fatal(err)
	}
	if want := "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED"; code != want {
		t.Errorf("the replay is published with code %q, want %q", code, want)
	}
}

func post(front *fntest.Front, body any, headers ...string) fntest.Answer {
	return front.Post(path, body, append(headers, "Idempotency-Key", tenantbookingtest.Key())...)
}

func TestConsumeHandoff_invalidToken(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	for name, token := range map[string]any{"no handoff": "v1.a.b", "empty": "", "handoff to another hotel": system.Link(1)} {
		t.Run(name, func(t *testing.T) {
			a := post(system.Front.As(""), map[string]any{"token": token})
			a.WantProblem(t, 401, "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID", "Set-Cookie", "", "WWW-Authenticate", "Handoff")
		})
	}
	expired := system.Link(0)
	system.DB.Advance(31 * time.Minute)
	post(system.Front.As(""), map[string]any{"token": expired}).WantProblem(t, 410, "BFF.CONSUMER.HANDOFF_EXPIRED")
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 0)
}
