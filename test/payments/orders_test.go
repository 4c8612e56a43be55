// Package payments tests every way to pay in combination with disruptions, with the acts that settle the payment in every order.
package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// An act is a step of a test case that may settle the booking on a hotel's site, or disrupt it.
type act string

const (
	captures act = "capture"    // the guest or the bank pays; for cash, the guest confirms
	delivers act = "event"      // the event of the capture is delivered to the reservation service
	returns  act = "return"     // the guest returns to the site
	sweeps   act = "sweep"      // two minutes pass and the sweep runs
	disrupts act = "disruption" // the clock passes the end of the hold, or situation.disrupt is called
)

// A way is a payment method with a sandbox scenario, and the form that captures the money.
type way struct {
	method, scenario string
	form             func(*payer) (address, body string)
}

var (
	byCard  = way{"card", "", func(p *payer) (string, string) { return p.RedirectURL, "action=pay" }}
	byPhone = way{"mfs", "", func(p *payer) (string, string) { return p.checkout(p.IntentID), "action=pay" }}
	by3DS   = way{"card", "challenge_3ds", func(p *payer) (string, string) {
		return p.System().Cloud.URL() + "/sandbox/payment/v1/authentications", url.Values{"clientSecret": {p.ClientSecret}, "action": {"pay"}}.Encode()
	}}
	byBank = way{"card", "pending", func(p *payer) (string, string) { return p.checkout(p.IntentID), "action=capture" }}
	inCash = way{"cash_on_arrival", "", func(p *payer) (string, string) { return p.Draft("/confirm"), "" }}
)

// A situation combines ways to pay with a disruption.
type situation struct {
	name    string
	ways    []way
	room    int                                 // index of the room type in Hotel.Rooms
	disrupt func(*payer, context.Context) error // nil if only the clock moves
}

// steady lists the situations in which the hold does not expire. late lists those in which it expires at the disruption.
var steady, late = batchOf{copies: 2, situations: []situation{
	{name: "card", ways: []way{byCard}},
	{name: "mobile money", ways: []way{byPhone}},
	{name: "3-D Secure", ways: []way{by3DS}},
	{name: "bank answers later", ways: []way{byBank}},
	{name: "cash", ways: []way{inCash}},
	{name: "method changed", ways: []way{byCard, byPhone, by3DS}, disrupt: (*payer).changeMethod},
	{name: "desk cancels", ways: []way{byCard, byPhone, by3DS, byBank, inCash}, disrupt: (*payer).cancel},
}}, batchOf{copies: 4, over: 11 * time.Minute, situations: []situation{
	{name: "hold over", ways: []way{byCard, byPhone, by3DS, byBank, inCash}},
	{name: "rooms gone", ways: []way{byCard, byPhone, by3DS, byBank, inCash}, room: 2, disrupt: (*payer).takeRooms},
}}

// A batchOf describes bookings that perform their acts concurrently: copies of each situation.
type batchOf struct {
	copies     int
	over       time.Duration // time that passes at the disruption
	situations []situation
}

// classes returns every order of the four acts in which the event follows its capture.
func classes() (all [][]act) {
	four := []act{captures, delivers, returns, sweeps}
	for n := range 4 * 4 * 4 * 4 {
		class := []act{four[n%4], four[n/4%4], four[n/16%4], four[n/64]}
		different := len(slices.Compact(slices.Sorted(slices.Values(class)))) == 4
		if different && slices.Index(class, captures) < slices.Index(class, delivers) {
			all = append(all, class)
		}
	}
	return all
}

