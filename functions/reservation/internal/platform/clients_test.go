package platform

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// A fakeService gives one answer to every request and records the last request.
type fakeService struct {
	status  int
	answer  string
	request string // method, path and body
	calls   int
}

func (n *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	n.request, n.calls = strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)), n.calls+1
	w.Header().Set("Content-Type", "application/json")
	if n.status >= 400 {
		w.Header().Set("Content-Type", "application/problem+json")
	}
	w.WriteHeader(n.status)
	_, _ = io.WriteString(w, n.answer)
}

// withFake returns an environment in which every upstream is the fake service.
func withFake(t testing.TB, n *fakeService) env.Env {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	vars := map[string]string{}
	for _, name := range []string{"PRICING", "INVENTORY", "PAYMENT", "TENANT", "PROPERTY"} {
		vars["UPSTREAM_"+name+"_URL"] = server.URL + "/v1"
	}
	return env.Of(vars).With("TIMEOUT_FACTOR", "4") // these tests do not measure time
}

func same(t testing.TB, got, want string) {
	t.Helper()
	canonical := func(s string) string {
		line, body, ok := strings.Cut(s, "{")
		if !ok {
			return s
		}
		value := jsontext.Value("{" + body)
		if err := value.Canonicalize(); err != nil {
			t.Fatalf("%v in %s", err, s)
		}
		return line + string(value)
	}
	if canonical(got) != canonical(want) {
		t.Errorf("asked %s\nwant  %s", got, want)
	}
}

// noon is the fixed time of these tests.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// anAsk returns an ask for two rooms for two nights.
func anAsk(t testing.TB) quotes.Ask {
	t.Helper()
	start := stay.DateOf(noon.AddDate(0, 0, 11))
	ask := quotes.Ask{
		Property: id.New[id.Property](), Stay: stay.Window{Start: start, End: start.AddDays(2)}, Currency: money.USD, Locale: "fa-AF",
	}
	for _, occupants := range []stay.Occupants{{Adults: 2, Children: 1}, {Adults: 1}} {
		ask.Items = append(ask.Items, quotes.AskedItem{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: occupants})
	}
	return ask
}

// aHeld returns a reservation of two rooms, held for ten minutes.
func aHeld(t testing.TB) *booking.Reservation {
	t.Helper()
	ask := anAsk(t)
	r := &booking.Reservation{
		ID: id.New[id.Reservation](), Tenant: id.New[id.Tenant](), Property: ask.Property, Stay: ask.Stay, Currency: ask.Currency,
		Hold: booking.Hold{TTL: 600},
	}
	for _, item := range ask.Items {
		r.Items = append(r.Items, booking.Item{RoomType: item.RoomType})
		r.Hold.Allocations = append(r.Hold.Allocations, id.New[id.Allocation]())
	}
	return r
}

func TestPricing_request(t *testing.T) {
	t.Parallel()
	ask, tenant := anAsk(t), id.New[id.Tenant]()
	ask.Promo = "SPRING"
	n := &fakeService{status: http.StatusOK, answer: `{"items":[],"lines":[{"kind":"discount","description":"Spring","amountMicro":"-5000000"}],
		"totals":{"grandTotalMicro":"12500000","currency":"USD"},"cancellationPolicy":{"ref":"pol_1","freeUntilHoursBefore":48,"penaltyPercent":50,"description":""},
		"fxSnapshot":{"fxSnapshotId":"` + id.New[id.FX]().String() + `","base":"USD","quote":"AFN","rate":70.25,"source":"bank","capturedAt":"2026-11-20T12:00:00Z"},
		"validUntil":"2026-11-20T12:30:00.000Z","later":"additions"}`}
	price, err := OpenPricing(withFake(t, n)).Price(t.Context(), tenant, ask)
	if err != nil {
		t.Fatal(err)
	}
	same(t, n.request, `POST /v1/quotes {"tenantId":"`+tenant.String()+`","propertyId":"`+ask.Property.String()+`","items":[
		{"roomTypeId":"`+ask.Items[0].RoomType.String()+`","ratePlanId":"`+ask.Items[0].RatePlan.String()+`","occupants":{"adults":2,"children":1}},
		{"roomTypeId":"`+ask.Items[1].RoomType.String()+`","ratePlanId":"`+ask.Items[1].RatePlan.String()+`","occupants":{"adults":1,"children":0}}],
		"stayWindow":{"start":"2026-12-01","end":"2026-12-03"},"currency":"USD","promoCode":"SPRING"}`)
	if price.Totals.Grand != 12_500_000 {
		t.Errorf("price.Totals.Grand = %v, want 12_500_000", price.Totals.Grand)
	}
	if price.FX.Rate != 70.25 {
		t.Errorf("price.FX.Rate = %v, want 70.25", price.FX.Rate)
	}
	if price.Lines[0].Amount != -5_000_000 {
		t.Errorf("price.Lines[0].Amount = %v, want -5_000_000", price.Lines[0].Amount)
	}
	if !price.ValidUntil.Equal(noon.Add(30 * time.Minute)) {
		t.Errorf("price.ValidUntil = %v, want %v", price.ValidUntil, noon.Add(30*time.Minute))
	}
}

