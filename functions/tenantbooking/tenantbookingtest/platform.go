// Package tenantbookingtest provides fake upstream services, guests with a session and faulty connections for tests of
// the tenant booking service.
package tenantbookingtest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// A FakePlatform is a fake of the tenant, the reservation and the payment service. It honours idempotency keys as the
// real services do.
type FakePlatform struct {
	Now            func() time.Time
	Tenants        []hotel.Tenant
	SoldOut        bool        // holds fail with ErrOverbooked
	TooMuchHeld    bool        // holds do not fit into the quota
	Prepaid        bool        // dates that cost more take effect with their payment
	Down           string      // the service that does not answer: "reservation", "payment", "tenant"
	Penalty        money.Micro // of the cancellation of a confirmed reservation
	RejectedMember string      // the member of a quote request that is rejected

	// Rejects returns the status and the code with which a request is rejected, or 0. It is nil if all are accepted.
	Rejects func(*http.Request) (status int, code string)

	mu           sync.Mutex
	answered     map[string]answer
	reservations map[id.Reservation]*Stay
	intents      map[id.Intent]*Payment
	server       *httptest.Server
}

// A Stay is a reservation of the fake.
type Stay struct {
	ID          id.Reservation
	Tenant      id.Tenant
	Quote       price
	Session     id.TenantSession
	Quota       Quota
	Pending     *pending // changed dates that wait for their payment
	State       string
	Guest       booking.Guest
	ExpiresAt   time.Time
	ConfirmedAt *time.Time
	Refunded    money.Micro // as the confirmation shows it
	Intent      *id.Intent  // confirmed the reservation
	More        []id.Intent // paid for what was due later
	Cancelled   *cancellation
	Requests    []string // the free texts of special requests
}

// A Payment is an intent of the fake.
type Payment struct {
	ID          id.Intent      `json:"paymentIntentId"`
	Tenant      id.Tenant      `json:"tenantId"`
	Reservation id.Reservation `json:"reservationId"`
	Method      string         `json:"method"`
	Provider    string         `json:"provider"`
	Status      string         `json:"status"`
	Secret      string         `json:"clientSecret,omitzero"`
	Attempts    int            `json:"attempts"`
	Redirect    string         `json:"redirectUrl,omitzero"`
	Return      string         `json:"returnUrl,omitzero"`
	Amount      money.Micro    `json:"amountMicro"`
	Currency    money.Currency `json:"currency"`
	Paid        money.Micro    `json:"capturedMicro"`
	Refunded    money.Micro    `json:"refundedMicro"`
	opened      int            // position in the order in which intents were opened
}

type answer struct {
	status int
	body   any
}

// price is a quote of the fake: 100 for each night and room.
type price struct {
	ID       id.Quote    `json:"quoteId"`
	Tenant   id.Tenant   `json:"tenantId"`
	Property id.Property `json:"propertyId"`
	Stay     stay.Window `json:"stayWindow"`
	Items    []struct {
		RoomType  id.RoomType    `json:"roomTypeId"`
		RatePlan  id.RatePlan    `json:"ratePlanId"`
		Occupants stay.Occupants `json:"occupants"`
	} `json:"items"`
	Currency money.Currency   `json:"currency"`
	Session  id.TenantSession `json:"sessionId"`
	Total    money.Micro      `json:"-"`
}

// Open starts the fake with two tenants that accept cards and cash.
func Open(t testing.TB, now func() time.Time) *FakePlatform {
	t.Helper()
	platform := &FakePlatform{Now: now, answered: map[string]answer{}, reservations: map[id.Reservation]*Stay{}, intents: map[id.Intent]*Payment{}}
	for _, slug := range []string{"kabul-grand", "herat-garden"} {
		platform.Tenants = append(platform.Tenants, hotel.Tenant{
			ID: id.New[id.Tenant](), Slug: slug, BrandName: slug, Status: "active", Currency: money.AFN,
			Currencies: []money.Currency{money.AFN, money.USD}, Locales: locales(),
			PaymentMethods: []hotel.Method{hotel.Card, hotel.CashOnArrival},
		})
	}
	platform.server = httptest.NewServer(platform.routes())
	t.Cleanup(platform.server.Close)
	return platform
}

