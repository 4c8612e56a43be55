// Package payments has guests pay in every situation and order.
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

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// An act is one of those that can end a booking on a hotel's site.
type act string

const (
	captures act = "capture" // the guest or the bank pays; who pays in cash confirms
	hears    act = "event"   // the event of the capture is delivered to the reservation service
	returns  act = "return"  // the guest returns to the site
	sweeps   act = "sweep"   // two minutes later, the sweep looks for payments
	turns    act = "turn"    // what is particular to the situation
)

// A way to pay, and the form that captures the money.
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

// A situation is who pays how, and what else happens at the turn.
type situation struct {
	name string
	ways []way
	room int                                 // of the hotel
	turn func(*payer, context.Context) error // nil if nothing happens
}

// steady are the situations in which the hold lasts, late those in which it is over at the turn. copies is how often each occurs in
// a batch.
var steady, late = batchOf{copies: 2, situations: []situation{
	{name: "card", ways: []way{byCard}},
	{name: "mobile money", ways: []way{byPhone}},
	{name: "3-D Secure", ways: []way{by3DS}},
	{name: "bank answers later", ways: []way{byBank}},
	{name: "cash", ways: []way{inCash}},
	{name: "method changed", ways: []way{byCard, byPhone, by3DS}, turn: (*payer).changeMethod},
	{name: "desk cancels", ways: []way{byCard, byPhone, by3DS, byBank, inCash}, turn: (*payer).cancel},
}}, batchOf{copies: 4, over: 11 * time.Minute, situations: []situation{
	{name: "hold over", ways: []way{byCard, byPhone, by3DS, byBank, inCash}},
	{name: "rooms gone", ways: []way{byCard, byPhone, by3DS, byBank, inCash}, room: 2, turn: (*payer).takeRooms},
}}

// A batchOf lists the situations of the bookings that go through their acts side by side.
type batchOf struct {
	copies     int
	over       time.Duration // by which the clock moves at the turn
	situations []situation
}

// classes are the orders in which the acts happen first: all in which an event follows its capture.
func classes() (all [][]act) {
	four := []act{captures, hears, returns, sweeps}
	for n := range 4 * 4 * 4 * 4 {
		class := []act{four[n%4], four[n/4%4], four[n/16%4], four[n/64]}
		different := len(slices.Compact(slices.Sorted(slices.Values(class)))) == 4
		if different && slices.Index(class, captures) < slices.Index(class, hears) {
			all = append(all, class)
		}
	}
	return all
}

// order returns the steps of an order of this class, with each act twice and the turn once. Acts of one step happen at the same time.
func order(random *rand.Rand, class []act) (steps [][]act) {
	acts := slices.Clone(class)
	for _, again := range class {
		first := slices.Index(acts, again)
		acts = slices.Insert(acts, first+1+random.IntN(len(acts)-first), again)
	}
	acts = slices.Insert(acts, random.IntN(len(acts)+1), turns)
	for n, a := range acts {
		alone := n == 0 || a == turns || acts[n-1] == turns || a == hears && slices.Contains(steps[len(steps)-1], captures)
		if alone || random.IntN(4) > 0 {
			steps = append(steps, nil)
		}
		steps[len(steps)-1] = append(steps[len(steps)-1], a)
	}
	return steps
}

// TestPayment_everyOrder has guests pay in every situation, and the capture, its event, the return and the sweep come in every order, each
// of them twice and some at the same time. Each booking has one end, which is told once, and the books balance.
func TestPayment_everyOrder(t *testing.T) {
	t.Parallel()
	seed, total := seedrand.New(t), &tally{situations: map[string]int{}, classes: map[string]int{}, ends: map[string]int{}, endedBy: map[string]int{}}
	inOne := len(classes()) * (steady.copies*len(steady.situations) + late.copies*len(late.situations))
	systems := (seedrand.Iterations(t, 500, 10_000) + inOne - 1) / inOne
	t.Run("systems", func(t *testing.T) {
		for n := range systems {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				m := openMatrix(t, seed.Of("system", n))
				for _, class := range classes() {
					m.play(t, steady, class)
					m.play(t, late, class)
				}
				m.finish(t)
				for _, p := range m.payers {
					total.add(p, m.end(t, p))
				}
			})
		}
	})
	total.judge(t, systems*inOne)
}