// order returns random steps in which the acts first occur in the order of the class. Each act occurs twice, the disruption once.
// The acts of one step run concurrently.
func order(random *rand.Rand, class []act) (steps [][]act) {
	acts := slices.Clone(class)
	for _, again := range class {
		first := slices.Index(acts, again)
		acts = slices.Insert(acts, first+1+random.IntN(len(acts)-first), again)
	}
	acts = slices.Insert(acts, random.IntN(len(acts)+1), disrupts)
	for n, a := range acts {
		alone := n == 0 || a == disrupts || acts[n-1] == disrupts || a == delivers && slices.Contains(steps[len(steps)-1], captures)
		if alone || random.IntN(4) > 0 {
			steps = append(steps, nil)
		}
		steps[len(steps)-1] = append(steps[len(steps)-1], a)
	}
	return steps
}

// TestPayment_everyOrder runs capture, its event, return and sweep in every order and for every situation. Each act runs twice, and some
// run concurrently. Each booking must have one final state, which is published once, and the amounts must balance.
func TestPayment_everyOrder(t *testing.T) {
	t.Parallel()
	seed, total := seedrand.New(t), &outcomeCounts{situations: map[string]int{}, classes: map[string]int{}, ends: map[string]int{}, endedBy: map[string]int{}}
	inOne := len(classes()) * (steady.copies*len(steady.situations) + late.copies*len(late.situations))
	systems := (seedrand.Iterations(t, 500, 10_000) + inOne - 1) / inOne
	t.Run("systems", func(t *testing.T) {
		for n := range systems {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				m := openMatrix(t, seed.Of("system", n))
				for _, class := range classes() {
					m.runClass(t, steady, class)
					m.runClass(t, late, class)
				}
				m.finish(t)
				for _, p := range m.payers {
					total.add(p, m.end(t, p))
				}
			})
		}
	})
	total.check(t, systems*inOne)
}

// A matrix is a test system with many bookings. It holds the events of captures back until the act delivers.
type matrix struct {
	*system.System
	random *rand.Rand
	held   *heldEvents
	tables *pgx.Conn
	payers []*payer
}

func openMatrix(t *testing.T, random *rand.Rand) *matrix {
	t.Helper()
	held := &heldEvents{}
	db := pgtest.New(t)
	s := system.As(t, db, cloud.Config{Env: db.Env(), Middleware: held.intercept})
	held.token = func() (string, error) { return s.Issuer.Token(t.Context(), identity.Audience("reservation")) }
	return &matrix{System: s, random: random, held: held, tables: db.Owner(t)}
}

// runClass creates the bookings of a batch up to their payment, and runs the acts in an order of the class.
func (m *matrix) runClass(t *testing.T, b batchOf, class []act) {
	t.Helper()
	steps := order(m.random, class)
	var batch []*payer
	for range b.copies {
		for _, s := range b.situations {
			p := m.payer(s)
			p.class, p.steps = fmt.Sprint(class), steps
			batch = append(batch, p)
		}
	}
	m.together(t, batch, (*payer).begin)
	m.Quiet()
	for _, step := range steps {
		switch {
		case slices.Contains(step, disrupts):
			m.Advance(b.over)
		case slices.Contains(step, sweeps):
			m.Advance(2 * time.Minute)
		}
		m.act(t, batch, step)
		if slices.Contains(step, captures) {
			m.Quiet() // all events are delivered, except the captures, which heldEvents keeps
		}
		m.noteEnds(t, batch, step)
	}
}

// act runs one step for all bookings of a batch.
func (m *matrix) act(t *testing.T, batch []*payer, step []act) {
	t.Helper()
	acting, ctx := errgroup.WithContext(t.Context())
	for _, a := range step {
		acting.Go(func() error {
			if a == sweeps {
				return m.Cloud.Tick(ctx, "tenantbooking-sweepdrafts")
			}
			return each(ctx, batch, func(p *payer, ctx context.Context) error { return p.act(ctx, a) })
		})
	}
	check.Must(t, acting.Wait())
}

func (m *matrix) together(t *testing.T, batch []*payer, do func(*payer, context.Context) error) {
	t.Helper()
	check.Must(t, each(t.Context(), batch, do))
}

