package sandbox_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

const (
	scenarioHeader = "X-Sandbox-Scenario"
	authentication = "/sandbox/payment/v1/authentications"
	returnPage     = "https://kabul-grand.example/return?draft=1"
	capturedEvent  = "payment.transaction.captured.v1"
	failedEvent    = "payment.transaction.failed.v1"
)

// An openedIntent is the answer to the opening of an intent.
type openedIntent struct {
	ID          id.Intent      `json:"paymentIntentId"`
	Reservation id.Reservation `json:"-"`
	Status      payment.Status `json:"status"`
	RedirectURL string         `json:"redirectUrl"`
	Secret      string         `json:"clientSecret"`
}

// openIn opens an intent over HTTP in a scenario.
func openIn(t *testing.T, f *fntest.Front, method, scenario string) (o openedIntent) {
	t.Helper()
	o.Reservation = id.New[id.Reservation]()
	got := f.Post("/sandbox/payment/v1/intents", body{"tenantId": kabul.Tenant, "reservationId": o.Reservation, "method": method,
		"amountMicro": "1000000000", "currency": "AFN", "returnUrl": returnPage}, scenarioHeader, scenario)
	got.Want(t, http.StatusCreated)
	got.Into(t, &o)
	return o
}

// press presses a button of the checkout page and returns the URL that it leads to.
func (o openedIntent) press(t *testing.T, f *fntest.Front, action string) string {
	t.Helper()
	got := f.As("").Post("/sandbox/payment/v1/checkout/"+o.ID.String(), "action="+action, "Content-Type", form)
	got.Want(t, http.StatusSeeOther)
	return got.Header.Get("Location")
}

func (b books) wantStatus(t *testing.T, i id.Intent, want payment.Status, attempts int) {
	t.Helper()
	got := b.get(t, i)
	check.Equal(t, got.Status, want)
	check.Equal(t, got.Attempts, attempts)
}

func (b books) wantPublished(t *testing.T, r id.Reservation, want ...string) {
	t.Helper()
	check.Equal(t, b.published(t, r), append([]string{}, want...))
}

// A payment by mobile money has no payment page: the guest approves on the phone, which is the checkout page here.
func TestMobileMoney_onThePhone(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	o := openIn(t, f, "mfs", "")
	check.Equal(t, o.Status, payment.RequiresAction)
	check.Equal(t, o.RedirectURL+o.Secret, "", "redirectUrl %q and clientSecret %q", o.RedirectURL, o.Secret)
	phone := "https://pay.example/sandbox/payment/v1/checkout/" + o.ID.String()
	f.Get(strings.TrimPrefix(phone, "https://pay.example")).WantText(t, "asks for this payment on your phone", `value="pay"`)
	check.Equal(t, o.press(t, f, "decline"), phone, "where the phone leads")
	b.wantStatus(t, o.ID, payment.RequiresAction, 1)
	for range 2 {
		o.press(t, f, "pay")
	}
	b.wantStatus(t, o.ID, payment.Captured, 1)
	b.wantPublished(t, o.Reservation, capturedEvent)
}