// A matrix is a system for many bookings, which delivers the events of captures when the test says so.
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
	s := system.As(t, db, cloud.Config{Env: db.Env(), Witness: held.witness})
	held.token = func() (string, error) { return s.Issuer.Token(t.Context(), identity.Audience("reservation")) }
	return &matrix{System: s, random: random, held: held, tables: db.Owner(t)}
}

// play brings the bookings of a batch to their payment and takes them through one order of acts.
func (m *matrix) play(t *testing.T, b batchOf, class []act) {
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
		case slices.Contains(step, turns):
			m.Advance(b.over)
		case slices.Contains(step, sweeps):
			m.Advance(2 * time.Minute)
		}
		m.act(t, batch, step)
		if slices.Contains(step, captures) {
			m.Quiet() // the events have come, and those of the captures are held back
		}
		m.noteEnds(t, batch, step)
	}
}

// act runs one step for all of a batch.
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
	if err := acting.Wait(); err != nil {
		t.Fatal(err)
	}
}

func (m *matrix) together(t *testing.T, batch []*payer, do func(*payer, context.Context) error) {
	t.Helper()
	if err := each(t.Context(), batch, do); err != nil {
		t.Fatal(err)
	}
}

// each does something for all of a batch, several at a time.
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

// finish delivers the rest of the events, ends the holds and sweeps, so that nothing is in flight.
func (m *matrix) finish(t *testing.T) {
	t.Helper()
	m.Quiet()
	m.together(t, m.payers, func(p *payer, ctx context.Context) error { return p.act(ctx, hears) })
	m.Quiet()
	m.Advance(30 * time.Minute)
	m.Tick("reservation-expireholds")
	m.Tick("sandbox-expireintents")
	for range 3 {
		m.Quiet()
		m.Advance(3 * time.Minute)
		m.Tick("tenantbooking-sweepdrafts")
	}
	m.Settle() // also fails unless the invariants hold, among them that only reservations that live hold rooms
}

