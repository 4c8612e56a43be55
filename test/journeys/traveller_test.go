package journeys

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A traveller goes from a search across all hotels to a booking on one hotel's site, in one browser. Every step is a request
// with a name, which is also the request's id; all of them are one trace.
type traveller struct {
	*system.Visitor
	t     *testing.T
	trace string
}

func travel(t *testing.T, s *system.System, trace string) *traveller {
	b := s.Browser()
	b.Languages, b.Headers = "ps-AF,ps;q=0.9,en;q=0.5", map[string]string{"Traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}
	return &traveller{b.AtAll(), t, trace}
}

// step makes a request and reads the answer.
func (v *traveller) step(name string, status int, method, path string, body, out any) system.Answer {
	v.t.Helper()
	v.Headers["X-Request-Id"] = name
	a := v.Must(status, method, path, body)
	if out != nil {
		a.Into(v.t, out)
	}
	return a
}

// A sent is the answer to a minted handoff.
type sent struct {
	HandoffID, URL, Token string
	ExpiresAt             time.Time
}

// choose searches in Kabul, looks at the hotel that is to be found there, and is sent on to it.
func (v *traveller) choose(slug string) (went sent) {
	v.t.Helper()
	now := v.System().Env().Now()
	wish := map[string]any{
		"dates":     map[string]any{"checkIn": now.AddDate(0, 0, 7).Format(time.DateOnly), "checkOut": now.AddDate(0, 0, 9).Format(time.DateOnly)},
		"occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1},
	}
	var found struct {
		Results []struct{ PropertyID, TenantID, TenantSlug, City string }
	}
	search := map[string]any{"geo": map[string]any{"mode": "city", "city": "Kabul"}, "dates": wish["dates"], "occupancy": wish["occupancy"]}
	a := v.step("search", http.StatusOK, http.MethodPost, "/search", search, &found)
	for _, card := range found.Results {
		if card.TenantSlug != slug {
			continue
		}
		var detail struct{ HandoffHint struct{ URL string } }
		v.step("detail", http.StatusOK, http.MethodGet, "/hotels/"+card.PropertyID, nil, &detail)
		hint, err := url.Parse(detail.HandoffHint.URL)
		if want := "/handoff/" + card.TenantID + "/" + card.PropertyID; err != nil || !strings.HasSuffix(hint.Path, want) {
			v.t.Errorf("the detail leads to %q, want %s", detail.HandoffHint.URL, want)
		}
		v.step("handoff", http.StatusCreated, http.MethodPost, "/handoff/"+card.TenantID+"/"+card.PropertyID, wish, &went)
		return went
	}
	v.t.Fatalf("%s is not among the hotels of Kabul: %s", slug, a.Body)
	return went
}

// book goes on to the hotel's site with what the link says, and books the first room there.
func (v *traveller) book(h demo.Hotel, went sent) *traveller {
	v.t.Helper()
	link, err := url.Parse(went.URL)
	if err != nil || link.Query().Get("h") != went.Token {
		v.t.Fatalf("the link %s does not carry the token, %v", link.Redacted(), err)
	}
	hotel := &traveller{v.At(h), v.t, v.trace}
	var front struct {
		HandoffPayload struct {
			PropertyID, Currency, Locale, HandoffID string
			StayWindow                              struct{ CheckIn, CheckOut string }
			Occupancy                               struct{ Adults, Children, Rooms int }
		}
	}
	hotel.step("bootstrap", http.StatusOK, http.MethodGet, "/bootstrap?h="+url.QueryEscape(link.Query().Get("h")), nil, &front)
	chosen := front.HandoffPayload
	check.Equal(v.t, chosen.HandoffID, went.HandoffID)
	check.Equal(v.t, chosen.Locale, "ps-AF")
	check.Equal(v.t, chosen.Currency, "AFN")
	var shown struct {
		Rooms []struct {
			RoomTypeID string
			Rates      []struct{ RatePlanID string }
		}
	}
	query := url.Values{"propertyId": {chosen.PropertyID}, "checkIn": {chosen.StayWindow.CheckIn}, "checkOut": {chosen.StayWindow.CheckOut},
		"adults": {fmt.Sprint(chosen.Occupancy.Adults)}, "rooms": {fmt.Sprint(chosen.Occupancy.Rooms)}}
	hotel.step("rooms", http.StatusOK, http.MethodGet, "/availability?"+query.Encode(), nil, &shown)
	hotel.step("quote", http.StatusCreated, http.MethodPost, "/quote", map[string]any{
		"propertyId": chosen.PropertyID, "roomTypeId": shown.Rooms[0].RoomTypeID, "ratePlanId": shown.Rooms[0].Rates[0].RatePlanID,
		"stayWindow": map[string]any{"checkIn": chosen.StayWindow.CheckIn, "checkOut": chosen.StayWindow.CheckOut}, "occupancy": map[string]any{"adults": chosen.Occupancy.Adults, "children": 0, "rooms": chosen.Occupancy.Rooms},
	}, nil)
	hotel.step("hold", http.StatusCreated, http.MethodPost, "/hold", hotel.HoldBody(), nil)
	hotel.step("guest", http.StatusOK, http.MethodPatch, hotel.Draft(""), system.GuestDetails(), nil)
	return hotel
}

// pay pays by card on the provider's page, comes back and reads the confirmation.
func (v *traveller) pay() {
	v.t.Helper()
	v.step("intent", http.StatusCreated, http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": "card"}, nil)
	v.step("page", http.StatusOK, http.MethodGet, v.RedirectURL, nil, nil)
	v.step("pay", http.StatusSeeOther, http.MethodPost, v.RedirectURL, "action=pay", nil)
	v.System().Quiet() // so that the event of the money confirms, and not the guest's return
	v.step("return", http.StatusOK, http.MethodPost, v.Draft("/return"), nil, nil)
	var seen struct{ ReservationID, State string }
	v.step("confirmation", http.StatusOK, http.MethodGet, "/confirmation/"+v.ReservationID, nil, &seen)
	check.Equal(v.t, v.FlowState, "confirmed")
	check.Equal(v.t, seen.State, "confirmed")
	check.Equal(v.t, seen.ReservationID, v.ReservationID)
}

// unsampled returns the environment with the local documents, and without sampling.
func unsampled(t *testing.T, e env.Env) env.Env {
	t.Helper()
	e = document.StoreKey.With(e, documents.Open(e))
	system.PublishAllTelemetry(t, e)
	return e
}

// TestTraveller_books books over HTTP only, from the search to the confirmation, and compares all published events.
func TestTraveller_books(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := system.Within(t, db, unsampled(t, db.Env()))
	s.Quiet()
	before := s.Published(t.Context())

	v := travel(t, s, "4bf92f3577b34da6a3ce929d0e0e4736")
	went := v.choose(demo.KabulGrand.Slug)
	hotel := v.book(demo.KabulGrand, went)
	hotel.pay()
	other := s.Browser().At(demo.KabulGrand)
	other.Headers = map[string]string{"Traceparent": v.Headers["Traceparent"], "X-Request-Id": "replay"}
	other.Refused(http.StatusConflict, "BFF.CONSUMER.HANDOFF_REPLAYED", http.MethodGet, "/bootstrap?h="+went.Token, nil)
	s.Settle()

	events := after(t, before, s.Published(t.Context()))
	events.is(wholeWay)
	events.traced(v.trace)
	joined(events, v, hotel, went)
	events.hides(s.Log.Reader(), went.Token)
	events.published(s)
}

// wholeWay lists the events of a traveller who books, and of another visitor who opens their link. The payment's event has
// confirmed the reservation before the traveller returns, so the return moves the draft in one step from paying to confirmed.
var wholeWay = []string{
	"bff_consumer: bff.consumer.session.started, in search, by the request",
	"bff_consumer: bff.consumer.search.executed, in search, by the request",
	"bff_consumer: bff.consumer.funnel.step_reached, in detail, by the request",
	"bff_consumer: bff.consumer.handoff.initiated, in handoff, by the request",
	"bff_consumer: bff.consumer.bot_suspected, in replay, by bff.tenant.flow.error_encountered",
	"bff_tenant_booking: bff.tenant.handoff.consumed, in bootstrap, by the request",
	"bff_tenant_booking: bff.tenant.bootstrap.served, in bootstrap, by the request",
	"bff_tenant_booking: bff.tenant.booking.draft.created, in hold, by the request",
	"bff_tenant_booking: bff.tenant.flow.step_completed, in hold, by the request",
	"bff_tenant_booking: bff.tenant.flow.step_completed, in guest, by the request",
	"bff_tenant_booking: bff.tenant.flow.step_completed, in intent, by the request",
	"bff_tenant_booking: bff.tenant.payment_intent.created, in intent, by the request",
	"bff_tenant_booking: bff.tenant.flow.step_completed, in return, by the request",
	"bff_tenant_booking: bff.tenant.booking.draft.converted, in return, by the request",
	"bff_tenant_booking: bff.tenant.confirmation.viewed, in confirmation, by the request",
	"bff_tenant_booking: bff.tenant.flow.error_encountered, in replay, by the request",
	"reservation: reservation.quote.requested, in quote, by the request",
	"reservation: reservation.quote.created, in quote, by the request",
	"reservation: reservation.held, in hold, by the request",
	"reservation: reservation.confirmed, in pay, by payment.transaction.captured",
	"sandbox: inventory.allocation.committed, in hold, by the request",
	"sandbox: payment.transaction.captured, in pay, by the request",
}

// joined follows the names that lead from one service's events to the next one's: the session, the handoff, the arrival, the
// draft, the reservation.
func joined(events publishedEvents, v, hotel *traveller, went sent) {
	events.t.Helper()
	initiated, consumed, served := events.one("bff.consumer.handoff.initiated"), events.one("bff.tenant.handoff.consumed"), events.one("bff.tenant.bootstrap.served")
	created, converted := events.one("bff.tenant.booking.draft.created"), events.one("bff.tenant.booking.draft.converted")
	replayed, suspected := events.one("bff.tenant.flow.error_encountered"), events.one("bff.consumer.bot_suspected")
	events.same("the traveller", v.Session(), events.one("bff.consumer.session.started").Payload["guestSessionId"],
		events.one("bff.consumer.search.executed").Payload["guestSessionId"], initiated.Payload["guestSessionId"],
		initiated.Envelope["sessionId"], consumed.Payload["consumerSessionId"])
	events.same("the handoff", went.HandoffID, initiated.Payload["handoffId"], consumed.Payload["handoffId"], served.Payload["handoffId"],
		replayed.Payload["handoffId"])
	events.same("the arrival", consumed.Payload["handoffArrivalId"], served.Payload["handoffArrivalId"], created.Payload["handoffArrivalId"],
		converted.Payload["handoffArrivalId"])
	events.same("the visit before the guest is named", consumed.Envelope["sessionId"], served.Envelope["sessionId"], created.Payload["sessionId"])
	events.same("the visit from then on", hotel.Session(), converted.Payload["sessionId"], events.one("bff.tenant.confirmation.viewed").Payload["sessionId"])
	events.same("the draft", hotel.DraftID, created.Payload["draftId"], events.one("bff.tenant.payment_intent.created").Payload["draftId"], converted.Payload["draftId"])
	events.same("the reservation", hotel.ReservationID, created.Payload["reservationId"], events.one("reservation.held").Payload["reservationId"],
		events.one("reservation.confirmed").Payload["reservationId"], events.one("inventory.allocation.committed").Payload["reservationId"],
		events.one("payment.transaction.captured").Payload["reservationId"], converted.Payload["reservationId"])
	events.same("the other browser", replayed.Payload["sessionId"], suspected.Envelope["sessionId"])
	events.same("its fingerprint", replayed.Payload["fingerprintHash"], suspected.Payload["fingerprintHash"])
	if suspected.Payload["guestSessionId"] != nil {
		events.t.Errorf(`the one who is suspected: suspected.Payload["guestSessionId"] = %v, want nil`, suspected.Payload["guestSessionId"])
	}
	if suspected.Payload["verdict"] != "suspect" {
		events.t.Errorf(`the one who is suspected: suspected.Payload["verdict"] = %q, want "suspect"`, suspected.Payload["verdict"])
	}
	if suspected.Payload["actionTaken"] != "none" {
		events.t.Errorf(`the one who is suspected: suspected.Payload["actionTaken"] = %q, want "none"`, suspected.Payload["actionTaken"])
	}
	if replayed.Payload["sessionId"] == hotel.Session() || suspected.Envelope["tenantId"] != nil {
		events.t.Errorf("who was refused: %v, who is suspected: %v", replayed.Payload, suspected.Envelope)
	}
}

// TestTraveller_link follows it as a browser does, without any script: what was chosen is there already, and the
// token is gone from the address. Opened in another browser, the link fills the form in, too.
func TestTraveller_link(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := travel(t, s, "0af7651916cd43dd8448eb211c80319c")
	went := v.choose(demo.KabulGrand.Slug)
	page, at := v.follow(went.URL)
	day := s.Env().Now().AddDate(0, 0, 7)
	for name, want := range map[string]string{"check-in": day.Format(time.DateOnly), "check-out": day.AddDate(0, 0, 2).Format(time.DateOnly)} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(page, `value="`+want+`"`) {
				t.Errorf("got %s, want the day %s filled in", page, want)
			}
		})
	}
	if strings.Contains(at, went.Token) {
		t.Error("strings.Contains(at, went.Token) = true, want false")
	}
	if strings.Contains(page, went.Token) {
		t.Error("strings.Contains(page, went.Token) = true, want false")
	}
	check.Contains(t, at, "/site/"+demo.KabulGrand.Slug+"?")
	if _, again := v.follow(went.URL); again != at {
		t.Errorf("the same link in the same browser leads to %s, before to %s", again, at)
	}
	other := travel(t, s, v.trace)
	page, at = other.follow(went.URL)
	check.Contains(t, page, "<form", `value="`+day.Format(time.DateOnly)+`"`)
	check.Lacks(t, at, went.Token)
	check.Lacks(t, page, went.Token)
	s.Settle()
}

// follow goes where a link leads, from one redirect to the next, and returns the page and its address.
func (v *traveller) follow(link string) (page, at string) {
	v.t.Helper()
	for range 5 {
		a := v.Send(http.MethodGet, link, nil)
		if a.Status == http.StatusOK {
			return string(a.Body), link
		}
		next, err := url.Parse(link)
		if err == nil {
			next, err = next.Parse(a.Header.Get("Location"))
		}
		if a.Status != http.StatusSeeOther || err != nil {
			v.t.Fatalf("%s leads nowhere: %d %s, %v", next.Redacted(), a.Status, a.Body, err)
		}
		link = next.String()
	}
	v.t.Fatal("the link never ends")
	return "", ""
}
