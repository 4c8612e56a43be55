package consumehandoff

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

const path = "/bff/tenant-booking/v1/kabul-grand/handoff/consume"

func TestConsumeHandoff_oneSession(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link, key := system.Front.As(""), map[string]any{"token": system.Link(0)}, tenantbookingtest.Key()
	first := front.Post(path, link, "Idempotency-Key", key)
	arrived := fntest.Read[session.Arrival](t, first)
	cookie, err := http.ParseSetCookie(first.Header.Get("Set-Cookie"))
	check.Must(t, err, "no cookie: in %d %v %s", first.Status, first.Header, first.Body)
	first.Want(t, 200, "Cache-Control", "private, no-store")
	check.Equal(t, arrived.ID.IsZero(), false, "no arrival id in %s", first.Body)
	check.Equal(t, arrived.Occupancy.Adults, 2)
	// The token and the key without the cookie open no session, because the request may have been copied.
	front.Post(path, link, "Idempotency-Key", key).Want(t, 409, "Set-Cookie", "")
	check.Equal(t, string(post(front, link, "Cookie", cookie.Name+"="+cookie.Value).Body), string(first.Body), "the same session gets")
	post(front, link).WantProblem(t, 409, "BFF.CONSUMER.HANDOFF_REPLAYED") // another session
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 1)
	tenantbookingtest.WantEvents(t, system.DB, "flow.error_encountered", 2)
	var code string // the attribute by which the consumer site's subscription filters
	err = system.DB.Owner(t).QueryRow(t.Context(), `
		SELECT DISTINCT envelope -> 'extensions' ->> 'errorcode' FROM bff_tenant_booking.outbox
		WHERE subject = $1`, subject.ErrorEncounteredV1.Name).Scan(&code)
	check.Must(t, err)
	check.Equal(t, code, "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED", "the replay is published with code")
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
