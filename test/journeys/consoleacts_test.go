package journeys

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// needsEmbedded skips a test if events are on Google's emulator. It is called before a system is opened, because each system adds
// a hundred subscriptions to the emulator.
func needsEmbedded(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("MELMASTOON_BACKEND") == "emulators" {
		t.Skip(why)
	}
}

// A developer uses the console of a system.
type developer struct {
	*system.System
	t *testing.T
}

// page returns a page of the console.
func (d developer) page(path string) string {
	d.t.Helper()
	return string(d.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: path, Header: map[string]string{"Accept": "text/html"}}).Body)
}

// shows fails the test unless the page contains the texts.
func (d developer) shows(path string, texts ...string) {
	d.t.Helper()
	page := html.UnescapeString(d.page(path))
	for _, text := range texts {
		if !strings.Contains(page, text) {
			d.t.Errorf("%s: %q is not in %s", path, text, page)
		}
	}
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// acts sends a form of a page, waits for the end of the change, and returns the page of its run.
func (d developer) acts(page, action string, form url.Values) string {
	d.t.Helper()
	token := formToken.FindStringSubmatch(d.page(page))
	if token == nil {
		d.t.Fatalf("%s has no form", page)
	}
	form.Set("token", token[1])
	run := d.Must(http.StatusSeeOther, system.Request{Method: http.MethodPost, Path: action, Body: form.Encode()}).Header.Get("Location")
	for {
		if text := d.page(run); !strings.Contains(text, "Running.") {
			return html.UnescapeString(text)
		}
	}
}

// does is acts for a change that must succeed and print the texts.
func (d developer) does(page, action string, form url.Values, texts ...string) {
	d.t.Helper()
	shown := d.acts(page, action, form)
	for _, text := range append(texts, "Done.") {
		if !strings.Contains(shown, text) {
			d.t.Errorf("%s: %q is not in %s", action, text, shown)
		}
	}
}

func (d developer) exec(statement string) {
	d.t.Helper()
	tag, err := d.DB.Owner(d.t).Exec(d.t.Context(), statement)
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("no row changed")
	}
	if err != nil {
		d.t.Fatalf("%s: %v", statement, err)
	}
}

func TestConsole_unpark(t *testing.T) {
	t.Parallel()
	d := developer{system.Open(t), t}
	d.Book(system.Usual())
	d.Quiet()
	d.shows("/-/outbox", "All events are published.", "bff_tenant_booking", "reservation")
	d.exec(`UPDATE reservation.outbox SET published_at = NULL, parked_reason = 'contract: /holdId: missing' WHERE subject = 'melmastoon.reservation.held.v1'`)
	d.shows("/-/outbox", "reservation.held", "parked: contract: /holdId: missing")
	event := regexp.MustCompile(`name="event" value="([^"]+)"`).FindStringSubmatch(d.page("/-/outbox"))
	if event == nil {
		t.Fatal("the page has no form for the parked event")
	}
	d.does("/-/outbox", "/-/outbox/unpark", url.Values{"schema": {"reservation"}, "event": {event[1]}, "why": {"the schema is mended"}},
		`by "console", because "the schema is mended"`)
	for _, schema := range []string{"bff_consumer", "bff_tenant_booking", "sandbox", "reservation"} { // the last one publishes the event
		service := strings.ReplaceAll(strings.TrimPrefix(schema, "bff_"), "_", "")
		d.shows("/-/outbox", `action="/-/functions/`+service+`-relay/tick"`)
		d.does("/-/outbox", "/-/functions/"+service+"-relay/tick", url.Values{}, service+"-relay answered after")
	}
	d.shows("/-/outbox", "All events are published.")
}

// TestConsole_otherOrigin sends a write as a page of a development server does that has no proxy. Locally the refusal says what to do.
func TestConsole_otherOrigin(t *testing.T) {
	t.Parallel()
	d := developer{system.Open(t), t}
	refused := d.Must(http.StatusForbidden, system.Request{Method: http.MethodPost, Path: "/bff/consumer/v1/search", Body: "{}",
		Header: map[string]string{"Origin": "http://localhost:5173", "Sec-Fetch-Site": "same-site"}})
	if !strings.Contains(string(refused.Body), "schemas/http/README.md") {
		t.Errorf("got %s, want the document about the proxy in it", refused.Body)
	}
}