// noteEnds notes which step has ended a draft.
func (m *matrix) noteEnds(t *testing.T, batch []*payer, step []act) {
	t.Helper()
	rows, _ := m.tables.Query(t.Context(), `
		SELECT draft_id FROM bff_tenant_booking.booking_draft_snapshots`)
	over, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	by := "several at once"
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
	way, other     way // other is the way after a change
	first          system.Visit
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

// wish is for one room on a day of its own.
func (p *payer) wish() system.Wish {
	return system.Wish{Hotel: p.Hotel, Room: p.room, From: p.day, Nights: 1, Rooms: 1, Currency: "AFN"}
}

// begin books up to the payment.
func (p *payer) begin(ctx context.Context) error {
	for _, step := range []func() system.Request{
		func() system.Request { return system.Request{Method: http.MethodGet, Path: "/bootstrap"} },
		func() system.Request {
			return system.Request{Method: http.MethodPost, Path: "/quote", Body: p.Wanting(p.wish())}
		},
		func() system.Request {
			return system.Request{Method: http.MethodPost, Path: "/hold", Body: p.Holding()}
		},
		func() system.Request {
			return system.Request{Method: http.MethodPatch, Path: p.Draft(""), Body: system.Zarghona()}
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

// choose returns the request for a payment.
func (p *payer) choose(w way) system.Request {
	r := system.Request{Method: http.MethodPost, Path: p.Draft("/payment-intent"), Body: map[string]any{"method": w.method}}
	if w.scenario != "" {
		r.Header = map[string]string{"X-Sandbox-Scenario": w.scenario}
	}
	return r
}

// act does one act. Its answer may be a refusal, but no failure.
func (p *payer) act(ctx context.Context, a act) error {
	switch a {
	case captures:
		return p.capture(ctx)
	case hears:
		return p.matrix.held.deliver(ctx, p.ReservationID)
	case returns:
		_, err := p.send(ctx, system.Request{Method: http.MethodPost, Path: p.Draft("/return")})
		return err
	case turns:
		if p.turn != nil {
			return p.turn(p, ctx)
		}
	case sweeps: // for all payers at once, see matrix.act
	}
	return nil
}

// capture pays. After a change of the method, the guest pays on the first page too, which may still be open.
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
		if _, err := now.send(ctx, system.Request{Method: http.MethodPost, Path: address, Body: anyBody(body)}); err != nil {
			return err
		}
	}
	return nil
}

// anyBody is nil for an empty form.
func anyBody(form string) any {
	if form == "" {
		return nil
	}
	return form
}

// changeMethod chooses the other way to pay.
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

// takeRooms has another guest book all rooms of the day, unless this one has a room already.
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

// send sends a request, again under its key if the answer asks for that, and learns from the answer.
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

// heldEvents holds back the events of captures.
type heldEvents struct {
	mu       sync.Mutex
	handler  http.Handler
	messages []message
	token    func() (string, error)
}

// A message is a delivery of an event.
type message struct {
	request *http.Request
	body    []byte
}

// witness takes the place of the function that consumes captures.
func (h *heldEvents) witness(f fn.Function, next http.Handler) http.Handler {
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

// deliver delivers the events about a reservation to the function, also those that were delivered before.
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

// push delivers one event, again if the function asks for that.
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

// An outcome is what the tables say about a booking.
type outcome struct {
	State, Final, Reservation      string
	Snapshots, Converted, Rooms    int
	Confirmed                      bool // the reservation, at any time
	Captured, Refunded, Owed, Paid int64
}

// end reads the outcome of a booking and fails the test unless it is one.
func (m *matrix) end(t *testing.T, p *payer) outcome {
	t.Helper()
	draft, err := id.Parse[id.Draft](p.DraftID)
	if err != nil {
		t.Fatal(err)
	}
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
	o, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[outcome])
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	for _, fault := range o.faults() {
		t.Errorf("%s: %s, in %+v", p, fault, o)
	}
	return o
}

// faults returns what is wrong with an outcome.
func (o outcome) faults() (found []string) {
	final := map[string]string{"confirmed": "converted", "abandoned": "abandoned", "failed": "failed"}[o.State]
	booked := o.Reservation == "confirmed"
	for what, wrong := range map[string]bool{
		"the draft has not ended":                             final == "",
		"the snapshot differs from the draft":                 o.Final != final,
		"not one snapshot":                                    o.Snapshots != 1,
		"not one converted event of a confirmed draft":        o.Converted != count(o.State == "confirmed"),
		"the draft is not confirmed, but the reservation is":  booked && o.State != "confirmed",
		"the draft is confirmed, but the reservation was not": o.State == "confirmed" && !o.Confirmed,
		"not the rooms of the reservation":                    o.Rooms != count(booked),
		"captured is not kept and refunded":                   o.Captured != o.Refunded+min(o.Owed, o.Captured),
		"the reservation is live or unknown":                  !slices.Contains([]string{"confirmed", "cancelled", "expired_hold"}, o.Reservation),
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

// A tally counts what the cases of a run were, and how they ended.
type tally struct {
	mu                                 sync.Mutex
	cases                              int
	situations, classes, ends, endedBy map[string]int
}

func (c *tally) add(p *payer, o outcome) {
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

// judge logs the counts and fails the test if a situation, an order or an end did not occur.
func (c *tally) judge(t *testing.T, cases int) {
	t.Helper()
	t.Logf("%d cases; ended by %v", c.cases, c.endedBy)
	for _, counts := range []map[string]int{c.situations, c.classes, c.ends} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			t.Logf("%5d %s", counts[name], name)
		}
	}
	if c.cases != cases {
		t.Errorf("%d cases ran to their end, want %d", c.cases, cases)
	}
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
	for _, by := range []act{captures, returns, sweeps} { // the capture of cash is its confirmation
		if c.endedBy[string(by)] == 0 {
			t.Errorf("no draft was ended by the %s", by)
		}
	}
}
