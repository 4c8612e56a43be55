package journeys

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/timeline"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// details matches the parts of a moment that differ between runs.
var details = regexp.MustCompile(`  .*| in \d+ ms| at .*| until .*| for .*`)

// summary returns a moment without its details.
func summary(m booking.Moment) string {
	return string(m.Kind) + " " + details.ReplaceAllString(m.What, "")
}

// momentsOf returns the summaries of a service's moments, without pushes, which may be repeated, steps, which are a sample, and what is
// consumed while the hold that caused it is still at work.
func momentsOf(s booking.Timeline, service string) (found []string) {
	for _, m := range s.Moments {
		words := summary(m)
		switch {
		case m.Service != service, strings.Contains(words, "step_completed"), words == "consumed inventory.allocation.committed",
			m.Kind == booking.Call && strings.Contains(m.What, "evt_"):
			continue
		}
		found = append(found, words)
	}
	return found
}

// bookingMoments are the expected moments of a booking, by service.
var bookingMoments = map[string][]string{
	"tenantbooking": {
		"call bootstrap 200", "published bff.tenant.bootstrap.served",
		"call quote 201", "row draft is quoting",
		"call hold 201", "row draft is holding", "published bff.tenant.booking.draft.created",
		"call setguest 200", "row draft is collecting_details",
		"call openintent 201", "row draft is paying", "published bff.tenant.payment_intent.created",
		"call confirmpayment 200", "row draft is confirmed", "row draft kept as converted card", "published bff.tenant.booking.draft.converted",
		"call readconfirmation 200", "row confirmation shown", "published bff.tenant.confirmation.viewed",
	},
	"reservation": {
		"call quote 201", "row priced", "published reservation.quote.requested", "published reservation.quote.created",
		"call hold 201", "row hold", "row reservation begun by direct", "published reservation.held",
		"call read 200", "call setguest 200", "row guest named",
		"row reservation confirmed, captured by card", "consumed payment.transaction.captured", "published reservation.confirmed",
		"call read 200", "call read 200",
	},
}

func TestTimeline_booking(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).RequestQuote(usual()).Hold()
	s.Quiet()
	other := s.Visit(demo.KabulGrand).Book(usual(), "cash_on_arrival")
	v.Name().Pay("card")
	v.Press("pay")
	s.Quiet()
	v.Return()
	v.Must(http.StatusOK, http.MethodGet, "/confirmation/"+v.ReservationID, nil)
	s.Settle()
	whole := s.BookingTimeline(v.ReservationID)
	for service, want := range bookingMoments {
		check.Equal(t, momentsOf(whole, service), want, "%s", service)
	}
	checkOrder(t, whole)
	checkCauses(t, whole, "published reservation.confirmed", "call paymentcaptured 204", "published payment.transaction.captured", "call pay 303")
	checkCauses(t, whole, "consumed inventory.allocation.committed", "call allocationcommitted 204", "published inventory.allocation.committed", "call holdrooms 201")
	checkCauses(t, whole, "row rooms kept", "call commitrooms 200", "call paymentcaptured 204")
	checkCauses(t, whole, "published bff.tenant.booking.draft.converted", "call confirmpayment 200")
	checkCauses(t, whole, "row priced", "call quote 201", "call quote 201")
	text := strings.Join(whole.Lines(), "\n")
	for name, secret := range map[string]string{
		"first name":     "Zarghona",
		"last name":      "Ahmadzai",
		"e-mail":         "xample.com",
		"phone as typed": "70 012",
		"phone number":   "700123456",
		"another draft":  other.DraftID[len(other.DraftID)-6:],
	} {
		t.Run(name, func(t *testing.T) { check.Lacks(t, text, secret) })
	}
	for name, id := range map[string]string{
		"draft":             v.DraftID,
		"confirmation code": v.Code,
		"quote":             v.QuoteID,
		"intent":            v.IntentID,
		"session":           v.Session(),
	} {
		t.Run(name, func(t *testing.T) {
			if other := s.BookingTimeline(id); !slices.Equal(other.Lines(), whole.Lines()) {
				t.Errorf("the timeline of %s is\n%s\nwant\n%s", id, strings.Join(other.Lines(), "\n"), text)
			}
		})
	}
}

