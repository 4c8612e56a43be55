package system

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
)

// A Visit is what the answers have told of a booking. A name that no answer has had is "".
type Visit struct {
	DraftID       string    `json:"draftId"`
	QuoteID       string    `json:"quoteId"`
	ReservationID string    `json:"reservationId"`
	Code          string    `json:"reservationCode"`
	HoldExpiresAt time.Time `json:"holdExpiresAt"`
	IntentID      string    `json:"intentId"`
	RedirectURL   string    `json:"redirectUrl"`
	FlowState     string    `json:"flowState"`
	ViewToken     string    `json:"viewToken"`
	ETag          string    `json:"-"`
}

// learn notes what an answer names.
func (v *Visitor) learn(a Answer) {
	if a.Status/100 == 2 {
		_ = json.Unmarshal(a.Body, &v.Visit) // what has no JSON names nothing
	}
	if tag := a.Header.Get("Etag"); tag != "" {
		v.ETag = tag
	}
}

// Wanting is the body that asks for a price.
func (v *Visitor) Wanting(w Wish) map[string]any {
	room := w.Hotel.Rooms[w.Room]
	return map[string]any{
		"propertyId": w.Hotel.Property.String(), "roomTypeId": room.ID.String(), "ratePlanId": room.Flexible.ID.String(),
		"stayWindow": map[string]any{"checkIn": v.day(w.From), "checkOut": v.day(w.From + w.Nights)},
		"occupancy":  map[string]any{"adults": 2 * w.Rooms, "children": 0, "rooms": w.Rooms},
	}
}

func (v *Visitor) day(from int) string {
	return v.stage.Env().Now().AddDate(0, 0, from).Format(time.DateOnly)
}

// Ask asks for a price: the first begins a draft, another one is for the same.
func (v *Visitor) Ask(w Wish) *Visitor {
	v.stage.t.Helper()
	body := v.Wanting(w)
	if v.DraftID != "" {
		body["draftId"] = v.DraftID
	}
	v.Must(http.StatusCreated, http.MethodPost, "/quote", body)
	return v
}

// Holding is the body that holds the quoted rooms.
func (v *Visitor) Holding() map[string]any {
	return map[string]any{"draftId": v.DraftID, "quoteId": v.QuoteID}
}

// Hold keeps the rooms.
func (v *Visitor) Hold() *Visitor {
	v.stage.t.Helper()
	v.Must(http.StatusCreated, http.MethodPost, "/hold", v.Holding())
	return v
}

// Zarghona is the body that says who stays.
func Zarghona() map[string]any {
	return map[string]any{"guest": map[string]any{
		"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "Z.Ahmadzai@Example.com", "phone": "+93 70 012 3456",
	}}
}

// Draft is the path of the visitor's draft, and what follows.
func (v *Visitor) Draft(rest string) string { return "/draft/" + v.DraftID + rest }

// Name says who stays.
func (v *Visitor) Name() *Visitor {
	v.stage.t.Helper()
	v.Must(http.StatusOK, http.MethodPatch, v.Draft(""), Zarghona())
	return v
}

// Pay begins to pay by that method.
func (v *Visitor) Pay(method string) *Visitor {
	v.stage.t.Helper()
	v.RedirectURL = ""
	v.Must(http.StatusCreated, http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": method})
	return v
}

// Book goes all the way to the payment.
func (v *Visitor) Book(w Wish, method string) *Visitor {
	v.stage.t.Helper()
	return v.Ask(w).Hold().Name().Pay(method)
}

// Press presses a button of the provider's page, and returns where that leads.
func (v *Visitor) Press(action string) string {
	v.stage.t.Helper()
	return v.Must(http.StatusSeeOther, http.MethodPost, v.RedirectURL, "action="+action).Header.Get("Location")
}

// Return comes back from the provider's page.
func (v *Visitor) Return() Answer {
	v.stage.t.Helper()
	return v.Send(http.MethodPost, v.Draft("/return"), nil)
}

// State is where the draft stands as the visitor sees it.
func (v *Visitor) State() string {
	v.stage.t.Helper()
	v.Must(http.StatusOK, http.MethodGet, v.Draft(""), nil)
	return v.FlowState
}

// Expect waits for quiet and fails the test unless exactly these events were told of the booking, each service's in its
// order. Steps are a sample, so they are none of them.
func (v *Visitor) Expect(subjects ...string) {
	s := v.stage
	s.t.Helper()
	s.Settle()
	var told []string
	for _, e := range s.Told(s.t.Context()) {
		mine := e.Payload["draftId"] == v.DraftID || e.Payload["reservationId"] == v.ReservationID
		if name := strings.TrimSuffix(strings.TrimPrefix(e.Subject, "melmastoon."), ".v1"); mine && name != "bff.tenant.flow.step_completed" {
			told = append(told, strings.TrimPrefix(name, "bff.tenant."))
		}
	}
	if !slices.Equal(told, subjects) {
		s.t.Errorf("told of %s:\n got %q\nwant %q", v.DraftID, told, subjects)
	}
}

// An End is what the tables say of a draft that is over.
type End struct {
	State, Final    string
	Session, Method string
	Reservation     string // its state
	Named           bool   // whether the draft still says who the guest is
	EmailHash       bool   // whether the snapshot has a pseudonym of them
	Trail           []string
}

// End reads the draft's row, its snapshot and its reservation.
func (v *Visitor) End() (e End) {
	v.stage.t.Helper()
	draft, err := id.Parse[id.Draft](v.DraftID)
	if err != nil {
		v.stage.t.Fatal(err)
	}
	err = v.stage.DB.Owner(v.stage.t).QueryRow(v.stage.t.Context(), `
		SELECT d.state, coalesce(s.final_state, ''), coalesce(s.session_id, ''), coalesce(s.payment_method, ''), coalesce(r.state, ''),
			jsonb_exists(d.body, 'guest'), s.guest_email_hash IS NOT NULL,
			ARRAY(SELECT step ->> 'state' FROM jsonb_array_elements(s.flow_state_history) AS step)
		FROM bff_tenant_booking.booking_drafts AS d
		LEFT JOIN bff_tenant_booking.booking_draft_snapshots AS s ON s.draft_id = @draft
		LEFT JOIN reservation.reservations AS r ON r.reservation_id = d.reservation_id
		WHERE d.tenant_id = @tenant AND d.draft_id = @id`,
		pgx.StrictNamedArgs{"draft": v.DraftID, "tenant": v.Hotel.Tenant, "id": draft}).
		Scan(&e.State, &e.Final, &e.Session, &e.Method, &e.Reservation, &e.Named, &e.EmailHash, &e.Trail)
	if err != nil {
		v.stage.t.Fatal(err)
	}
	return e
}