// TestConsole_lockedLanes names the session because of which the relay finds no lane.
func TestConsole_lockedLanes(t *testing.T) {
	t.Parallel()
	d := developer{system.Open(t), t}
	foreign, err := d.DB.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Exec(t.Context(), `SELECT lane FROM reservation.outbox_lanes FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(d.page("/-/outbox"), "another session has locked") && time.Now().Before(deadline); {
		d.Tick("reservation-relay")
	}
	d.shows("/-/outbox", "in reservation, idle in transaction since", "SELECT lane FROM reservation.outbox_lanes FOR UPDATE")
	if err := foreign.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page := d.page("/-/outbox"); strings.Contains(page, "another session has locked") {
		t.Errorf("got %s, want no session", page)
	}
}

// TestConsole_pushNow lets a consumer fail until its next attempt is an hour away, and pushes the event without waiting.
func TestConsole_pushNow(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the emulator retries after about a second")
	db := pgtest.New(t)
	var fails atomic.Bool
	fails.Store(true)
	d := developer{system.As(t, db, cloud.Config{Env: db.Env(), Middleware: func(f fn.Function, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if f.Spec.Name == "reservation-paymentcaptured" && fails.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}}), t}
	b := d.Book(system.Usual()).Intend("card")
	b.Press("pay")
	const waits = "reservation-paymentcaptured</th>"
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(d.page("/-/outbox"), waits) && time.Now().Before(deadline); {
		d.Tick("sandbox-relay")
	}
	for tag := int64(0); tag == 0; {
		result, err := db.Owner(t).Exec(t.Context(), `
			UPDATE bus.deliveries SET due_at = platform.now() + interval '1 hour'
			WHERE pusher IS NULL AND attempt > 0 AND subscription LIKE '%paymentcaptured%'`)
		if err != nil {
			t.Fatal(err)
		}
		tag = result.RowsAffected()
	}
	fails.Store(false)
	d.shows("/-/outbox", waits, "Push now")
	d.does("/-/outbox", "/-/deliveries/push", url.Values{"subscription": {""}}, " deliveries are pushed now")
	b.Await("confirmed")
}

func TestConsole_deadLetters(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the emulator takes seconds to say that a topic is empty, and each page asks all topics; jobs/replay is tested on it")
	d := developer{system.Open(t), t}
	d.shows("/-/letters", "There are no dead letters.")
	publisher, _ := topic.PublisherKey.Get(d.Env())
	for _, err := range publisher.Publish(t.Context(), []topic.Message{{Topic: "melmastoon.payment.transaction.captured.v1", Data: []byte("{}")}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(d.page("/-/letters"), `name="topic"`) && time.Now().Before(deadline); {
		d.Tick("reservation-relay")
	}
	d.shows("/-/letters", "unreadable", "reservation-paymentcaptured")
	letters := deadLetterTopic(t, d)
	form := func(act string) url.Values { return url.Values{"act": {act}, "topic": {letters}} }
	d.does("/-/letters", "/-/letters", form("show"), `"payload":"2 bytes, not shown"`)
	d.does("/-/letters", "/-/letters", form("dry"), "would replay 1 of 1")
	if shown := d.acts("/-/letters", "/-/letters", form("show")); !strings.Contains(shown, "bytes, not shown") {
		t.Errorf("a dry run has removed the message: %s", shown)
	}
	d.Must(http.StatusForbidden, system.Request{Method: http.MethodPost, Path: "/-/letters", Body: form("replay").Encode()})
	d.does("/-/letters", "/-/letters", form("replay"), "replayed 1 of 1", "outcome of an unreadable event at reservation-paymentcaptured: dead-lettered")
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(d.page("/-/letters"), `name="topic"`) && time.Now().Before(deadline); {
		d.Tick("reservation-relay")
	}
	discard := form("discard")
	discard.Set("why", "a test")
	d.does("/-/letters", "/-/letters", discard, "discarded 1 of 1", `because "a test"`)
	d.shows("/-/letters", "There are no dead letters.")
}

// deadLetterTopic returns the first topic on the page of dead letters.
func deadLetterTopic(t *testing.T, d developer) string {
	t.Helper()
	found := regexp.MustCompile(`name="topic" value="([^"]+)"`).FindStringSubmatch(d.page("/-/letters"))
	if found == nil {
		t.Fatal("the page lists no topic")
	}
	return found[1]
}