func TestPricing_violations(t *testing.T) {
	t.Parallel()
	n := &fakeService{status: http.StatusBadRequest, answer: `{"code":"MELMASTOON.GENERAL.VALIDATION_FAILED","violations":[
		{"pointer":"/promoCode","rule":"known","message":"No such code."},{"pointer":"/tenantId","rule":"form","message":"No."}]}`}
	_, err := OpenPricing(withFake(t, n)).Price(t.Context(), id.New[id.Tenant](), anAsk(t))
	f := fault.From(err)
	if !errors.Is(err, fault.ErrValidation) {
		t.Errorf("error = %v, want %v", err, fault.ErrValidation)
	}
	if len(f.Violations) != 1 {
		t.Fatalf("len(f.Violations) = %v, want 1", len(f.Violations))
	}
	if f.Violations[0].Pointer != "/promoCode" {
		t.Errorf(`f.Violations[0].Pointer = %q, want "/promoCode"`, f.Violations[0].Pointer)
	}
}

func TestPricing_noRetry(t *testing.T) {
	t.Parallel()
	n := &fakeService{status: http.StatusServiceUnavailable, answer: `{}`}
	if _, err := OpenPricing(withFake(t, n)).Price(t.Context(), id.New[id.Tenant](), anAsk(t)); !errors.Is(err, fault.ErrUpstreamUnavailable) || n.calls != 1 {
		t.Errorf("asked %d times: %v", n.calls, err)
	}
}

func TestInventory_requests(t *testing.T) {
	t.Parallel()
	r := aHeld(t)
	n := &fakeService{status: http.StatusCreated, answer: `{"placedAt":"2026-11-20T12:00:00Z","expiresAt":"2026-11-20T12:10:00.5Z"}`}
	i := OpenInventory(withFake(t, n))
	placed, err := i.Hold(t.Context(), r, r.Hold)
	if err != nil {
		t.Fatal(err)
	}
	if !placed.PlacedAt.Equal(noon) {
		t.Errorf("placed.PlacedAt = %v, want %v", placed.PlacedAt, noon)
	}
	if !placed.ExpiresAt.Equal(noon.Add(10*time.Minute + 500*time.Millisecond)) {
		t.Errorf("placed.ExpiresAt = %v, want %v", placed.ExpiresAt, noon.Add(10*time.Minute+500*time.Millisecond))
	}
	one, two := r.Hold.Allocations[0].String(), r.Hold.Allocations[1].String()
	same(t, n.request, `POST /v1/holds {"tenantId":"`+r.Tenant.String()+`","propertyId":"`+r.Property.String()+`","reservationId":"`+r.ID.String()+`",
		"stayWindow":{"start":"2026-12-01","end":"2026-12-03"},"ttlSeconds":600,"allocations":[
		{"allocationId":"`+one+`","roomTypeId":"`+r.Items[0].RoomType.String()+`","units":1},
		{"allocationId":"`+two+`","roomTypeId":"`+r.Items[1].RoomType.String()+`","units":1}]}`)
	n.status, n.answer = http.StatusOK, `{"committedAt":"2026-11-20T12:00:00Z"}`
	if err := i.Commit(t.Context(), r, r.Hold); err != nil {
		t.Error(err)
	}
	same(t, n.request, `POST /v1/commits {"tenantId":"`+r.Tenant.String()+`","allocationIds":["`+one+`","`+two+`"]}`)
	n.status, n.answer = http.StatusNoContent, ""
	if err := i.Release(t.Context(), r, r.Hold.Allocations[:1]); err != nil {
		t.Error(err)
	}
	same(t, n.request, `POST /v1/releases {"tenantId":"`+r.Tenant.String()+`","allocationIds":["`+one+`"]}`)
}

func TestInventory_errors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		code   string
		want   error
	}{
		{http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED", booking.ErrOverbooked},
		{http.StatusGone, "RESERVATION.HOLD_EXPIRED", booking.ErrHoldExpired},
	} {
		t.Run(test.code, func(t *testing.T) {
			n := &fakeService{status: test.status, answer: `{"status":409,"code":"MELMASTOON.` + test.code + `","title":"No","detail":"No."}`}
			r := aHeld(t)
			if _, err := OpenInventory(withFake(t, n)).Hold(t.Context(), r, r.Hold); !errors.Is(err, test.want) {
				t.Errorf("%s: got %v", test.code, err)
			}
		})
	}
}

