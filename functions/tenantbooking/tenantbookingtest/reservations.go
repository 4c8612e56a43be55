package tenantbookingtest

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

func locales() []locale.Tag { return []locale.Tag{locale.Pashto, locale.Dari, locale.English} }

const (
	nightly  = 100_000_000 // micro
	holdTime = 10 * time.Minute
	standing = 15 * time.Minute
)

type line struct {
	Kind        string      `json:"kind"`
	Description string      `json:"description"`
	Amount      money.Micro `json:"amountMicro"`
}

type totals struct {
	Grand    money.Micro    `json:"grandTotalMicro"`
	Currency money.Currency `json:"currency"`
}

func tenant(r *http.Request) id.Tenant {
	t, _ := id.Parse[id.Tenant](r.Header.Get("X-Tenant-Id"))
	return t
}

func body[T any](r *http.Request) (in T) {
	_ = json.UnmarshalRead(r.Body, &in)
	return in
}

// quote stores the price, so that hold finds it.
func (w *FakePlatform) quote(r *http.Request) answer {
	p := body[price](r)
	if w.RejectedMember != "" {
		return answer{400, map[string]any{"status": 400, "code": "MELMASTOON.GENERAL.VALIDATION_FAILED", "detail": "No.",
			"violations": []fault.Violation{{Pointer: w.RejectedMember, Rule: "known", Message: "Not that."}}}}
	}
	p.ID, p.Tenant = id.New[id.Quote](), tenant(r)
	p.Total = money.Micro(nightly * p.Stay.Nights() * len(p.Items))
	w.answered[p.ID.String()] = answer{0, p}
	return answer{201, struct {
		price
		Lines      []line    `json:"lines"`
		Totals     totals    `json:"totals"`
		ValidUntil time.Time `json:"validUntil"`
	}{p, []line{{"room", "Nights", p.Total}}, totals{p.Total, p.Currency}, w.Now().Add(standing)}}
}

func (w *FakePlatform) hold(r *http.Request) answer {
	in := body[struct {
		Quote    id.Quote        `json:"quoteId"`
		Replaces *id.Reservation `json:"replacesReservationId"`
		Quota    Quota           `json:"quota"`
	}](r)
	p, ok := w.answered[in.Quote.String()].body.(price)
	switch {
	case !ok || p.Tenant != tenant(r):
		return nothing()
	case w.SoldOut:
		return refuse(409, "RESERVATION.OVERBOOKING_BLOCKED")
	case w.TooMuchHeld:
		return answer{429, map[string]any{"status": 429, "code": "MELMASTOON.GENERAL.RATE_LIMITED", "detail": "Too many rooms.", "retryAfter": 77}}
	}
	if in.Replaces != nil && w.state(w.reservations[*in.Replaces]) == "held" {
		w.reservations[*in.Replaces].State = "cancelled"
	}
	s := &Stay{ID: id.New[id.Reservation](), Tenant: p.Tenant, Quote: p, Session: p.Session, Quota: in.Quota, State: "held", ExpiresAt: w.Now().Add(holdTime)}
	w.reservations[s.ID] = s
	return answer{201, w.view(s)}
}

func (w *FakePlatform) state(s *Stay) string {
	if s != nil && s.State == "held" && !w.Now().Before(s.ExpiresAt) {
		return "expired_hold"
	}
	return s.State
}

// A Quota is the limits that a hold was sent with.
type Quota struct {
	Address           string `json:"address"`
	RoomNights        int    `json:"maxRoomNights"`
	AddressRoomNights int    `json:"maxAddressRoomNights"`
}

// A reservation is the fake's representation of a Stay.
type reservation struct {
	ID          id.Reservation   `json:"reservationId"`
	Tenant      id.Tenant        `json:"tenantId"`
	Property    id.Property      `json:"propertyId"`
	Code        string           `json:"reservationCode"`
	State       string           `json:"state"`
	Version     int              `json:"version"`
	Stay        any              `json:"stayWindow"`
	Items       []any            `json:"items"`
	Totals      totals           `json:"totals"`
	Hold        any              `json:"hold"`
	Session     id.TenantSession `json:"sessionId"`
	Guest       any              `json:"primaryGuest"`
	ConfirmedAt *time.Time       `json:"confirmedAt,omitzero"`
	Payment     any              `json:"payment,omitzero"`
	FreeUntil   *time.Time       `json:"freeCancellationUntil,omitzero"`
	Cancelled   *cancellation    `json:"cancellation,omitzero"`
	Balance     struct {
		Due      money.Micro `json:"dueMicro"`
		Refunded money.Micro `json:"refundedMicro"`
	} `json:"balance"`
	RefundedAt *time.Time `json:"refundedAt,omitzero"`
	Pending    *pending   `json:"pendingChange,omitzero"`
}

