package faults

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/cachetest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// grace is what an answer may take beyond its budget, by the contract.
const grace = 50 * time.Millisecond

// A faultyTransport sends requests to the upstream services. A test makes one of them fail in a chosen way.
type faultyTransport struct {
	to         http.RoundTripper
	faultyPart atomic.Pointer[string] // of the address of an upstream
	failure    atomic.Pointer[string]
	asked      atomic.Int64 // number of requests to the faulty part
}

func newFaultyTransport() *faultyTransport {
	l := &faultyTransport{to: http.DefaultTransport}
	l.clearFault()
	return l
}

func (l *faultyTransport) setFault(upstream, failure string) {
	l.faultyPart.Store(&upstream)
	l.failure.Store(&failure)
}

func (l *faultyTransport) clearFault() { l.setFault("no service", "") }

var errRefused = errors.New("connection refused by the test")

// RoundTrip is http.RoundTripper's.
func (l *faultyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, *l.faultyPart.Load()) {
		return l.to.RoundTrip(r)
	}
	l.asked.Add(1)
	respond := func(status int, body io.Reader) (*http.Response, error) {
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(body), Request: r}, nil
	}
	switch *l.failure.Load() {
	case "slow":
		timer := time.NewTimer(2500 * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
			return l.to.RoundTrip(r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	case "hanging":
		<-r.Context().Done()
		return nil, r.Context().Err()
	case "hanging in its body":
		return respond(http.StatusOK, hangingBody{r})
	case "cut":
		return nil, errRefused
	case "failing":
		return respond(http.StatusInternalServerError, strings.NewReader("panic"))
	case "garbage":
		return respond(http.StatusOK, strings.NewReader("<html>\xff\x00"))
	case "something else":
		return respond(http.StatusOK, strings.NewReader(`{"tenantId":null,"status":"captured","items":[],"roomTypes":null}`))
	}
	return respond(http.StatusOK, io.MultiReader(strings.NewReader(`{"a":"`), bytes.NewReader(bytes.Repeat([]byte("x"), 10<<20)), strings.NewReader(`"}`)))
}

// hangingBody is a response body that never arrives.
type hangingBody struct{ r *http.Request }

// Read is io.Reader's.
func (s hangingBody) Read([]byte) (int, error) {
	<-s.r.Context().Done()
	return 0, s.r.Context().Err()
}

// A call is a request that a page of the site makes, and the time in which it is answered.
type call struct {
	name    string
	budget  time.Duration
	request system.Request
}

// calls are those of a guest who has come back from the bank, one for each route that asks neighbours.
func calls(v *system.Visitor) []call {
	post, get := http.MethodPost, http.MethodGet
	all := []call{
		{"bootstrap", 0, system.Request{Method: get, Path: "/bootstrap"}},
		{"readavailability", 0, system.Request{Method: get, Path: nights(v)}},
		{"listpolicies", 0, system.Request{Method: get, Path: "/policies"}},
		{"listproperties", 0, system.Request{Method: get, Path: "/properties"}},
		{"quote", 0, system.Request{Method: post, Path: "/quote", Body: v.QuoteBody(system.Usual())}},
		{"hold", 0, system.Request{Method: post, Path: "/hold", Body: v.HoldBody()}},
		{"readdraft", 0, system.Request{Method: get, Path: v.Draft("")}},
		{"openintent", 0, system.Request{Method: post, Path: v.Draft("/payment-intent"), Body: map[string]any{"method": "mfs"}}},
		{"readconfirmation", 0, system.Request{Method: get, Path: "/confirmation/" + v.ReservationID}},
		{"cancel", 0, system.Request{Method: post, Path: "/confirmation/" + v.ReservationID + "/cancel", Body: map[string]any{"dryRun": true}}},
		{"paybalance", 0, system.Request{Method: post, Path: "/confirmation/" + v.ReservationID + "/payment", Body: map[string]any{}}},
		{"change", 0, system.Request{Method: http.MethodPatch, Path: "/confirmation/" + v.ReservationID,
			Body: map[string]any{"dryRun": true, "stayWindow": v.QuoteBody(system.Usual())["stayWindow"]}}},
	}
	for i := range all {
		all[i].budget = budget(all[i].name)
	}
	return all
}

// budget is what the function may take: what its Spec says, else the second that everything has.
func budget(verb string) time.Duration {
	for _, f := range melmastoon.Functions {
		if f.Spec.Name == "tenantbooking-"+verb && f.Spec.Timeout > 0 {
			return f.Spec.Timeout
		}
	}
	return time.Second
}

// timed makes the call, and fails the test when there is no answer at all. What it took is without the time in which the
// machine got to nothing.
func (c call) timed(t *testing.T, v *system.Visitor) (system.Answer, time.Duration) {
	t.Helper()
	var a system.Answer
	var err error
	took, stalled := fntest.Timed(func() { a, err = v.Go(t.Context(), c.request) })
	check.Must(t, err, "%s", c.name)
	if has := v.System().Env().Timeout(c.budget); took+stalled > has {
		t.Logf("%s: %v beyond its budget of %v, with %v in which the machine got to nothing", c.name, took+stalled-has, has, stalled)
	}
	return a, took
}

// neighbours are what the routes ask, and which of them go without: those say so in their answer.
var neighbours = map[string]struct {
	part     string
	degraded map[string]string // by call: the flag
}{
	"tenant":      {"/sandbox/tenant/", nil},
	"theme":       {"/sandbox/theme/", map[string]string{"bootstrap": "theme"}},
	"property":    {"/sandbox/property/", map[string]string{"bootstrap": "policies"}},
	"inventory":   {"/sandbox/inventory/", map[string]string{"readavailability": "inventory"}},
	"pricing":     {"/sandbox/pricing/", map[string]string{"readavailability": "pricing"}},
	"payment":     {"/sandbox/payment/v1/intents", nil},
	"reservation": {"/api/v1/reservations", nil},
}

// TestSiteUpstream_deadlines makes each neighbour ill in each way, with nothing remembered. Every
// answer comes in its budget; it is right, or says what is missing, or that something is away. Afterwards the guest, who has
// paid in the meantime, gets the room.
//
// These tests mostly wait. All of a neighbour run side by side, but only one of them starts its system at a time.
func TestSiteUpstream_deadlines(t *testing.T) {
	t.Parallel()
	for name, n := range neighbours {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			var starting sync.Mutex
			for _, failure := range faultKinds(t, name) {
				all.Go(func() {
					t.Run(failure, func(t *testing.T) { checkUpstreamFault(t, &starting, n.part, failure, n.degraded) })
				})
			}
			all.Wait()
		})
	}
}