func TestPayments_requests(t *testing.T) {
	t.Parallel()
	r := aHeld(t)
	event := id.New[id.Event]()
	capture := booking.Intent{ID: id.New[id.Intent](), CaptureEvent: &event}
	answer := func(status, event string) string {
		return `{"paymentIntentId":"` + capture.ID.String() + `","tenantId":"` + r.Tenant.String() + `","reservationId":"` + r.ID.String() + `",
			"method":"card","provider":"demo","status":"` + status + `","attempts":1,"amountMicro":"410000000","currency":"USD",
			"capturedMicro":"410000000","refundedMicro":"0"` + event + `,"expiresAt":"2026-11-20T12:10:00Z"}`
	}
	n := &fakeService{status: http.StatusOK, answer: answer("captured", `,"capturedEventId":"`+capture.CaptureEvent.String()+`"`)}
	p := OpenPayments(withFake(t, n))
	intent, err := p.Intent(t.Context(), r.Tenant, capture.ID)
	if err != nil {
		t.Fatal(err)
	}
	if intent.Captured != 410_000_000 || *intent.CaptureEvent != *capture.CaptureEvent {
		t.Errorf("understood %+v, %v", intent, err)
	}
	same(t, n.request, "GET /v1/intents/"+capture.ID.String())
	n.answer = answer("captured", "")
	if _, err := p.Intent(t.Context(), r.Tenant, capture.ID); !errors.Is(err, fault.ErrUpstreamUnavailable) {
		t.Errorf("a capture without its event: %v", err)
	}
	n.status, n.answer = http.StatusNotFound, `{"status":404,"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}`
	if _, err := p.Intent(t.Context(), r.Tenant, capture.ID); !errors.Is(err, booking.ErrNotCaptured) {
		t.Errorf("an unknown intent: %v", err)
	}
	n.status, n.answer = http.StatusOK, `{"refundId":"`+id.New[id.Refund]().String()+`","amountMicro":"5","totalRefundedMicro":"5"}`
	back := booking.Refund{ID: id.New[id.Refund](), Intent: capture.ID, Amount: 5}
	if err := p.Refund(t.Context(), r.Tenant, back, booking.BoughtNothing); err != nil {
		t.Error(err)
	}
	same(t, n.request, `POST /v1/intents/`+capture.ID.String()+`/refunds {"refundId":"`+back.ID.String()+`","amountMicro":"5","reason":"bought nothing"}`)
}

