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

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/jobs/timeline"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/test/system"
)

// particular is what differs from one run to the next.
var particular = regexp.MustCompile(`  .*| in \d+ ms| at .*| until .*| for .*`)

// gist is a moment without its particulars.
func gist(m booking.Moment) string {
	return string(m.Kind) + " " + particular.ReplaceAllString(m.What, "")
}

// of are the gists of one service's moments, without pushes, which may be repeated, and steps, which are a sample.
func of(s booking.Timeline, service string) (found []string) {
	for _, m := range s.Moments {
		words := gist(m)
		if m.Service != service || strings.Contains(words, "step_completed") || m.Kind == booking.Call && strings.Contains(m.What, "evt_") {
			continue
		}
		found = append(found, words)
	}
	return found
}

// aLife is one booking's, as it must be told, by service.
var aLife = map[string][]string{
	"tenantbooking": {
		"call bootstrap 200", "told bff.tenant.bootstrap.served",
		"call quote 201", "row draft is quoting",
		"call hold 201", "row draft is holding", "told bff.tenant.booking.draft.created",
		"call setguest 200", "row draft is collecting_details",
		"call openintent 201", "row draft is paying", "told bff.tenant.payment_intent.created",
		"call confirmpayment 200", "row draft is confirmed", "row draft kept as converted card", "told bff.tenant.booking.draft.converted",
		"call readconfirmation 200", "row confirmation shown", "told bff.tenant.confirmation.viewed",
	},
	"reservation": {
		"call quote 201", "row priced", "told reservation.quote.requested", "told reservation.quote.created",
		"call hold 201", "row hold", "row reservation begun by direct", "told reservation.held", "heard inventory.allocation.committed",
		"call read 200", "call setguest 200", "row guest named",
		"row reservation confirmed, captured by card", "heard payment.transaction.captured", "told reservation.confirmed",
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
	story := s.BookingTimeline(v.ReservationID)
	for service, want := range aLife {
		if got := of(story, service); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", service, got, want)
		}
	}
	inTime(t, story)
	because(t, story, "told reservation.confirmed", "call paymentcaptured 204", "told payment.transaction.captured", "call pay 303")
	because(t, story, "row rooms kept", "call commitrooms 200", "call paymentcaptured 204")
	because(t, story, "told bff.tenant.booking.draft.converted", "call confirmpayment 200")
	because(t, story, "row priced", "call quote 201", "call quote 201")
	text := strings.Join(story.Lines(), "\n")
	for _, secret := range []string{"Zarghona", "Ahmadzai", "xample.com", "70 012", "700123456", other.DraftID[len(other.DraftID)-6:]} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the story:\n%s", secret, text)
		}
	}
	for _, name := range []string{v.DraftID, v.Code, v.QuoteID, v.IntentID, v.Session()} {
		if other := s.BookingTimeline(name); !slices.Equal(other.Lines(), story.Lines()) {
			t.Errorf("%s tells another story:\n%s", name, strings.Join(other.Lines(), "\n"))
		}
	}
}

// TestTimeline_fromHandoff follows one from the handoff on: whichever end it is taken up by, it is the same.
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
	story := s.BookingTimeline(v.ReservationID)
	inTime(t, story)
	because(t, story, "row handoff minted", "call minthandoff 201")
	because(t, story, "heard bff.tenant.handoff.consumed", "call handoffconsumed 204", "told bff.tenant.handoff.consumed", "call bootstrap 200")
	for _, name := range []string{minted.HandoffID, all.Session(), v.Session(), v.DraftID} {
		if other := s.BookingTimeline(name); !slices.Equal(other.Lines(), story.Lines()) {
			t.Errorf("%s tells another story:\n%s\nthan\n%s", name, strings.Join(other.Lines(), "\n"), strings.Join(story.Lines(), "\n"))
		}
	}
	if text := strings.Join(story.Lines(), "\n"); strings.Contains(text, minted.Token) {
		t.Errorf("the token is in the story:\n%s", text)
	}
}

// inTime wants every moment after the one before it, and after the one that led to it.
func inTime(t *testing.T, s booking.Timeline) {
	t.Helper()
	for i, m := range s.Moments {
		if i > 0 && m.At.Before(s.Moments[i-1].At) || m.Cause >= i {
			t.Errorf("moment %d stands before what it follows from: %s", i+1, s.Lines()[i])
		}
	}
}

// because wants the first moment of that gist to follow from the others, each from the next.
func because(t *testing.T, s booking.Timeline, what string, causes ...string) {
	t.Helper()
	at := slices.IndexFunc(s.Moments, func(m booking.Moment) bool { return strings.HasPrefix(gist(m), what) })
	if at < 0 {
		t.Errorf("%q is not told", what)
		return
	}
	for _, cause := range causes {
		if at = s.Moments[at].Cause; at < 0 || gist(s.Moments[at]) != cause {
			t.Errorf("%q does not follow from %q", what, cause)
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
	for _, want := range []string{"told bff.tenant.booking.draft.created evt_…", "row draft is holding bdr_…" + v.DraftID[len(v.DraftID)-6:], "call holdrooms 201"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not printed:\n%s", want, text)
		}
	}
}

func inHerat() system.Wish {
	w := usual()
	w.Hotel = demo.HeratGarden
	return w
}

// TestTimeline_withoutLog tells of events and rows alone, as an operator without logs would see them.
func TestTimeline_withoutLog(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	s.Advance(11 * time.Minute)
	b.Press("pay")
	b.Await("confirmed")
	story, err := booking.Of(t.Context(), booking.Owner{Conn: s.DB.Owner(t)}, nil, b.Code)
	if err != nil {
		t.Fatal(err)
	}
	inTime(t, story)
	because(t, story, "told reservation.confirmed", "heard payment.transaction.captured", "told payment.transaction.captured")
	if !slices.ContainsFunc(story.Moments, func(m booking.Moment) bool { return m.Kind == booking.Consumed }) {
		t.Error("nothing is heard")
	}
	if _, err := booking.Of(t.Context(), booking.Owner{Conn: s.DB.Owner(t)}, nil, "rsv_01J00000000000000000000000"); !errors.Is(err, booking.ErrUnknown) {
		t.Errorf("a reservation that does not exist has a story: %v", err)
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
	if err := timeline.Run(t.Context(), e, []string{"-most=0", v.DraftID}, &out); err != nil {
		t.Fatal(err)
	}
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
		t.Run(name, func(t *testing.T) {
			if strings.Contains(out.String(), personal) {
				t.Errorf("the job prints it:\n%s", out.String())
			}
		})
	}
}