// faultKinds returns the faults to test at an upstream service. What a route does without an answer differs by neighbour, so each neighbour is silent,
// fails and answers something else. The client of all neighbours treats the other moods, so in an ordinary run each neighbour has
// one of them.
func faultKinds(t *testing.T, neighbour string) []string {
	t.Helper()
	every, client := []string{"hanging", "failing", "something else"}, []string{"slow", "hanging in its body", "cut", "garbage", "10 MB"}
	if seedrand.Full(t) {
		return append(every, client...)
	}
	n := slices.Index(slices.Sorted(maps.Keys(neighbours)), neighbour)
	return append(every, client[n%len(client)])
}

// checkUpstreamFault makes an upstream service fail. It holds the lock until everything is ready for that.
func checkUpstreamFault(t *testing.T, starting *sync.Mutex, part, failure string, degraded map[string]string) {
	t.Helper()
	starting.Lock()
	started := sync.OnceFunc(starting.Unlock)
	defer started()
	db, wire := pgtest.New(t), newFaultyTransport()
	e, memory := cachetest.Surround(db.Env().With("TIMEOUT_FACTOR", "2")) // so many illnesses at the pace of other tests would take too long
	s := system.Within(t, db, upstream.TransportKey.With(e, wire))
	v := s.Visit(demo.KabulGrand).Book(system.Usual(), "card")
	paid, cash := s.Visit(demo.KabulGrand).Book(system.Usual(), "card"), s.Visit(demo.KabulGrand).Book(system.Usual(), "cash_on_arrival")
	quoted, named := s.Visit(demo.KabulGrand).RequestQuote(system.Usual()), s.Visit(demo.KabulGrand).RequestQuote(system.Usual()).Hold().Name()
	paid.Press("pay")
	s.Quiet()
	empty(t, s)
	memory.Empty()
	back := call{"confirmpayment", budget("confirmpayment"), system.Request{Method: http.MethodPost, Path: paid.Draft("/return")}}
	promise := call{"confirmcash", budget("confirmcash"), system.Request{Method: http.MethodPost, Path: cash.Draft("/confirm")}}
	keeps := call{"hold", budget("hold"), system.Request{Method: http.MethodPost, Path: "/hold", Body: quoted.HoldBody()}}
	pays := call{"openintent", budget("openintent"), system.Request{Method: http.MethodPost, Path: named.Draft("/payment-intent"), Body: map[string]any{"method": "card"}}}
	started()
	wire.setFault(part, failure)
	for _, c := range calls(v) {
		c.stand(t, v, degraded[c.name])
	}
	back.stand(t, paid, "")
	promise.stand(t, cash, "")
	keeps.stand(t, quoted, "")
	pays.stand(t, named, "")
	if wire.asked.Load() == 0 {
		t.Error("got no request of the service, want some")
	}
	wire.clearFault()
	retryUntil(t, paid, back.request, http.StatusOK)
	retryUntil(t, cash, promise.request, http.StatusOK)
	retryUntil(t, quoted, keeps.request, http.StatusCreated)
	retryUntil(t, named, pays.request, http.StatusCreated)
	named.Press("pay")
	retryUntil(t, named, system.Request{Method: http.MethodPost, Path: named.Draft("/return")}, http.StatusOK)
	expectRecovery(t, s, v)
}