// Around returns the Env with the URLs of the fake.
func (w *FakePlatform) Around(e env.Env) env.Env {
	return e.With("UPSTREAM_TENANT_URL", w.server.URL+"/tenant").
		With("UPSTREAM_RESERVATION_URL", w.server.URL+"/reservation").
		With("UPSTREAM_PAYMENT_URL", w.server.URL+"/payment").
		With("TENANT_RETURN_URL", "https://{slug}.example/return/{draftId}").
		With("TENANT_CONFIRMATION_URL", "https://{site}/confirmations/{reservationId}")
}

// Handler returns the fake's handler, for a server of the caller.
func (w *FakePlatform) Handler() http.Handler { return w.server.Config.Handler }

func (w *FakePlatform) routes() http.Handler {
	m := http.NewServeMux()
	handle := func(pattern string, act func(*http.Request) answer) {
		m.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) { w.serve(out, r, act) })
	}
	handle("GET /tenant/tenants/{ref}", w.findTenant)
	handle("POST /reservation/quotes", w.quote)
	handle("POST /reservation/holds", w.hold)
	handle("GET /reservation/{id}", w.read)
	handle("PUT /reservation/{id}/guest", w.name)
	handle("POST /reservation/{id}/confirm", w.confirm)
	handle("POST /reservation/{id}/cancel", w.cancel)
	handle("POST /reservation/{id}/dates", w.changeDates)
	handle("POST /reservation/{id}/special-requests", w.ask)
	handle("POST /payment/intents", w.open)
	handle("GET /payment/intents/{id}", w.look)
	handle("GET /payment/intents", w.list)
	return m
}

// serve returns the stored response of a repeated key, unless it was retriable.
func (w *FakePlatform) serve(out http.ResponseWriter, r *http.Request, act func(*http.Request) answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := r.Method + r.URL.Path + r.Header.Get("Idempotency-Key")
	a, known := w.answered[key]
	switch {
	case w.Down != "" && len(r.URL.Path) > len(w.Down) && r.URL.Path[1:len(w.Down)+1] == w.Down:
		a = refuse(503, "GENERAL.UNAVAILABLE")
	case w.rejection(r) != nil:
		a = *w.rejection(r)
	case !known || r.Header.Get("Idempotency-Key") == "":
		a = act(r)
	}
	if r.Header.Get("Idempotency-Key") != "" && a.status < 500 && a.status != http.StatusTooManyRequests {
		w.answered[key] = a
	}
	out.Header().Set("Content-Type", "application/json")
	if a.status >= 400 {
		out.Header().Set("Content-Type", "application/problem+json")
	}
	out.WriteHeader(a.status)
	_ = json.MarshalWrite(out, a.body)
}

// rejection returns the response to a request that Rejects rejects, or nil.
func (w *FakePlatform) rejection(r *http.Request) *answer {
	if w.Rejects == nil {
		return nil
	}
	status, code := w.Rejects(r)
	if status == 0 {
		return nil
	}
	a := refuse(status, code)
	return &a
}

func refuse(status int, code string) answer {
	return answer{status, map[string]any{"status": status, "code": "MELMASTOON." + code, "title": "No", "detail": "No."}}
}

func nothing() answer { return refuse(404, "GENERAL.RESOURCE_NOT_FOUND") }

func (w *FakePlatform) findTenant(r *http.Request) answer {
	i := slices.IndexFunc(w.Tenants, func(t hotel.Tenant) bool {
		return t.Slug == r.PathValue("ref") || t.ID.String() == r.PathValue("ref")
	})
	if i < 0 {
		return refuse(404, "TENANT.UNKNOWN")
	}
	return answer{200, w.Tenants[i]}
}

// Stays returns the reservations of a tenant in order of creation.
func (w *FakePlatform) Stays() []*Stay {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.reservations), func(a, b *Stay) int { return slices.Compare(a.ID[:], b.ID[:]) })
}

// Intents returns the number of intents.
func (w *FakePlatform) Intents() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.intents)
}

// Intent returns a copy of the intent.
func (w *FakePlatform) Intent(i id.Intent) Payment {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *w.intents[i]
}

// Change calls change while no request is served.
func (w *FakePlatform) Change(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}