// each calls do for all bookings of a batch, four at a time.
func each(ctx context.Context, batch []*payer, do func(*payer, context.Context) error) error {
	acting, ctx := errgroup.WithContext(ctx)
	acting.SetLimit(4)
	for _, p := range batch {
		acting.Go(func() error {
			if err := do(p, ctx); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			return nil
		})
	}
	return acting.Wait()
}

// finish delivers the remaining events, lets the holds expire and runs the sweeps, so that no booking is in progress.
func (m *matrix) finish(t *testing.T) {
	t.Helper()
	m.Quiet()
	m.together(t, m.payers, func(p *payer, ctx context.Context) error { return p.act(ctx, delivers) })
	m.Quiet()
	m.Advance(30 * time.Minute)
	m.Tick("reservation-expireholds")
	m.Tick("sandbox-expireintents")
	for range 3 {
		m.Quiet()
		m.Advance(3 * time.Minute)
		m.Tick("tenantbooking-sweepdrafts")
	}
	m.Settle() // also checks the invariants, for example that ended reservations hold no rooms
}

// noteEnds records the step after which a draft first has a snapshot.
func (m *matrix) noteEnds(t *testing.T, batch []*payer, step []act) {
	t.Helper()
	rows, _ := m.tables.Query(t.Context(), `
		SELECT draft_id FROM bff_tenant_booking.booking_draft_snapshots`)
	over := check.Got(pgx.CollectRows(rows, pgx.RowTo[string])).Must(t)
	by := "concurrent acts"
	if len(step) == 1 {
		by = string(step[0])
	}
	for _, p := range batch {
		if p.endedBy == "" && slices.Contains(over, p.DraftID) {
			p.endedBy = by
		}
	}
}

// A payer is one booking of the matrix.
type payer struct {
	*system.Visitor
	matrix *matrix
	situation
	way, other     way          // other is used after changeMethod
	first          system.Visit // the visit with the first payment
	day            int
	class, endedBy string
	steps          [][]act
}

func (m *matrix) payer(s situation) *payer {
	others := []way{byCard, byPhone, inCash}
	p := &payer{
		Visitor: m.Browser().At(demo.KabulGrand), matrix: m, situation: s, day: 2 + len(m.payers),
		way: s.ways[m.random.IntN(len(s.ways))], other: others[m.random.IntN(len(others))],
	}
	m.payers = append(m.payers, p)
	return p
}

func (p *payer) String() string {
	return fmt.Sprintf("%s (%s %s, then %s, draft %s, reservation %s) in %v",
		p.name, p.way.method, p.way.scenario, p.other.method, p.DraftID, p.ReservationID, p.steps)
}

func (p *payer) checkout(intent string) string {
	return p.System().Cloud.URL() + "/sandbox/payment/v1/checkout/" + intent
}

// wish selects one room on a day that no other payer books.
func (p *payer) wish() system.Wish {
	return system.Wish{Hotel: p.Hotel, Room: p.room, From: p.day, Nights: 1, Rooms: 1, Currency: "AFN"}
}

// begin books up to the choice of the payment method.
func (p *payer) begin(ctx context.Context) error {
	for _, step := range []func() system.Request{
		func() system.Request { return system.Request{Method: http.MethodGet, Path: "/bootstrap"} },
		func() system.Request {
			return system.Request{Method: http.MethodPost, Path: "/quote", Body: p.QuoteBody(p.wish())}
		},
		func() system.Request {
			return system.Request{Method: http.MethodPost, Path: "/hold", Body: p.HoldBody()}
		},
		func() system.Request {
			return system.Request{Method: http.MethodPatch, Path: p.Draft(""), Body: system.GuestDetails()}
		},
		func() system.Request { return p.choose(p.way) },
	} {
		a, err := p.send(ctx, step())
		if err != nil || a.Status/100 != 2 {
			return fmt.Errorf("got %d %s, %w", a.Status, a.Body, err)
		}
	}
	p.first = p.Visit
	if p.way.scenario == "pending" {
		_, err := p.send(ctx, system.Request{Method: http.MethodPost, Path: p.RedirectURL, Body: "action=pay"})
		return err
	}
	return nil
}