func TestPending(t *testing.T) {
	t.Parallel()
	r := aHeld(t)
	for _, test := range []struct {
		name, intents string
		want          bool
	}{
		{"no intent", ``, false},
		{"failed", `{"status":"failed","capturedMicro":"0","refundedMicro":"0"}`, false},
		{"superseded", `{"status":"superseded","capturedMicro":"0","refundedMicro":"0"}`, false},
		{"failed and live", `{"status":"failed","capturedMicro":"0","refundedMicro":"0"},{"status":"requires_payment","capturedMicro":"0","refundedMicro":"0"}`, true},
		{"failed, and another on the phone", `{"status":"failed","capturedMicro":"0","refundedMicro":"0"},{"status":"requires_action","capturedMicro":"0","refundedMicro":"0"}`, true},
		{"failed, and another at the bank", `{"status":"failed","capturedMicro":"0","refundedMicro":"0"},{"status":"processing","capturedMicro":"0","refundedMicro":"0"}`, true},
		{"cash promised", `{"status":"pending_cash","capturedMicro":"0","refundedMicro":"0"}`, true},
		{"captured", `{"status":"captured","capturedMicro":"5","refundedMicro":"4"}`, true},
		{"captured and refunded", `{"status":"captured","capturedMicro":"5","refundedMicro":"5"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := &fakeService{status: http.StatusOK, answer: `{"intents":[` + test.intents + `]}`}
			got, err := OpenPayments(withFake(t, n)).Pending(t.Context(), r.Tenant, r.ID)
			if err != nil || got != test.want {
				t.Errorf("Pending() = %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestSettings_cache(t *testing.T) {
	t.Parallel()
	n := &fakeService{status: http.StatusOK, answer: `{"region":"gcp-me-central1","settings":{"holdTtlSeconds":900,"noShowGraceHours":0}}`}
	e := withFake(t, n)
	tenants, tenant := OpenTenants(e), id.New[id.Tenant]()
	want := quotes.Settings{HoldTTL: 15 * time.Minute, Region: "gcp-me-central1"}
	for _, step := range []struct {
		name   string
		after  time.Duration
		status int
		answer string
		want   quotes.Settings
		calls  int
	}{
		{"asked", 0, 200, n.answer, want, 1},
		{"kept", 59 * time.Second, 200, `{"settings":{"holdTtlSeconds":120}}`, want, 1},
		{"kept over a failure", time.Second, 503, ``, want, 2},
		{"not asked again at once", time.Second, 503, ``, want, 2},
		{"asked again, and bounded", time.Minute, 200, `{"region":"r","settings":{"holdTtlSeconds":90000}}`, quotes.Settings{HoldTTL: 30 * time.Minute, NoShowGrace: 6, Region: "r"}, 3},
		{"from below too", time.Minute, 200, `{"region":"r","settings":{"holdTtlSeconds":1}}`, quotes.Settings{HoldTTL: 2 * time.Minute, NoShowGrace: 6, Region: "r"}, 4},
		{"a grace that no column takes", time.Minute, 200, `{"region":"r","settings":{"noShowGraceHours":2147483648}}`, quotes.Settings{HoldTTL: 10 * time.Minute, NoShowGrace: 720, Region: "r"}, 5},
		{"a grace below nothing", time.Minute, 200, `{"region":"r","settings":{"noShowGraceHours":-1}}`, quotes.Settings{HoldTTL: 10 * time.Minute, NoShowGrace: 0, Region: "r"}, 6},
	} {
		t.Run(step.name, func(t *testing.T) {
			e.Advance(step.after)
			n.status, n.answer = step.status, step.answer
			if got := tenants.Settings(t.Context(), tenant); got != step.want || n.calls != step.calls {
				t.Errorf("%s: got %v after %d calls, want %v after %d", step.name, got, n.calls, step.want, step.calls)
			}
		})
	}
	n.status = http.StatusServiceUnavailable
	if got := tenants.Settings(t.Context(), id.New[id.Tenant]()); got.HoldTTL != 10*time.Minute || got.Region != "" {
		t.Errorf("an unknown tenant: %v", got)
	}
}

func TestProperties_local(t *testing.T) {
	t.Parallel()
	tenant, property := id.New[id.Tenant](), id.New[id.Property]()
	kabul := quotes.Local{TimeZone: "Asia/Kabul", CheckInFrom: "14:00", CheckOutUntil: "12:00"}
	const unknown = `{"status":404,"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}`
	answer := func(tenant id.Tenant, zone string) string {
		return `{"propertyId":"` + property.String() + `","tenantId":"` + tenant.String() + `","timeZone":"` + zone + `","checkInFrom":"14:00","checkOutUntil":"12:00"}`
	}
	for _, test := range []struct {
		name   string
		status int
		answer string
		want   error
	}{
		{"known", http.StatusOK, answer(tenant, "Asia/Kabul"), nil},
		{"of another tenant", http.StatusOK, answer(id.New[id.Tenant](), "Asia/Kabul"), booking.ErrNotFound},
		{"without a zone", http.StatusOK, answer(tenant, ""), fault.ErrUpstreamUnavailable},
		{"in a zone that does not exist", http.StatusOK, answer(tenant, "Asia/Nowhere"), fault.ErrUpstreamUnavailable},
		{"in the zone of this process", http.StatusOK, answer(tenant, "Local"), fault.ErrUpstreamUnavailable},
		{"unknown", http.StatusNotFound, unknown, booking.ErrNotFound},
		{"away", http.StatusServiceUnavailable, `{}`, fault.ErrUpstreamUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := &fakeService{status: test.status, answer: test.answer}
			e := withFake(t, n)
			got, err := OpenProperties(e).Local(t.Context(), tenant, property)
			if !errors.Is(err, test.want) {
				t.Fatalf("Local() error = %v, want %v", err, test.want)
			}
			if err != nil {
				return
			}
			if got != kabul || n.request != "GET /v1/properties/"+property.String() {
				t.Errorf("Local() = %v by %s, want %v", got, n.request, kabul)
			}
			e.Advance(time.Hour)
			n.status = http.StatusServiceUnavailable
			if again, err := OpenProperties(e).Local(t.Context(), tenant, property); again != kabul || err != nil {
				t.Errorf("Local() = %v, %v while the service is away, want what it said before", again, err)
			}
			e.Advance(time.Hour)
			n.status, n.answer = http.StatusNotFound, unknown
			if again, err := OpenProperties(e).Local(t.Context(), tenant, property); !errors.Is(err, booking.ErrNotFound) {
				t.Errorf("Local() = %v, %v of a property that is gone, want %v", again, err, booking.ErrNotFound)
			}
		})
	}
}
