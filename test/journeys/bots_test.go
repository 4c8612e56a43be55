package journeys

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestBots_challenge challenges a fast visitor. The sandbox verifies the response, and a failure of its challenge service
// locks no visitor out.
func TestBots_challenge(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	s.SetBotRules(`{"cadence":[{"count":8,"weight":0.6}]}`)
	solved := fmt.Sprintf("pass.%d.a", s.Env().Now().Unix())
	hurry := func(v *system.Visitor) bool { return requestUntilChallenged(t, v) }
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
	check.Equal(t, a.Status, http.StatusOK, "with the response: %s", a.Body)
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
	check.Equal(t, a.Status, http.StatusOK, "without the challenge service: %s", a.Body)
	if !hurry(v) {
		t.Error("an outage of the challenge service makes a human")
	}
	s.Settle()
}

// TestBots_isolation sends the same response to a challenge several times. A hotel's site does not consume it, exactly one of two
// concurrent visitors becomes human, and later visitors do not.
func TestBots_isolation(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	s.SetBotRules(`{"cadence":[{"count":8,"weight":0.6}]}`)
	solved := map[string]string{"X-Challenge-Response": fmt.Sprintf("pass.%d.b", s.Env().Now().Unix())}
	challenged := func() *system.Visitor {
		t.Helper()
		v := s.Browser().AtAll()
		v.Must(http.StatusOK, http.MethodGet, "/session", nil)
		if !requestUntilChallenged(t, v) {
			t.Fatal("a visitor in a hurry is not challenged")
		}
		return v
	}
	hotel := s.Browser().At(demo.KabulGrand)
	if a, err := hotel.Go(t.Context(), system.Request{Method: http.MethodGet, Path: "/bootstrap", Header: solved}); err != nil || a.Status != http.StatusOK {
		t.Errorf("a hotel's site: %d, %v, want 200", a.Status, err)
	}
	both := []*system.Visitor{challenged(), challenged()}
	var together sync.WaitGroup
	for _, v := range both {
		together.Go(func() {
			if _, err := v.Go(t.Context(), system.Request{Method: http.MethodGet, Path: "/session", Header: solved}); err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	humans := 0
	for _, v := range both {
		if !requestUntilChallenged(t, v) {
			humans++
		}
	}
	check.Equal(t, humans, 1, "visitors with the same response who count as human")
	other := challenged()
	if readSession(t, other, solved); !requestUntilChallenged(t, other) {
		t.Error("got no challenge with the response of another visitor, want one")
	}
	s.Settle()
}

// requestUntilChallenged sends up to 100 requests without pause and reports whether the visitor is challenged. On a busy machine fewer may be too slow.
func requestUntilChallenged(t *testing.T, v *system.Visitor) bool {
	t.Helper()
	for range 100 {
		if a := readSession(t, v, nil); a.Code() == "BFF.CONSUMER.SUSPECTED_BOT" {
			return true
		}
	}
	return false
}

// readSession reads the visitor's session.
func readSession(t *testing.T, v *system.Visitor, headers map[string]string) system.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return check.Got(v.Go(ctx, system.Request{Method: http.MethodGet, Path: "/session", Header: headers})).Must(t)
}