// choose returns the request that opens a payment.
func (p *payer) choose(w way) system.Request {
	r := system.Request{Method: http.MethodPost, Path: p.Draft("/payment-intent"), Body: map[string]any{"method": w.method}}
	if w.scenario != "" {
		r.Header = map[string]string{"X-Sandbox-Scenario": w.scenario}
	}
	return r
}

// act performs one act. A rejection (4xx) is allowed, a failure (5xx) is not.
func (p *payer) act(ctx context.Context, a act) error {
	switch a {
	case captures:
		return p.capture(ctx)
	case delivers:
		return p.matrix.held.deliver(ctx, p.ReservationID)
	case returns:
		_, err := p.send(ctx, system.Request{Method: http.MethodPost, Path: p.Draft("/return")})
		return err
	case disrupts:
		if p.disrupt != nil {
			return p.disrupt(p, ctx)
		}
	case sweeps: // matrix.act runs the sweep once for all payers
	}
	return nil
}

// capture pays. After a change of the method the guest also submits the first payment page, which may still be open in the browser.
func (p *payer) capture(ctx context.Context) error {
	now := *p
	now.Visitor = &system.Visitor{Browser: p.Browser, Hotel: p.Hotel, Base: p.Base, Visit: p.first}
	forms := []func(*payer) (string, string){p.way.form}
	if p.IntentID != p.first.IntentID {
		forms = append(forms, p.other.form)
	}
	for n, form := range forms {
		if n > 0 {
			now.Visit = p.Visit
		}
		address, body := form(&now)
		if _, err := now.send(ctx, system.Request{Method: http.MethodPost, Path: address, Body: formBody(body)}); err != nil {
			return err
		}
	}
	return nil
}

// formBody returns nil for an empty form.
func formBody(form string) any {
	if form == "" {
		return nil
	}
	return form
}

// changeMethod opens a payment by the other way.
func (p *payer) changeMethod(ctx context.Context) error {
	_, err := p.send(ctx, p.choose(p.other))
	return err
}

// cancel cancels the reservation at the front desk.
func (p *payer) cancel(ctx context.Context) error {
	a, err := p.System().Do(ctx, system.Request{
		Method: http.MethodPost, Path: "/api/v1/reservations/" + p.ReservationID + "/cancel", Key: system.Key(),
		Header: map[string]string{"X-Tenant-Id": p.Hotel.Tenant.String()}, Body: map[string]any{"reasonCode": "guest_cancelled"},
	})
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("cancel: got %d %s", a.Status, a.Body)
	}
	return err
}

// takeRooms lets another guest hold all rooms of the day. It does nothing if the payer has a room.
func (p *payer) takeRooms(ctx context.Context) error {
	wish := p.wish()
	wish.Rooms = p.Hotel.Rooms[p.room].Units
	rival := system.Guest(wish, p.System().Env().Now())
	for _, step := range []struct {
		request func(key string) system.Request
		learn   func(system.Answer) error
	}{{rival.QuoteRequest, rival.LearnQuote}, {rival.HoldRequest, rival.LearnHold}} {
		a, err := p.System().Do(ctx, step.request(system.Key()))
		switch {
		case err != nil || a.Status == http.StatusConflict:
			return err
		case a.Status != http.StatusCreated:
			return fmt.Errorf("the other guest: got %d %s", a.Status, a.Body)
		}
		if err := step.learn(a); err != nil {
			return err
		}
	}
	return nil
}

