package system

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Visit holds the ids and states of a booking from the answers so far. Missing ones are "".
type Visit struct {
	DraftID       string    `json:"draftId"`
	QuoteID       string    `json:"quoteId"`
	ReservationID string    `json:"reservationId"`
	Code          string    `json:"reservationCode"`
	HoldExpiresAt time.Time `json:"holdExpiresAt"`
	IntentID      string    `json:"intentId"`
	RedirectURL   string    `json:"redirectUrl"`
	ClientSecret  string    `json:"clientSecret"`
	PaymentStatus string    `json:"paymentStatus"` // of the last pending answer
	FlowState     string    `json:"flowState"`
	ViewToken     string    `json:"viewToken"`
	ETag          string    `json:"-"`
}

// learn stores the ids and states of an answer.
func (v *Visitor) learn(a Answer) {
	if a.Status/100 == 2 {
		_ = json.Unmarshal(a.Body, &v.Visit) // ignore answers that are not JSON
	}
	if tag := a.Header.Get("Etag"); tag != "" {
		v.ETag = tag
	}
}

// QuoteBody returns the body of a request for a quote.
func (v *Visitor) QuoteBody(w Wish) map[string]any {
	room := w.Hotel.Rooms[w.Room]
	return map[string]any{
		"propertyId": w.Hotel.Property.String(), "roomTypeId": room.ID.String(), "ratePlanId": room.Flexible.ID.String(),
		"stayWindow": map[string]any{"checkIn": v.day(w.From), "checkOut": v.day(w.From + w.Nights)},
		"occupancy":  map[string]any{"adults": 2 * w.Rooms, "children": 0, "rooms": w.Rooms},
	}
}

func (v *Visitor) day(from int) string {
	return v.system.Env().Now().AddDate(0, 0, from).Format(time.DateOnly)
}

// RequestQuote requests a quote. The first quote starts a draft; further ones update it.
func (v *Visitor) RequestQuote(w Wish) *Visitor {
	v.system.t.Helper()
	body := v.QuoteBody(w)
	if v.DraftID != "" {
		body["draftId"] = v.DraftID
	}
	v.Must(http.StatusCreated, http.MethodPost, "/quote", body)
	return v
}

// HoldBody returns the body of a request to hold the quoted rooms.
func (v *Visitor) HoldBody() map[string]any {
	return map[string]any{"draftId": v.DraftID, "quoteId": v.QuoteID}
}

// Hold holds the rooms.
func (v *Visitor) Hold() *Visitor {
	v.system.t.Helper()
	v.Must(http.StatusCreated, http.MethodPost, "/hold", v.HoldBody())
	return v
}

// GuestDetails returns the body with the guest's details.
func GuestDetails() map[string]any { return detailsOf("Z.Ahmadzai@Example.com", "+93 70 012 3456") }

func detailsOf(email, phone string) map[string]any {
	return map[string]any{"guest": map[string]any{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": email, "phone": phone}}
}

// Draft returns the path of the visitor's draft followed by rest.
func (v *Visitor) Draft(rest string) string { return "/draft/" + v.DraftID + rest }

// Name sets the guest's details.
func (v *Visitor) Name() *Visitor {
	v.system.t.Helper()
	v.Must(http.StatusOK, http.MethodPatch, v.Draft(""), GuestDetails())
	return v
}

// Pay starts the payment with that method.
func (v *Visitor) Pay(method string) *Visitor {
	v.system.t.Helper()
	v.RedirectURL, v.ClientSecret, v.PaymentStatus = "", "", ""
	v.Must(http.StatusCreated, http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": method})
	return v
}

// Book runs all steps up to the payment.
func (v *Visitor) Book(w Wish, method string) *Visitor {
	v.system.t.Helper()
	return v.RequestQuote(w).Hold().Name().Pay(method)
}

// Press submits a button of the provider's page, and returns the URL that it redirects to.
func (v *Visitor) Press(action string) string {
	v.system.t.Helper()
	return v.Must(http.StatusSeeOther, http.MethodPost, v.RedirectURL, "action="+action).Header.Get("Location")
}

// Provider submits a button of the provider's page of the current intent, which is also the guest's phone and the bank.
func (v *Visitor) Provider(action string) {
	v.system.t.Helper()
	v.Must(http.StatusSeeOther, http.MethodPost, v.front.String()+"/sandbox/payment/v1/checkout/"+v.IntentID, "action="+action)
}

// Approve submits the form for 3-D Secure with the client secret.
func (v *Visitor) Approve(action string) {
	v.system.t.Helper()
	v.Must(http.StatusSeeOther, http.MethodPost, v.front.String()+"/sandbox/payment/v1/authentications",
		url.Values{"clientSecret": {v.ClientSecret}, "action": {action}}.Encode())
}

// Return returns from the provider's page to the site.
func (v *Visitor) Return() Answer {
	v.system.t.Helper()
	return v.Send(http.MethodPost, v.Draft("/return"), nil)
}

// State returns the state of the draft as the visitor sees it.
func (v *Visitor) State() string {
	v.system.t.Helper()
	v.Must(http.StatusOK, http.MethodGet, v.Draft(""), nil)
	return v.FlowState
}

// Expect calls Quiet and fails the test unless exactly these events were published about the booking, in order per service.
// It ignores funnel steps, which are sampled.
func (v *Visitor) Expect(subjects ...string) {
	s := v.system
	s.t.Helper()
	s.Settle()
	var events []string
	for _, e := range s.Published(s.t.Context()) {
		mine := e.Payload["draftId"] == v.DraftID || e.Payload["reservationId"] == v.ReservationID
		if name := strings.TrimSuffix(strings.TrimPrefix(e.Subject, "melmastoon."), ".v1"); mine && name != "bff.tenant.flow.step_completed" {
			events = append(events, strings.TrimPrefix(name, "bff.tenant."))
		}
	}
	check.Equal(s.t, events, subjects, "events of %s", v.DraftID)
}

// An End holds the stored data of a draft that has ended.
type End struct {
	State, Final    string
	Session, Method string
	Reservation     string // its state
	Named           bool   // whether the draft still contains the guest's details
	EmailHash       bool   // whether the snapshot contains the hash of the e-mail address
	Trail           []string
}

// End reads the draft's row, snapshot and reservation.
func (v *Visitor) End() (e End) {
	v.system.t.Helper()
	draft, err := id.Parse[id.Draft](v.DraftID)
	check.Must(v.system.t, err)
	err = v.system.DB.Owner(v.system.t).QueryRow(v.system.t.Context(), `
		SELECT d.state, coalesce(s.final_state, ''), coalesce(s.session_id, ''), coalesce(s.payment_method, ''), coalesce(r.state, ''),
			jsonb_exists(d.body, 'guest'), s.guest_email_hash IS NOT NULL,
			ARRAY(SELECT step ->> 'state' FROM jsonb_array_elements(s.flow_state_history) AS step)
		FROM bff_tenant_booking.booking_drafts AS d
		LEFT JOIN bff_tenant_booking.booking_draft_snapshots AS s ON s.draft_id = @draft
		LEFT JOIN reservation.reservations AS r ON r.reservation_id = d.reservation_id
		WHERE d.tenant_id = @tenant AND d.draft_id = @id`,
		pgx.StrictNamedArgs{"draft": v.DraftID, "tenant": v.Hotel.Tenant, "id": draft}).
		Scan(&e.State, &e.Final, &e.Session, &e.Method, &e.Reservation, &e.Named, &e.EmailHash, &e.Trail)
	check.Must(v.system.t, err)
	return e
}
