package journeys

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestSiteAgain_returnsTwice comes back in every way in which people do: early, by a reload, with the same key, in another tab
// at the same moment. It is one booking.
func TestSiteAgain_returnsTwice(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	if a := v.Return(); a.Status != http.StatusAccepted || v.FlowState != "paying" {
		t.Errorf("before paying: %d %s", a.Status, a.Body)
	}
	v.Press("pay")
	tabs := make(chan system.Answer)
	for range 4 {
		go func() {
			tabs <- insist(t, v, system.Request{Method: http.MethodPost, Path: v.Draft("/return"), Key: system.Key()})
		}()
	}
	answers := []system.Answer{<-tabs, <-tabs, <-tabs, <-tabs}
	reload := system.Request{Method: http.MethodPost, Path: v.Draft("/return"), Key: system.Key()}
	for range 2 {
		answers = append(answers, insist(t, v, reload))
	}
	answers = append(answers, v.Return())
	for _, a := range answers {
		if a.Status != http.StatusOK || !sameJSON(t, a.Body, answers[0].Body) {
			t.Errorf("answered %d %s, before %s", a.Status, a.Body, answers[0].Body)
		}
	}
	v.Expect(created, intended, converted, held, confirmed, allocated, captured)
	ended(t, v, "confirmed", "converted", "confirmed")
}

// insist sends the same request again, under its key, for as long as the answer says that it should come again.
func insist(t *testing.T, v *system.Visitor, r system.Request) (a system.Answer) {
	for range 100 {
		var err error
		if a, err = v.Go(t.Context(), r); err != nil {
			t.Error(err)
		}
		if a.Header.Get("Retry-After") == "" {
			break
		}
	}
	return a
}

// TestSiteAgain_doubleClick sends every step of a booking four times at once, each click under a key of its own. Every one of
// them is answered as if it were the only one, and the world hears of one booking.
func TestSiteAgain_doubleClick(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).RequestQuote(usual())
	click := func(status int, method, path string, body any) {
		t.Helper()
		clicks, once := make(chan system.Answer), system.Key()
		for range 4 {
			key := system.Key()
			if method == http.MethodPatch {
				key = once // naming the guest changes the session, so that another key finds no draft there
			}
			go func() {
				clicks <- insist(t, v, system.Request{Method: method, Path: path, Body: body, Key: key})
			}()
		}
		for range 4 {
			a := <-clicks
			if a.Status != status {
				t.Errorf("%s %s answered %d %s", method, path, a.Status, a.Body)
				continue
			}
			before := v.Visit
			a.Into(t, &v.Visit)
			if before.ReservationID != "" && v.ReservationID != before.ReservationID || before.IntentID != "" && v.IntentID != before.IntentID {
				t.Errorf("%s %s answered %+v, before %+v", method, path, v.Visit, before)
			}
		}
	}
	click(http.StatusCreated, http.MethodPost, "/hold", v.HoldBody())
	click(http.StatusOK, http.MethodPatch, v.Draft(""), system.GuestDetails())
	click(http.StatusCreated, http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": "cash_on_arrival"})
	click(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
	v.Expect(created, intended, converted, held, confirmed, allocated)
	ended(t, v, "confirmed", "converted", "confirmed")
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	check.NoError(t, json.Unmarshal(a, &x))
	check.NoError(t, json.Unmarshal(b, &y))
	return reflect.DeepEqual(x, y)
}

// TestSiteAgain_tabClosed never comes back from the bank. The event of the money confirms the reservation, and the
// sweep finds that out.
func TestSiteAgain_tabClosed(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*system.System, *system.Visitor){
		"and the event comes first": func(s *system.System, v *system.Visitor) { s.Quiet() },
		"and the sweep comes first": func(s *system.System, v *system.Visitor) { s.Tick("tenantbooking-sweepdrafts") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			v := s.Visit(demo.KabulGrand).Book(usual(), "card")
			v.Press("pay")
			before(s, v)
			sweep(s, 31*time.Minute)
			sweep(s, time.Minute)
			v.Expect(created, intended, converted, held, confirmed, allocated, captured)
			ended(t, v, "confirmed", "converted", "confirmed")
			if a := v.Return(); a.Status != http.StatusOK || v.FlowState != "confirmed" {
				t.Errorf("who opens the tab again reads %d %s", a.Status, a.Body)
			}
		})
	}
}

// TestSiteAgain_paysThenChangesMethod pays at the bank, goes back in the browser and chooses to pay otherwise. The money
// has come: the booking is confirmed at once, and no other payment is opened.
func TestSiteAgain_paysThenChangesMethod(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]bool{"before the event": false, "after the event": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			v := s.Visit(demo.KabulGrand).Book(usual(), "card")
			v.Press("pay")
			if wait {
				s.Quiet()
			}
			for _, method := range []string{"mfs", "cash_on_arrival", "card"} {
				t.Run(method, func(t *testing.T) {
					v.Refused(http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED", http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": method})
					check.Equal(t, v.State(), "confirmed", "flow state %s", v.FlowState)
				})
			}
			if a := v.Return(); a.Status != http.StatusOK || v.FlowState != "confirmed" {
				t.Errorf("came back to %d %s", a.Status, a.Body)
			}
			s.Settle()
			if e := ended(t, v, "confirmed", "converted", "confirmed"); e.Method != "card" {
				t.Errorf("paid by card, converted by %s", e.Method)
			}
		})
	}
}