// send sends a request, retries it with the same key while the answer has Retry-After, and stores the ids of the answer.
func (p *payer) send(ctx context.Context, r system.Request) (a system.Answer, err error) {
	r.Key = system.Key()
	for range 20 {
		a, err = p.Go(ctx, r)
		if err != nil || a.Header.Get("Retry-After") == "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err == nil && a.Status >= http.StatusInternalServerError {
		err = fmt.Errorf("%s %s: got %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	if a.Status/100 == 2 && r.Path != p.Draft("/return") {
		_ = json.Unmarshal(a.Body, &p.Visit) // ignore answers that are not JSON
	}
	return a, err
}

// heldEvents keeps the deliveries of captures until the test delivers them.
type heldEvents struct {
	mu       sync.Mutex
	handler  http.Handler
	messages []message
	token    func() (string, error)
}

// A message is one delivery of an event.
type message struct {
	request *http.Request
	body    []byte
}

// intercept replaces the function that consumes captures by a handler that stores the deliveries.
func (h *heldEvents) intercept(f fn.Function, next http.Handler) http.Handler {
	if f.Spec.Name != "reservation-paymentcaptured" {
		return next
	}
	h.handler = next
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable) // the bus delivers it again
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.messages = append(h.messages, message{r.Clone(context.Background()), body})
		w.WriteHeader(http.StatusNoContent)
	})
}

