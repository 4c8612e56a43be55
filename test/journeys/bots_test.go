package journeys

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/test/system"
)

// TestBots_challenge challenges a fast visitor. The sandbox verifies the response, and a failure of its challenge service
// locks no visitor out.
func TestBots_challenge(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	s.SetBotRules(`{"cadence":[{"count":8,"weight":0.6}]}`)
	const suspected = "BFF.CONSUMER.SUSPECTED_BOT"
	solved := fmt.Sprintf("pass.%d.a", s.Env().Now().Unix())
	// hurry reports whether a visitor in a hurry is challenged. A busy machine may pause, so it sends many requests.
	hurry := func(v *system.Visitor) bool {
		for range 100 {
			if a := readSession(t, v, nil); a.Code() == suspected {
				return true
			}
		}
		return false
	}
	visit := func(headers map[string]string) (*system.Visitor, system.Answer) {
		t.Helper()
		v := s.Browser().AtAll()
		v.Must(http.StatusOK, http.MethodGet, "/session", nil)
		if !hurry(v) {
			t.Fatal("a visitor in a hurry is not challenged")
		}
		return v, readSession(t, v, headers)
	}
	v, a := visit(map[string]string{"X-Challenge-Response": solved})
	if a.Status != http.StatusOK {
		t.Errorf("with the response: answered %d %s, want 200", a.Status, a.Body)
	}
	if hurry(v) {
		t.Error("after the response: challenged again")
	}
	if v, _ := visit(map[string]string{"X-Challenge-Response": solved}); !hurry(v) {
		t.Error("a response that another visitor has used makes a human")
	}
	if v, _ := visit(map[string]string{"X-Challenge-Response": "wrong"}); !hurry(v) {
		t.Error("a wrong response makes a human")
	}
	v, a = visit(map[string]string{"X-Challenge-Response": "unavailable", "X-Sandbox-Scenario": "upstream_down; of=challenge"})
	if a.Status != http.StatusOK {
		t.Errorf("without the challenge service: answered %d %s, want 200", a.Status, a.Body)
	}
	if !hurry(v) {
		t.Error("an outage of the challenge service makes a human")
	}
	s.Settle()
}

// readSession reads the visitor's session.
func readSession(t *testing.T, v *system.Visitor, headers map[string]string) system.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	a, err := v.Go(ctx, system.Request{Method: http.MethodGet, Path: "/session", Header: headers})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