// TestConsole_booking shows the timeline of one booking by its code and by an id, each moment with its cause.
func TestConsole_booking(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the page reads the same rows on both backends")
	d := developer{system.Open(t), t}
	b := d.Book(system.Usual()).Intend("card").Pay()
	d.shows("/-/booking", b.Code)
	for name, key := range map[string]string{"confirmation code": b.Code, "reservation": b.ReservationID, "quote": b.QuoteID, "intent": b.IntentID} {
		t.Run(name, func(t *testing.T) {
			page := d.page("/-/booking?id=" + key)
			want := len(d.BookingTimeline(key).Moments)
			if drawn := strings.Count(page, "<circle"); drawn != want {
				t.Errorf("%d moments are drawn, want %d", drawn, want)
			}
			if listed := strings.Count(page, "<details"); listed != want {
				t.Errorf("%d moments are listed, want %d", listed, want)
			}
			for _, want := range []string{`class="cause"`, "paymentcaptured 204", "<p><strong>" + b.Code + " · confirmed · "} {
				t.Run(want, func(t *testing.T) {
					if !strings.Contains(page, want) {
						t.Errorf("got %s, want %q in it", page, want)
					}
				})
			}
		})
	}
	d.shows("/-/booking?id=GM-ZZZZZZ", "no value has that name")
	d.shows("/-/booking?id=evt_01J00000000000000000000000", "no booking, handoff or session has that event")
	d.shows("/-/booking?id=x", "neither an id nor")
	d.shows("/-/hotels", "Kabul Grand Hotel", `href="/site/kabul-grand-hotel"`)
}