func (w *FakePlatform) view(s *Stay) reservation {
	v := reservation{ID: s.ID, Tenant: s.Tenant, Property: s.Quote.Property, Code: "GM-ABC234", State: w.state(s), Version: 1, Stay: s.Quote.Stay,
		Items: []any{}, Totals: totals{s.Quote.Total, s.Quote.Currency}, Hold: map[string]time.Time{"expiresAt": s.ExpiresAt}, Session: s.Session, Guest: map[string]any{"locale": cmp.Or(s.Guest.Locale, locale.English)},
		ConfirmedAt: s.ConfirmedAt, Payment: w.payment(s), Cancelled: s.Cancelled}
	if s.State == "confirmed" {
		deadline := s.Quote.Stay.Start.Time()
		v.FreeUntil = &deadline
	}
	v.Balance.Due, v.Pending = w.due(s), s.Pending
	if s.Refunded > 0 {
		now := w.Now()
		v.Balance.Refunded, v.RefundedAt = s.Refunded, &now
	}
	if s.Cancelled != nil {
		v.Version++
	}
	return v
}

// payment returns the payment of a confirmed reservation, or nil.
func (w *FakePlatform) payment(s *Stay) any {
	if s.Intent == nil {
		return nil
	}
	first := w.intents[*s.Intent]
	method, captured := first.Method, first.Paid
	for _, i := range s.More {
		if captured += w.intents[i].Paid - w.intents[i].Refunded; w.intents[i].Method != method {
			method = "mixed"
		}
	}
	return map[string]any{"method": method, "status": "captured", "paymentIntentIds": append([]id.Intent{*s.Intent}, s.More...), "capturedMicro": captured}
}

// due returns what a booked reservation still costs. What is refunded of the first payment, because the stay became cheaper, counts as paid.
func (w *FakePlatform) due(s *Stay) money.Micro {
	if s.Intent == nil || s.State == "cancelled" {
		return 0
	}
	paid := w.intents[*s.Intent].Paid
	for _, i := range s.More {
		paid += w.intents[i].Paid - w.intents[i].Refunded
	}
	return max(0, s.Quote.Total-paid)
}

// find returns the reservation that the path names, if it belongs to the calling tenant.
func (w *FakePlatform) find(r *http.Request) *Stay {
	rsv, _ := id.Parse[id.Reservation](r.PathValue("id"))
	s := w.reservations[rsv]
	if s == nil || s.Tenant != tenant(r) {
		return nil
	}
	return s
}

func (w *FakePlatform) read(r *http.Request) answer {
	s := w.find(r)
	if s == nil {
		return nothing()
	}
	return answer{200, w.view(s)}
}

func (w *FakePlatform) name(r *http.Request) answer {
	s := w.find(r)
	if s == nil {
		return nothing()
	}
	s.Guest = body[booking.Guest](r)
	return answer{200, map[string]any{"guestId": id.Derive[id.Guest](s.ID, "guest")}}
}

// confirm is also the reservation service's reaction to a capture.
func (w *FakePlatform) confirm(r *http.Request) answer {
	s := w.find(r)
	intent := w.intents[body[struct {
		Intent id.Intent `json:"paymentIntentId"`
	}](r).Intent]
	switch {
	case s == nil || intent == nil || intent.Reservation != s.ID:
		return nothing()
	case s.Intent != nil && (*s.Intent == intent.ID || slices.Contains(s.More, intent.ID)) && s.State != "cancelled":
		return answer{200, w.view(s)}
	case s.Intent != nil && intent.Status == "captured":
		if w.collect(s, intent); intent.Refunded == intent.Paid {
			return refuse(409, "RESERVATION.ILLEGAL_TRANSITION")
		}
		return answer{200, w.view(s)}
	case s.State == "cancelled":
		return refuse(409, "RESERVATION.ILLEGAL_TRANSITION")
	case intent.Status == "pending_cash" && w.state(s) == "expired_hold":
		return refuse(410, "RESERVATION.HOLD_EXPIRED")
	case intent.Status != "captured" && intent.Status != "pending_cash":
		return refuse(409, "PAYMENT.NOT_CAPTURED")
	}
	w.book(s, intent.ID)
	return answer{200, w.view(s)}
}

func (w *FakePlatform) book(s *Stay, i id.Intent) {
	now := w.Now()
	s.State, s.ConfirmedAt, s.Intent = "confirmed", &now, &i
}

// collect keeps what is due of a captured intent, and refunds the rest.
func (w *FakePlatform) collect(s *Stay, i *Payment) {
	if p := s.Pending; p != nil && i.Paid >= p.Due {
		s.Quote.Stay, s.Quote.Total, s.Pending = p.Stay, p.Total, nil
	}
	i.Refunded = max(0, i.Paid-w.due(s))
	if i.Refunded < i.Paid {
		s.More = append(s.More, i.ID)
	}
}