// TestTimeline_fromHandoff reads the timeline of a booking by each of its ids, from the handoff on. All must be the same.
func TestTimeline_fromHandoff(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	all := s.Browser().AtAll()
	all.Must(http.StatusOK, http.MethodGet, "/session", nil)
	h := demo.KabulGrand
	stay := all.At(h).QuoteBody(usual())["stayWindow"]
	var minted struct{ HandoffID, Token string }
	all.Must(http.StatusCreated, http.MethodPost, "/handoff/"+h.Tenant.String()+"/"+h.Property.String(),
		map[string]any{"dates": stay, "occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1}}).Into(t, &minted)
	v := all.At(h)
	v.Must(http.StatusOK, http.MethodGet, "/bootstrap?h="+url.QueryEscape(minted.Token), nil)
	v.Book(usual(), "cash_on_arrival")
	s.Settle()
	whole := s.BookingTimeline(v.ReservationID)
	checkOrder(t, whole)
	checkCauses(t, whole, "row handoff minted", "call minthandoff 201")
	checkCauses(t, whole, "consumed bff.tenant.handoff.consumed", "call handoffconsumed 204", "published bff.tenant.handoff.consumed", "call bootstrap 200")
	for name, id := range map[string]string{
		"handoff":        minted.HandoffID,
		"guest session":  all.Session(),
		"tenant session": v.Session(),
		"draft":          v.DraftID,
	} {
		t.Run(name, func(t *testing.T) {
			if other := s.BookingTimeline(id); !slices.Equal(other.Lines(), whole.Lines()) {
				t.Errorf("the timeline of %s is\n%s\nwant\n%s", id, strings.Join(other.Lines(), "\n"), strings.Join(whole.Lines(), "\n"))
			}
		})
	}
	if text := strings.Join(whole.Lines(), "\n"); strings.Contains(text, minted.Token) {
		t.Errorf("the timeline contains the token:\n%s", text)
	}
}

// checkOrder expects each moment after the previous one and after its cause.
func checkOrder(t *testing.T, s booking.Timeline) {
	t.Helper()
	for i, m := range s.Moments {
		if i > 0 && m.At.Before(s.Moments[i-1].At) || m.Cause >= i {
			t.Errorf("moment %d is earlier than the previous one or than its cause: %s", i+1, s.Lines()[i])
		}
	}
}

// checkCauses expects the first moment with that summary to be caused by the first of the causes, and each of those by the next.
func checkCauses(t *testing.T, s booking.Timeline, what string, causes ...string) {
	t.Helper()
	at := slices.IndexFunc(s.Moments, func(m booking.Moment) bool { return strings.HasPrefix(summary(m), what) })
	if at < 0 {
		t.Errorf("got no moment %q, want one", what)
		return
	}
	for _, cause := range causes {
		if at = s.Moments[at].Cause; at < 0 || summary(s.Moments[at]) != cause {
			t.Errorf("got %q without the cause %q", what, cause)
			return
		}
	}
}

// A failingTest is a testing.TB that records a failure without failing the test.
type failingTest struct {
	testing.TB
	mu       sync.Mutex
	printed  strings.Builder
	cleanups []func()
}

func (l *failingTest) Cleanup(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cleanups = append(l.cleanups, f)
}
func (l *failingTest) Failed() bool { return true }
func (l *failingTest) Log(args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range args {
		l.printed.WriteString(a.(string))
	}
}

func (l *failingTest) end() string {
	for _, f := range slices.Backward(l.cleanups) {
		f()
	}
	return l.printed.String()
}

func TestTimeline_printedOnFailure(t *testing.T) {
	t.Parallel()
	l := &failingTest{TB: t}
	s := system.Open(l)
	v := s.Visit(demo.HeratGarden).RequestQuote(inHerat()).Hold()
	text := strings.Join(strings.Fields(l.end()), " ")
	for name, want := range map[string]string{
		"event": "published bff.tenant.booking.draft.created evt_…",
		"row":   "row draft is holding bdr_…" + v.DraftID[len(v.DraftID)-6:],
		"call":  "call holdrooms 201",
	} {
		t.Run(name, func(t *testing.T) { check.Contains(t, text, want) })
	}
}

func inHerat() system.Wish {
	w := usual()
	w.Hotel = demo.HeratGarden
	return w
}

// TestTimeline_withoutLog reads events and rows alone, as an operator without logs would see them.
func TestTimeline_withoutLog(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	s.Advance(11 * time.Minute)
	b.Press("pay")
	b.Await("confirmed")
	whole := check.Got(booking.Of(t.Context(), booking.Owner{Conn: s.DB.Owner(t)}, nil, b.Code)).Must(t)
	checkOrder(t, whole)
	checkCauses(t, whole, "published reservation.confirmed", "consumed payment.transaction.captured", "published payment.transaction.captured")
	if !slices.ContainsFunc(whole.Moments, func(m booking.Moment) bool { return m.Kind == booking.Consumed }) {
		t.Error("got no consumed event, want at least one")
	}
	if _, err := booking.Of(t.Context(), booking.Owner{Conn: s.DB.Owner(t)}, nil, "rsv_01J00000000000000000000000"); !errors.Is(err, booking.ErrUnknown) {
		t.Errorf("unknown reservation: error = %v, want %v", err, booking.ErrUnknown)
	}
}

// TestTimeline_job runs the job, which reads as the services' roles within the booking's tenant. It must print the moments that the
// superuser's timeline has, but those of the message bus.
func TestTimeline_job(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	v.Press("pay")
	v.Return()
	s.Settle()
	whole := s.BookingTimeline(v.ReservationID)
	var out strings.Builder
	e := timeline.LogKey.With(env.Of(map[string]string{"DATABASE_URL": s.DB.URL()}), booking.Whole(s.Log.Reader()))
	check.Must(t, timeline.Run(t.Context(), e, []string{"-most=0", v.DraftID}, &out))
	moments := 0
	for _, m := range whole.Moments {
		if m.Service == "bus" {
			continue
		}
		moments++
		if !strings.Contains(out.String(), m.What) {
			t.Errorf("the job does not print %s %s %s", m.Service, m.Kind, m.What)
		}
	}
	if moments < 40 {
		t.Errorf("the timeline has %d moments, want at least 40", moments)
	}
	for name, personal := range map[string]string{"first name": "Zarghona", "last name": "Ahmadzai", "address": "@", "telephone number": "012 3456"} {
		t.Run(name, func(t *testing.T) { check.Lacks(t, out.String(), personal) })
	}
}