// TestConsole_bookingOfEvent follows the links from pages of events to the timeline of their booking, and of their session before it.
func TestConsole_bookingOfEvent(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the page reads the same rows on both backends")
	d := developer{system.Open(t), t}
	v := d.Visit(demo.KabulGrand).RequestQuote(usual()).Hold()
	d.Visit(demo.KabulGrand).RequestQuote(usual()).Hold()
	d.Settle()
	eventOf := func(subject, key string) string {
		t.Helper()
		for _, event := range regexp.MustCompile(`href="(/-/events/\d+)"`).FindAllStringSubmatch(d.page("/-/events?subject="+subject), -1) {
			if page := d.page(event[1]); strings.Contains(page, key) {
				return regexp.MustCompile(`href="(/-/booking\?id=evt_\w+)"`).FindStringSubmatch(page)[1]
			}
		}
		t.Fatalf("no event %s has %s", subject, key)
		return ""
	}
	for _, test := range []struct{ subject, key string }{
		{"reservation.held", v.ReservationID},
		{"inventory.allocation.committed", v.ReservationID},
		{"bff.tenant.booking.draft.created", v.DraftID},
		{"bff.tenant.bootstrap.served", v.Session()},
	} {
		t.Run(test.subject, func(t *testing.T) {
			list := regexp.MustCompile(`(?s)<h2>\d+ moments.*`)
			got, want := list.FindString(d.page(eventOf(test.subject, test.key))), list.FindString(d.page("/-/booking?id="+v.ReservationID))
			if got == "" || got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

// TestConsole_clock moves the clock past the end of a hold: the next tick ends it.
func TestConsole_clock(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the emulator does not follow the clock")
	d := developer{system.Open(t), t}
	b := d.Book(system.Usual())
	d.shows("/-/clock", b.Code, "reservation-expireholds")
	before := d.Env().Offset()
	d.does("/-/clock", "/-/clock", url.Values{"by": {"31m"}}, "ahead of real time")
	if moved := d.Env().Offset() - before; moved != 31*time.Minute {
		t.Errorf("the clock moved by %v, want 31m", moved)
	}
	d.shows("/-/clock", "expired, until the next tick")
	d.does("/-/clock", "/-/functions/reservation-expireholds/tick", url.Values{}, "answered after")
	d.shows("/-/clock", "There is no live hold.")
	token := formToken.FindStringSubmatch(d.page("/-/clock"))[1]
	for _, by := range []string{"-1m", "0s", "2000h", "tomorrow", ""} {
		d.Must(http.StatusBadRequest, system.Request{Method: http.MethodPost, Path: "/-/clock", Body: url.Values{"token": {token}, "by": {by}}.Encode()})
	}
}

// TestScenario_failingFunction asks with a header for failing deliveries. Deliveries that other calls cause succeed.
func TestScenario_failingFunction(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the emulator repeats a failed delivery after seconds")
	d := developer{system.Open(t), t}
	const page, function = "/-/failures", "reservation-paymentcaptured"
	failing, other := d.Visit(demo.KabulGrand).Book(system.Usual(), "card"), d.Visit(demo.KabulGrand).Book(system.Usual(), "card")
	failing.Headers = map[string]string{"X-Sandbox-Scenario": "fail; function=" + function}
	failing.Press("pay")
	failing.Headers = nil
	other.Press("pay")
	delivered := func() bool {
		return strings.Contains(d.page(page), "<td>fail</td>") && strings.Contains(d.page("/-/booking?id="+other.ReservationID), "paymentcaptured 204")
	}
	for deadline := time.Now().Add(30 * time.Second); !delivered() && time.Now().Before(deadline); {
		d.Tick("sandbox-relay")
	}
	d.shows(page, function, "fail</td><td><code>attempt 1 of evt_")
	d.shows("/-/booking?id="+other.ReservationID, "paymentcaptured 204")
	if got := d.page("/-/booking?id=" + failing.ReservationID); strings.Contains(got, "paymentcaptured 204") {
		t.Error("the delivery that was to fail has succeeded")
	}
	for _, wrong := range []string{"fail; function=reservation-hold", "fail; function=nothing"} {
		d.Must(http.StatusBadRequest, system.Request{
			Method: http.MethodGet, Path: "/bff/consumer/v1/session", Header: map[string]string{"X-Sandbox-Scenario": wrong},
		})
	}
	d.does(page, page, url.Values{}, "0 services and 0 functions fail")
	d.Settle()
	d.shows("/-/booking?id="+failing.ReservationID, "paymentcaptured 204")
}

// TestConsole_failures lets one service and one event function fail and sees both played.
func TestConsole_failures(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the emulator repeats a failed delivery after seconds")
	d := developer{system.Open(t), t}
	const page = "/-/failures"
	d.does(page, page, url.Values{"neighbour": {"inventory"}, "failure": {"sold_out"}}, "1 services and 0 functions fail")
	q := d.Quote(system.Usual())
	if a := d.Must(http.StatusConflict, q.HoldRequest(system.Key())); !strings.Contains(a.Code(), "OVERBOOK") {
		t.Errorf("the hold answered %s, want a full hotel", a.Body)
	}
	d.does(page, page, url.Values{"neighbour": {"inventory"}, "failure": {""}}, "0 services")
	for _, failure := range []string{"fail", "answerlost", "twice"} {
		d.does(page, page, url.Values{"function": {"reservation-paymentcaptured"}, "failure": {failure}}, "1 functions fail")
		b := d.Book(system.Usual()).Intend("card")
		b.Press("pay")
		for deadline := time.Now().Add(30 * time.Second); !strings.Contains(d.page(page), "<td>"+failure+"</td>") && time.Now().Before(deadline); {
			d.Tick("sandbox-relay")
		}
		d.shows(page, failure+"</td><td><code>attempt 1 of evt_")
		if failure != "twice" {
			d.shows("/-/functions/reservation-paymentcaptured", "simulated by the console: "+failure)
		}
		d.does(page, page, url.Values{}, "0 services and 0 functions fail")
		b.Await("confirmed")
	}
	token := formToken.FindStringSubmatch(d.page(page))[1]
	for _, wrong := range []url.Values{{"function": {"reservation-hold"}, "failure": {"fail"}}, {"neighbour": {"x"}, "failure": {"sold_out"}}, {"neighbour": {"pricing"}, "failure": {"x"}}} {
		wrong.Set("token", token)
		d.Must(http.StatusBadRequest, system.Request{Method: http.MethodPost, Path: page, Body: wrong.Encode()})
	}
	d.Settle()
}