// A card that needs 3-D Secure is approved with the client secret only, from a page of any origin.
func TestAuthenticate(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	o := openIn(t, f, "card", "challenge_3ds")
	check.Equal(t, o.Status, payment.RequiresAction)
	check.Equal(t, o.RedirectURL, "")
	o.press(t, f, "pay") // without the secret
	b.wantStatus(t, o.ID, payment.RequiresAction, 0)
	approve := func(secret, action string) fntest.Answer {
		return f.As("").Post(authentication, url.Values{"clientSecret": {secret}, "action": {action}}.Encode(), "Content-Type", form,
			"Sec-Fetch-Site", "cross-site", "Origin", "https://kabul-grand.example")
	}
	for _, secret := range []string{"", o.ID.String(), o.ID.String() + "_secret_", o.Secret[:len(o.Secret)-1], openIn(t, f, "card", "").ID.String()} {
		approve(secret, "pay").WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
	}
	approve(o.Secret, "capture").WantProblem(t, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED")
	b.wantStatus(t, o.ID, payment.RequiresAction, 0)
	approve(o.Secret, "decline").Want(t, http.StatusSeeOther, "Location", returnPage)
	b.wantStatus(t, o.ID, payment.RequiresAction, 1)
	for range 2 {
		approve(o.Secret, "pay").Want(t, http.StatusSeeOther, "Location", returnPage)
	}
	b.wantStatus(t, o.ID, payment.Captured, 1)
	b.wantPublished(t, o.Reservation, capturedEvent)
	check.Lacks(t, string(f.Get("/sandbox/payment/v1/intents/"+o.ID.String()).Body), "clientSecret")
}

// In declined_3ds the bank declines each approval; the fifth ends the intent. Without the scenario the guest gets another intent.
func TestAuthenticate_declined(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	o := openIn(t, f, "card", "declined_3ds")
	for n := 1; n <= 6; n++ {
		f.As("").Post(authentication, url.Values{"clientSecret": {o.Secret}, "action": {"pay"}}.Encode(), "Content-Type", form).
			Want(t, http.StatusSeeOther)
		if n == 1 {
			b.wantStatus(t, o.ID, payment.RequiresAction, 1)
		}
	}
	b.wantStatus(t, o.ID, payment.Failed, 5)
	b.wantPublished(t, o.Reservation, failedEvent)
	again := openIn(t, f, "card", "declined_3ds")
	fresh, err := b.Intents.Open(t.Context(), wanted(again.Reservation, standin.Card))
	check.Must(t, err)
	check.Equal(t, fresh.Status, payment.RequiresPayment, "the next payment")
	b.wantStatus(t, again.ID, payment.Superseded, 0)
}

// While the bank is processing a payment, it cannot be paid again, declined, superseded or cancelled.
func TestProcessing(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	for _, method := range []string{"card", "mfs"} {
		t.Run(method, func(t *testing.T) {
			payable := map[string]payment.Status{"card": payment.RequiresPayment, "mfs": payment.RequiresAction}[method]
			o := openIn(t, f, method, "pending")
			o.press(t, f, "pay")
			b.wantStatus(t, o.ID, payment.Processing, 0)
			o.press(t, f, "pay")
			o.press(t, f, "decline")
			b.wantStatus(t, o.ID, payment.Processing, 0)
			same, err := b.Intents.Open(t.Context(), wanted(o.Reservation, standin.Method(method)))
			check.Must(t, err)
			check.Equal(t, same.ID, o.ID, "the same method opens")
			check.Got(b.Intents.Open(t.Context(), wanted(o.Reservation, standin.CashOnArrival))).Error(t, payment.ErrProcessing, "another method")
			check.Must(t, b.db.InTenant(t.Context(), kabul.Tenant, func(tx postgres.Tx) error { return b.CancelLive(t.Context(), tx, o.Reservation) }))
			b.wantStatus(t, o.ID, payment.Processing, 0)
			o.press(t, f, "refuse")
			b.wantStatus(t, o.ID, payable, 1)
			o.press(t, f, "capture") // an answer to a payment that is not processing
			b.wantStatus(t, o.ID, payable, 1)
			o.press(t, f, "later")
			for range 2 {
				o.press(t, f, "capture")
				o.press(t, f, "refuse")
			}
			b.wantStatus(t, o.ID, payment.Captured, 1)
			b.wantPublished(t, o.Reservation, capturedEvent)
		})
	}
}

// If the bank never answers, the intent fails when it expires. Then the guest can choose another method.
func TestProcessing_noAnswer(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	swept, replaced := openIn(t, f, "card", "pending"), openIn(t, f, "card", "pending")
	swept.press(t, f, "pay")
	replaced.press(t, f, "pay")
	b.Advance(30 * time.Minute)
	b.wantStatus(t, swept.ID, payment.Failed, 0)
	check.Got(b.Intents.Open(t.Context(), wanted(replaced.Reservation, standin.MFS))).NoError(t, "another method after the expiry")
	for range 2 {
		swept.press(t, f, "capture")
		check.Got(b.Expire(t.Context(), swept.ID)).Must(t)
	}
	b.wantPublished(t, swept.Reservation, failedEvent)
	b.wantPublished(t, replaced.Reservation)
}

// The bank's answers and the guest's actions arrive concurrently. The intent is captured once, or stays open.
func TestProcessing_concurrently(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	i := b.opened(t, standin.Card)
	check.Got(b.Defer(t.Context(), i.ID)).Must(t)
	acts := []func(context.Context, id.Intent) (payment.Intent, error){b.Capture, b.Refuse, b.Pay, b.Defer, b.Expire}
	callers, ctx := errgroup.WithContext(t.Context())
	for n := range 30 {
		callers.Go(func() error { _, err := acts[n%len(acts)](ctx, i.ID); return err })
	}
	check.Must(t, callers.Wait())
	if _, err := b.Pay(t.Context(), i.ID); err != nil { // if all others ended in an open intent
		t.Fatal(err)
	}
	check.Got(b.Capture(t.Context(), i.ID)).Must(t)
	ended := b.get(t, i.ID)
	want := capturedEvent
	if ended.Status == payment.Failed {
		want = failedEvent
	}
	b.wantPublished(t, i.Reservation, want)
}

// A provider may send the browser back with a form: the redirect keeps the method.
func TestPostedReturn(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	o := openIn(t, f, "card", "posted_return")
	got := f.As("").Post("/sandbox/payment/v1/checkout/"+o.ID.String(), "action=pay", "Content-Type", form)
	got.Want(t, http.StatusTemporaryRedirect, "Location", returnPage)
	b.wantStatus(t, o.ID, payment.Captured, 0)
}

// Payment scenarios have no effect on a promise of cash, and 3-D Secure applies to cards only.
func TestPaymentScenario_otherMethods(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	for _, scenario := range []string{"pending", "challenge_3ds", "declined_3ds", "posted_return"} {
		t.Run(scenario, func(t *testing.T) {
			check.Equal(t, openIn(t, f, "cash_on_arrival", scenario).Status, payment.PendingCash)
			check.Equal(t, openIn(t, f, "mfs", scenario).Secret, "", "client secret of mfs")
		})
	}
}

// Scenarios of the tenant and inventory services that a front end must handle.
func TestScenarios_suspendedAndExpired(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	f.Get("/sandbox/tenant/v1/tenants/"+kabul.Slug, scenarioHeader, "tenant_suspended").WantText(t, `"status":"suspended"`)
	f.Get("/sandbox/tenant/v1/tenants/"+kabul.Slug).WantText(t, `"status":"active"`)
	held := fntest.Read[inventory.HoldResult](t, f.Post("/sandbox/inventory/v1/holds", holdRequest(b.want(b.nights(10, 2), 1)), scenarioHeader, "hold_expired"))
	if left := held.ExpiresAt.Sub(b.env.Now()); left > time.Second {
		t.Errorf("the rooms are held for %v, want at most a second", left)
	}
}
