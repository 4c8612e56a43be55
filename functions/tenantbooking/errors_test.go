package tenantbooking_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestErrors_published(t *testing.T) {
	t.Parallel()
	type guest = tenantbookingtest.Guest
	for _, test := range []struct {
		name     string
		trouble  func(*guest)
		send     func(*guest) (string, string, any)
		status   int
		code     string
		upstream string
	}{
		{"the rooms are sold", func(g *guest) { g.Platform.Change(func() { g.Platform.SoldOut = true }) },
			func(g *guest) (string, string, any) { return "POST", "/hold", g.HoldBody() }, http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED", "reservation-service"},
		{"the price is old", func(g *guest) { g.DB.Advance(15 * time.Minute) },
			func(g *guest) (string, string, any) { return "POST", "/hold", g.HoldBody() }, http.StatusGone, "BFF.TENANT.QUOTE_EXPIRED", ""},
		{"the reservation service is away", func(g *guest) { g.Platform.Change(func() { g.Platform.Down = "reservation" }) },
			func(g *guest) (string, string, any) { return "POST", "/hold", g.HoldBody() }, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE", "reservation-service"},
		{"the payment service is away", func(g *guest) { g.Hold().SetGuest().Platform.Change(func() { g.Platform.Down = "payment" }) },
			func(g *guest) (string, string, any) {
				return "POST", "/draft/" + g.Draft.String() + "/payment-intent", `{"method":"card"}`
			}, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE", "payment-gateway-service"},
		{"a step is left out", func(*guest) {}, func(g *guest) (string, string, any) {
			return "POST", "/draft/" + g.Draft.String() + "/payment-intent", `{"method":"card"}`
		}, http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote()
			test.trouble(g)
			method, path, body := test.send(g)
			g.Send(method, path, body).WantProblem(t, test.status, test.code)
			var code, upstream string
			err := g.DB.Owner(t).QueryRow(t.Context(), `
				SELECT payload ->> 'errorCode', coalesce(payload ->> 'upstream', '') FROM bff_tenant_booking.outbox
				WHERE subject LIKE '%error_encountered%' AND payload ->> 'draftId' = @draft`, pgx.StrictNamedArgs{"draft": g.Draft.String()}).Scan(&code, &upstream)
			check.Must(t, err)
			check.Equal(t, code, "MELMASTOON."+test.code, "published the code")
			check.Equal(t, upstream, test.upstream, "published the upstream")
		})
	}
}

func TestQuote_invalidSelection(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0)
	for theirs, want := range map[string]string{
		"/promoCode": "/promoCode", "/stayWindow/start": "/stayWindow/checkIn", "/stayWindow/end": "/stayWindow/checkOut", "/stayWindow": "/stayWindow",
		"/items/0/ratePlanId": "/ratePlanId", "/items/1/roomTypeId": "/roomTypeId", "/items/0/occupants": "/occupancy", "/items": "/occupancy",
		"/sessionId": "", "/items/0/units": "",
	} {
		t.Run(theirs, func(t *testing.T) {
			g.Platform.Change(func() { g.Platform.RejectedMember = theirs })
			a := g.Send("POST", "/quote", g.QuoteBody())
			var got string
			if violations := a.Problem().Violations; len(violations) == 1 {
				got = violations[0].Pointer
			}
			a.WantProblem(t, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED")
			check.Equal(t, got, want, "a violation of")
		})
	}
}

func TestPay_unsupportedMethod(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
	check.Equal(t, g.Send("POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"paypal"}`).Code(), "TENANT.PAYMENT_NOT_CONFIGURED")
}

func TestPay_expiredHold(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	g.DB.Advance(10 * time.Minute)
	g.Send("POST", "/draft/"+g.Draft.String()+"/confirm", nil).WantProblem(t, http.StatusGone, "RESERVATION.HOLD_EXPIRED")
	g.WantEnd("failed", "failed", created, intended, errored)
}

func TestTelemetry_withoutConsent(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Silent(0).RequestQuote().Hold()
	g.Platform.Change(func() { g.Platform.Down = "payment" })
	g.SetGuest().Send("POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"card"}`)
	var watched int
	err := g.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_tenant_booking.outbox WHERE envelope ->> 'retentionClass' = 'operational'`).Scan(&watched)
	check.Must(t, err)
	check.Equal(t, watched, 0, "events of telemetry")
	if got, want := g.Published(), []string{created}; !slices.Equal(got, want) { // evidence, which needs no consent
		t.Errorf("published %v, want %v", got, want)
	}
}

func TestEvents_noPersonalData(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	g.Platform.Pay(g.Intent, false)
	g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
	var named int
	err := g.DB.Owner(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM bff_tenant_booking.outbox WHERE concat(payload, envelope) ~* 'zarghona|ahmadzai|example.com|0123456')
			+ (SELECT count(*) FROM bff_tenant_booking.booking_draft_snapshots s WHERE s::text ~* 'zarghona|ahmadzai|example.com|0123456')
			+ (SELECT count(*) FROM bff_tenant_booking.booking_drafts d WHERE d::text ~* 'zarghona|ahmadzai|example.com|0123456')`).Scan(&named)
	check.Must(t, err)
	check.Equal(t, named, 0, "rows with the guest's name")
	var email string
	err = g.DB.Owner(t).QueryRow(t.Context(), `SELECT coalesce(guest_email_hash, '') FROM bff_tenant_booking.booking_draft_snapshots`).Scan(&email)
	check.Must(t, err)
	check.Equal(t, len(email), len("sha256:")+64, "length of the pseudonym")
}