// deliver delivers all captures of a reservation to the function, including those that were delivered before.
func (h *heldEvents) deliver(ctx context.Context, reservation string) error {
	h.mu.Lock()
	messages := slices.Clone(h.messages)
	h.mu.Unlock()
	for _, m := range messages {
		if !bytes.Contains(m.body, []byte(reservation)) {
			continue
		}
		if err := h.push(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// push delivers one event, and retries until the function acknowledges it.
func (h *heldEvents) push(ctx context.Context, m message) error {
	token, err := h.token()
	if err != nil {
		return err
	}
	var answer *httptest.ResponseRecorder
	for range 20 {
		r := m.request.Clone(ctx)
		r.Body = io.NopCloser(bytes.NewReader(m.body))
		r.Header.Set("Authorization", "Bearer "+token)
		answer = httptest.NewRecorder()
		if h.handler.ServeHTTP(answer, r); answer.Code == http.StatusNoContent {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("the event of a capture: got %d %s", answer.Code, answer.Body)
}

// An outcome is the final state of a booking in the database.
type outcome struct {
	State, Final, Reservation      string
	Snapshots, Converted, Rooms    int
	Confirmed                      bool // whether the reservation was ever confirmed
	Captured, Refunded, Owed, Paid int64
}

// end reads the outcome of a booking and reports its faults.
func (m *matrix) end(t *testing.T, p *payer) outcome {
	t.Helper()
	draft := check.Got(id.Parse[id.Draft](p.DraftID)).Must(t)
	rows, _ := m.tables.Query(t.Context(), `
		SELECT d.state, r.state AS reservation, r.confirmed_at IS NOT NULL AS confirmed, r.captured_micro AS paid,
			coalesce((SELECT string_agg(s.final_state, ' and ') FROM bff_tenant_booking.booking_draft_snapshots AS s WHERE s.draft_id = @draft), '') AS final,
			(SELECT count(*) FROM bff_tenant_booking.booking_draft_snapshots AS s WHERE s.draft_id = @draft) AS snapshots,
			(SELECT count(*) FROM bff_tenant_booking.outbox AS o
			 WHERE o.subject = 'melmastoon.bff.tenant.booking.draft.converted.v1' AND o.payload ->> 'draftId' = @draft) AS converted,
			(SELECT count(*) FROM sandbox.allocations AS a
			 WHERE a.reservation_id = r.reservation_id AND sandbox.takes(a.state, a.expires_at, platform.now())) AS rooms,
			(SELECT coalesce(sum(i.captured_micro), 0)::bigint FROM sandbox.intents AS i WHERE i.reservation_id = r.reservation_id) AS captured,
			(SELECT coalesce(sum(f.amount_micro), 0)::bigint FROM sandbox.refunds AS f
			 JOIN sandbox.intents AS i USING (intent_id) WHERE i.reservation_id = r.reservation_id) AS refunded,
			CASE r.state WHEN 'confirmed' THEN r.grand_total_micro
				WHEN 'cancelled' THEN coalesce((r.cancellation -> 'policyApplied' ->> 'penaltyMicro')::bigint, 0) ELSE 0 END AS owed
		FROM bff_tenant_booking.booking_drafts AS d
		JOIN reservation.reservations AS r ON r.reservation_id = d.reservation_id
		WHERE d.tenant_id = @tenant AND d.draft_id = @id`,
		pgx.StrictNamedArgs{"draft": p.DraftID, "tenant": p.Hotel.Tenant, "id": draft})
	o := check.Got(pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[outcome])).Must(t, "%s", p)
	for _, fault := range o.faults() {
		t.Errorf("%s: %s, in %+v", p, fault, o)
	}
	return o
}

// faults returns the rules that an outcome violates.
func (o outcome) faults() (found []string) {
	final := map[string]string{"confirmed": "converted", "abandoned": "abandoned", "failed": "failed"}[o.State]
	booked := o.Reservation == "confirmed"
	for what, wrong := range map[string]bool{
		"the draft has not ended":              final == "",
		"the snapshot differs from the draft":  o.Final != final,
		"the draft does not have one snapshot": o.Snapshots != 1,
		"draft.converted was not published once if the draft is confirmed, and never otherwise": o.Converted != count(o.State == "confirmed"),
		"the draft is not confirmed, but the reservation is":                                    booked && o.State != "confirmed",
		"the draft is confirmed, but the reservation was not":                                   o.State == "confirmed" && !o.Confirmed,
		"inventory holds other rooms than the reservation needs":                                o.Rooms != count(booked),
		"the captured amount is not the owed amount plus the refunds":                           o.Captured != o.Refunded+min(o.Owed, o.Captured),
		"the reservation is neither confirmed, cancelled nor expired":                           !slices.Contains([]string{"confirmed", "cancelled", "expired_hold"}, o.Reservation),
	} {
		if wrong {
			found = append(found, what)
		}
	}
	return found
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// outcomeCounts counts the cases of a run by situation, order and outcome.
type outcomeCounts struct {
	mu                                 sync.Mutex
	cases                              int
	situations, classes, ends, endedBy map[string]int
}

func (c *outcomeCounts) add(p *payer, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cases++
	c.situations[p.name]++
	c.classes[p.class]++
	money := "nothing captured"
	switch {
	case o.Captured > o.Refunded && o.Refunded > 0:
		money = "partly refunded"
	case o.Captured > o.Refunded:
		money = "captured"
	case o.Captured > 0:
		money = "refunded"
	}
	c.ends[strings.Join([]string{p.name, o.State, o.Reservation, money}, ", ")]++
	c.endedBy[p.endedBy]++
}

// check logs the counts. It fails the test if a situation, an order or an act that ends a draft did not occur.
func (c *outcomeCounts) check(t *testing.T, cases int) {
	t.Helper()
	t.Logf("%d cases; ended by %v", c.cases, c.endedBy)
	for _, counts := range []map[string]int{c.situations, c.classes, c.ends} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			t.Logf("%5d %s", counts[name], name)
		}
	}
	check.Equal(t, c.cases, cases, "completed cases")
	for _, s := range slices.Concat(steady.situations, late.situations) {
		if c.situations[s.name] == 0 {
			t.Errorf("the situation %q did not occur", s.name)
		}
	}
	for _, class := range classes() {
		if c.classes[fmt.Sprint(class)] == 0 {
			t.Errorf("the order %v did not occur", class)
		}
	}
	for _, by := range []act{captures, returns, sweeps} { // for cash, capture is the guest's confirmation
		t.Run(string(by), func(t *testing.T) {
			if c.endedBy[string(by)] == 0 {
				t.Errorf("got no draft that the %s ended, want at least one", by)
			}
		})
	}
}