func (w *FakePlatform) cancel(r *http.Request) answer {
	s := w.find(r)
	in := body[struct {
		DryRun   bool         `json:"dryRun"`
		OnlyHeld bool         `json:"onlyHeld"`
		Max      *money.Micro `json:"maxPenaltyMicro"`
	}](r)
	switch {
	case s == nil:
		return nothing()
	case s.State != "held" && (s.State != "confirmed" || in.OnlyHeld): // or expired
		return refuse(409, "RESERVATION.ILLEGAL_TRANSITION")
	case in.Max != nil && w.Penalty > *in.Max:
		return refuse(409, "RESERVATION.PENALTY_CHANGED")
	}
	applied := policyApplied{Currency: s.Quote.Currency}
	if s.State == "confirmed" {
		applied.Penalty = w.Penalty
		if w.intents[*s.Intent].Status == "captured" {
			applied.Refund = s.Quote.Total - w.Penalty
		}
	}
	if !in.DryRun {
		s.State, s.Cancelled = "cancelled", &cancellation{w.Now(), applied}
	}
	return answer{200, struct {
		reservation
		Applied policyApplied `json:"policyApplied"`
	}{w.view(s), applied}}
}

// ask adds a special request of the guest.
func (w *FakePlatform) ask(r *http.Request) answer {
	s := w.find(r)
	if s == nil {
		return nothing()
	}
	s.Requests = append(s.Requests, body[struct {
		FreeText string `json:"freeText"`
	}](r).FreeText)
	return answer{201, w.view(s)}
}

// A policyApplied holds the penalty and the refund of a cancellation.
type policyApplied struct {
	Penalty  money.Micro    `json:"penaltyMicro"`
	Refund   money.Micro    `json:"refundEligibilityMicro"`
	Currency money.Currency `json:"currency"`
}

type cancellation struct {
	At      time.Time     `json:"cancelledAt"`
	Applied policyApplied `json:"policyApplied"`
}

// open returns the current intent of a reservation. Another payment method or amount supersedes it.
func (w *FakePlatform) open(r *http.Request) answer {
	in := body[Payment](r)
	for _, i := range w.intents {
		live := i.Status == "requires_payment" || i.Status == "requires_action" || i.Status == "processing" || i.Status == "pending_cash"
		if i.Reservation == in.Reservation && live {
			if i.Method == in.Method && i.Amount == in.Amount {
				i.Return = in.Return
				return answer{201, i}
			}
			if i.Status == "processing" {
				return refuse(409, "PAYMENT.PROCESSING")
			}
			i.Status = "superseded"
		}
	}
	in.ID, in.Provider, in.Status = id.New[id.Intent](), "bank", "requires_payment"
	in.Redirect = "https://bank.example/" + in.ID.String()
	if in.Method == "cash_on_arrival" {
		in.Provider, in.Status, in.Redirect = "front-desk", "pending_cash", ""
	}
	in.opened = len(w.intents)
	w.intents[in.ID] = &in
	return answer{201, &in}
}

// list returns the intents of a reservation, oldest first.
func (w *FakePlatform) list(r *http.Request) answer {
	all := []*Payment{}
	for _, i := range w.intents {
		if i.Tenant.String() == r.FormValue("tenantId") && i.Reservation.String() == r.FormValue("reservationId") {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b *Payment) int { return a.opened - b.opened })
	return answer{200, map[string]any{"intents": all}}
}

func (w *FakePlatform) look(r *http.Request) answer {
	i, _ := id.Parse[id.Intent](r.PathValue("id"))
	if w.intents[i] == nil {
		return nothing()
	}
	return answer{200, w.intents[i]}
}

// Pay captures an intent. If published is true, the reservation service consumes that event and confirms the reservation.
func (w *FakePlatform) Pay(i id.Intent, published bool) {
	w.Change(func() {
		paid := w.intents[i]
		paid.Status, paid.Paid = "captured", paid.Amount
		switch s := w.reservations[paid.Reservation]; {
		case published && s.Intent == nil:
			w.book(s, i)
		case published:
			w.collect(s, paid)
		}
	})
}

// Await sets the status of an intent that waits for the guest or the bank.
func (w *FakePlatform) Await(i id.Intent, status, secret string) {
	w.Change(func() { w.intents[i].Status, w.intents[i].Secret = status, secret })
}

// Decline declines a payment attempt. The last one fails the intent.
func (w *FakePlatform) Decline(i id.Intent, last bool) {
	w.Change(func() {
		w.intents[i].Attempts++
		if !last {
			return
		}
		w.intents[i].Status = "failed"
		if s := w.reservations[w.intents[i].Reservation]; s.State == "held" {
			s.State = "cancelled"
		}
	})
}

// Unpay undoes a capture, as if an outdated replica of the payment service answered.
func (w *FakePlatform) Unpay(i id.Intent) {
	w.Change(func() { w.intents[i].Status, w.intents[i].Paid = "requires_payment", 0 })
}