// stand makes the call while a neighbour is ill.
func (c call) stand(t *testing.T, v *system.Visitor, flag string) {
	t.Helper()
	a, took := c.timed(t, v)
	if has := v.System().Env().Timeout(c.budget); took > has+grace {
		t.Errorf("%s took %v, has %v: %d %s", c.name, took, has, a.Status, a.Body)
	}
	c.check(t, a, flag)
}

// check fails the test unless the answer is a right one, or an honest one.
func (c call) check(t *testing.T, a system.Answer, flag string) {
	t.Helper()
	var body struct{ Degraded []string }
	if a.Status < 300 {
		a.Into(t, &body)
	}
	honest := a.Status == http.StatusServiceUnavailable || a.Status == http.StatusGatewayTimeout
	expected := c.name == "hold" && a.Status == http.StatusConflict || slices.Contains([]string{"readconfirmation", "cancel", "paybalance", "change"}, c.name) && a.Status == http.StatusNotFound
	switch {
	case flag != "" && (a.Status != http.StatusOK || !slices.Equal(body.Degraded, []string{flag})):
		t.Errorf("%s answered %d %s, want 200 without %s", c.name, a.Status, a.Body, flag)
	case flag == "" && a.Status >= 300 && !honest && !expected:
		t.Errorf("%s answered %d %s", c.name, a.Status, a.Body)
	case honest && (a.Code() == "" || strings.Contains(string(a.Body), "sandbox")):
		t.Errorf("%s refuses with %s", c.name, a.Body)
	}
}

// retryUntil sends a request, each time as a new one, until the answer has that status, because the circuit breakers have closed.
func retryUntil(t *testing.T, v *system.Visitor, r system.Request, status int) {
	t.Helper()
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-again.C {
		r.Key = system.Key()
		a := check.Got(v.Go(t.Context(), r)).Must(t)
		if a.Status == status {
			a.Into(t, &v.Visit)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the fault %s %s answers %d %s", r.Method, r.Path, a.Status, a.Body)
		}
	}
}

// expectRecovery lets the guest pay and return after all upstream services have recovered.
func expectRecovery(t *testing.T, s *system.System, v *system.Visitor) {
	t.Helper()
	retryUntil(t, v, system.Request{Method: http.MethodPost, Path: v.Draft("/payment-intent"), Body: map[string]any{"method": "card"}}, http.StatusCreated)
	v.Press("pay")
	retryUntil(t, v, system.Request{Method: http.MethodPost, Path: v.Draft("/return")}, http.StatusOK)
	if e := v.End(); e.State != "confirmed" || e.Final != "converted" {
		t.Errorf("ended as %+v", e)
	}
	s.Settle()
}
