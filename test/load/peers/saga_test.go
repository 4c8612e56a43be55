package peers

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/functions/reservation/expireholds"
	"melmastoon.ghasi.io/functions/reservation/paymentcaptured"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// overdue makes all copies of a reservation held, with holds that have expired.
const overdue = `
	UPDATE reservation.reservations SET state = 'held', payment_status = '', payment_intent_id = NULL;
	UPDATE reservation.holds SET status = 'live', placed_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'`

// BenchmarkSweep stores 100 holds a second, alone and while the sweep works on 100,000 overdue holds. Both take turns of a second.
func BenchmarkSweep(b *testing.B) {
	const perSecond, window = 100, 100
	h := open(b, 16)
	reservationtest.Held(b, h.env, id.New[id.Tenant](), id.New[id.Property]())
	h.exec(b, `CREATE SCHEMA bare`, `CREATE TABLE bare.reservations AS SELECT * FROM reservation.reservations`,
		`CREATE TABLE bare.items AS SELECT * FROM reservation.reservation_items`, `CREATE TABLE bare.holds AS SELECT * FROM reservation.holds`,
		`UPDATE bare.holds SET placed_at = placed_at - interval '1 day'`, `SET session_replication_role = replica`)
	h.forget(b, `TRUNCATE reservation.reservations, reservation.reservation_items, reservation.holds, reservation.quotes, reservation.outbox CASCADE`)
	backlog, n := times(100_000), times(1_000)
	h.exec(b, fmt.Sprintf(multiply, 1, backlog), overdue, `SET session_replication_role = origin`, `VACUUM ANALYZE`, `CHECKPOINT`)
	e := topic.PublisherKey.With(h.env, nowhere{})
	var quotes []func(context.Context) error
	for range 20 {
		quotes = append(quotes, reservationtest.Holds(b, e, id.New[id.Tenant](), id.New[id.Property]()))
	}
	sweep, err := expireholds.New(e)
	must(b, err)
	var sweeping time.Duration
	alone := func() []time.Duration {
		return beats(b, perSecond, window, func(ctx context.Context, i int) error { return quotes[i%len(quotes)](ctx) })
	}
	during := func() []time.Duration {
		// A sweep begins no hold in the last six seconds of its time, so it ends with the turn.
		ctx, stop := context.WithTimeout(b.Context(), time.Second*window/perSecond+6*time.Second)
		defer stop()
		ended, began := make(chan error, 1), time.Now()
		go func() { ended <- sweep(ctx, h.env.Now()) }()
		took := alone()
		must(b, <-ended)
		sweeping += time.Since(began)
		return took
	}
	alone()
	var samples [2][]float64
	for range rounds(5) {
		var took [2][]time.Duration
		for range max(1, n/window) {
			took[0] = append(took[0], alone()...)
			took[1] = append(took[1], during()...)
		}
		for k := range took {
			samples[k] = append(samples[k], quantile(took[k], 0.99).Seconds())
		}
	}
	var swept int
	must(b, h.owner.QueryRow(b.Context(), `SELECT count(*) FROM reservation.holds WHERE status = 'expired'`).Scan(&swept))
	if swept == 0 || swept == backlog {
		b.Errorf("%d of %d overdue holds were swept, want some in each turn", swept, backlog)
	}
	put(line{what: fmt.Sprintf("hold, p99 at %d/s, while %s overdue holds are swept (%.0f/s)", perSecond, thousands(float64(backlog)), float64(swept)/sweeping.Seconds()),
		ours: millis(samples[1]), peer: "without the sweep: " + millis(samples[0]), ratio: over(samples[1], samples[0]), most: 2})
}

// beats starts n acts at a rate, whether earlier ones have ended or not, and returns how long each takes.
func beats(b *testing.B, perSecond, n int, act func(context.Context, int) error) []time.Duration {
	b.Helper()
	beat, took, failed := time.NewTicker(time.Second/time.Duration(perSecond)), make([]time.Duration, n), make(chan error, n)
	defer beat.Stop()
	for i := range n {
		<-beat.C
		go func() {
			began := time.Now()
			err := act(b.Context(), i)
			took[i] = time.Since(began)
			failed <- err
		}()
	}
	for range n {
		must(b, <-failed)
	}
	return took
}

// A capture is a payment of a held reservation, with its event.
type capture struct {
	tenant      id.Tenant
	reservation id.Reservation
	hold        id.Hold
	intent      map[string]any // as the payment service reports it
	raw         event.Raw
	sampleDraft any // the id of the event that the bare statements have stored
}

var transactionCaptured = event.Subject{Name: "melmastoon.payment.transaction.captured.v1", Version: 1, Producer: "payment-service"}

// captures stores held reservations and returns payments of them.
func (h *fixture) captures(b *testing.B, n int) (all []*capture) {
	b.Helper()
	for range n {
		r := reservationtest.Held(b, h.env, id.New[id.Tenant](), id.New[id.Property]())
		intent := id.New[id.Intent]()
		draft := event.Draft{ID: id.New[id.Event](), Subject: transactionCaptured, Tenant: r.Tenant, OrderingKey: r.Tenant.String() + ":" + r.ID.String(), AggregateVersion: 1,
			Payload: map[string]any{"tenantId": r.Tenant, "paymentIntentId": intent, "reservationId": r.ID, "method": "card", "provider": "p",
				"amountMicro": r.Total, "currency": r.Currency, "capturedAt": h.env.Now()}}
		raw, err := draft.Seal(h.env.Now(), event.Origin{})
		must(b, err)
		all = append(all, &capture{tenant: r.Tenant, reservation: r.ID, hold: r.Hold.ID, raw: raw, intent: map[string]any{
			"paymentIntentId": intent, "tenantId": r.Tenant, "reservationId": r.ID, "method": "card", "status": "captured", "amountMicro": r.Total,
			"currency": r.Currency, "capturedMicro": r.Total, "refundedMicro": "0", "capturedEventId": raw.Envelope.EventID, "refunds": []any{}}})
	}
	return all
}

// BenchmarkCaptured confirms reservations by the event of their captured payment: pushed over HTTP to its function, which asks the
// payment service and inventory, and in bare SQL. The sides take turns event by event. Once the function publishes its own event before
// it answers, as deployed, and once it leaves that to the relay.
func BenchmarkCaptured(b *testing.B) {
	h := open(b, 4)
	pool, n := h.bare(b, 4), times(300)
	bare := confirms(h, pool)
	acts := []func(context.Context, *capture) error{h.pushes(b, topic.PublisherKey.With(h.env, nowhere{})), h.pushes(b, h.env), bare,
		func(ctx context.Context, c *capture) error {
			if err := bare(ctx, c); err != nil {
				return err
			}
			mark := &pgx.Batch{}
			mark.Queue(`SELECT set_config('synchronous_commit', 'off', true)`)
			mark.Queue(`UPDATE reservation.outbox SET published_at = now() WHERE id = $1`, c.sampleDraft)
			return pool.SendBatch(ctx, mark).Close()
		}}
	samples := make([][]float64, len(acts))
	for range rounds(5) {
		all := h.captures(b, len(acts)*n)
		h.exec(b, `UPDATE reservation.outbox SET published_at = now() WHERE published_at IS NULL`, `VACUUM ANALYZE`, `CHECKPOINT`)
		took := make([][]time.Duration, len(acts))
		for i, c := range all {
			k := (i + i/len(acts)) % len(acts) // no side always follows the same one
			began := time.Now()
			must(b, acts[k](b.Context(), c))
			took[k] = append(took[k], time.Since(began))
		}
		for k := range took {
			samples[k] = append(samples[k], quantile(took[k], 0.5).Seconds())
		}
	}
	var left, sampleDraft int
	must(b, h.owner.QueryRow(b.Context(), `SELECT (SELECT count(*) FROM reservation.reservations WHERE state <> 'confirmed'),
		(SELECT count(*) FROM reservation.outbox WHERE subject = 'melmastoon.reservation.confirmed.v1')`).Scan(&left, &sampleDraft))
	if want := len(samples[0]) * len(acts) * n; left > 0 || sampleDraft != want {
		b.Errorf("%d not confirmed, %d published, want 0 and %d", left, sampleDraft, want)
	}
	const what = "payment captured → reservation confirmed, over HTTP push, p50"
	put(line{what: what, ours: millis(samples[0]), peer: "the bare statements, marked as published: " + millis(samples[3]), ratio: over(samples[0], samples[3]), most: 3})
	put(line{what: what, remark: "publishing left to the relay", ours: millis(samples[1]), peer: "the bare statements: " + millis(samples[2]), ratio: over(samples[1], samples[2]), most: 3})
}

// pushes returns a push to the function, over a real connection. The payment service and inventory answer at once.
func (h *fixture) pushes(b *testing.B, e env.Env) func(context.Context, *capture) error {
	b.Helper()
	var now atomic.Pointer[capture]
	services := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = map[string]any{"committedAt": h.env.Now()}
		if strings.HasPrefix(r.URL.Path, "/payment") {
			answer = now.Load().intent
		}
		_ = json.MarshalWrite(w, answer)
	}))
	b.Cleanup(services.Close)
	e, issuer := fntest.Surround(b, e.With("UPSTREAM_PAYMENT_URL", services.URL+"/payment").With("UPSTREAM_INVENTORY_URL", services.URL+"/inventory"))
	f := paymentcaptured.Function
	handler, err := f.Handler(observe.LogKey.With(e, observe.To(io.Discard)))
	must(b, err)
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	token, err := issuer.Sign(issuer.Email(), e.Now().Add(24*time.Hour), identity.Audience(f.Spec.Service()))
	must(b, err)
	return func(ctx context.Context, c *capture) error {
		now.Store(c)
		data, err := c.raw.Data()
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/internal/events/"+f.Spec.Name, bytes.NewReader(data))
		if err != nil {
			return err
		}
		for name, value := range c.raw.Attributes() {
			r.Header.Set(name, value)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("X-Goog-Pubsub-Delivery-Attempt", "1")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		samples, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode >= 300 {
			err = fmt.Errorf("%d %s", answer.StatusCode, samples)
		}
		return err
	}
}

var reservationConfirmed = event.Subject{Name: "melmastoon.reservation.confirmed.v1", Version: 1, Producer: "reservation-service"}

// confirms does what the function must do in Postgres, in two round trips: it reads the reservation with its rooms, then stores that
// the event was handled, the confirmed reservation, its committed hold and its event.
func confirms(h *fixture, pool *pgxpool.Pool) func(context.Context, *capture) error {
	return func(ctx context.Context, c *capture) error {
		tenant, read := hex.EncodeToString(c.tenant[:]), &pgx.Batch{}
		read.Queue(`SELECT set_config('role', 'reservation_app', true), set_config('app.tenant_id', $1, true)`, tenant)
		var was map[string]any
		read.Queue(`SELECT r.*, h.allocation_ids, h.expires_at, h.status FROM reservation.reservations r JOIN reservation.holds h USING (hold_id)
			WHERE r.reservation_id = $1`, [16]byte(c.reservation)).Query(func(rows pgx.Rows) (err error) {
			was, err = pgx.CollectExactlyOneRow(rows, pgx.RowToMap)
			return err
		})
		read.Queue(`SELECT * FROM reservation.reservation_items WHERE reservation_id = $1`, [16]byte(c.reservation)).Query(func(rows pgx.Rows) error {
			_, err := pgx.CollectRows(rows, pgx.RowToMap)
			return err
		})
		if err := pool.SendBatch(ctx, read).Close(); err != nil {
			return err
		}
		sampleDraft, err := written(h, event.Draft{Subject: reservationConfirmed, Tenant: c.tenant, OrderingKey: c.tenant.String() + ":" + c.reservation.String(),
			AggregateVersion: 2, Payload: confirmed(h, c, was)})
		if err != nil {
			return err
		}
		c.sampleDraft = sampleDraft[0]
		write := &pgx.Batch{}
		write.Queue(`SELECT set_config('role', 'reservation_app', true), set_config('app.tenant_id', $1, true)`, tenant)
		write.Queue(`INSERT INTO reservation.inbox_processed (event_id, processor, subject) VALUES ($1, 'bare', $2)`,
			[16]byte(c.raw.Envelope.EventID), transactionCaptured.Name)
		intent, captured := c.intent["paymentIntentId"].(id.Intent), c.raw.Envelope.EventID
		write.Queue(`UPDATE reservation.reservations SET state = 'confirmed', pending_step = '', step_since = NULL, version = version + 1,
			payment_method = 'card', payment_status = 'captured', payment_intent_id = $2, captured_micro = grand_total_micro, capture_event_id = $3,
			payments = $4, confirmed_at = now() WHERE reservation_id = $1 AND version = 1`,
			[16]byte(c.reservation), [16]byte(intent), [16]byte(captured),
			fmt.Sprintf(`[{"paymentIntentId":%q,"capturedMicro":"%v"}]`, intent, c.intent["capturedMicro"]))
		write.Queue(`UPDATE reservation.holds SET status = 'committed' WHERE hold_id = $1`, [16]byte(c.hold))
		write.Queue(strings.Replace(insertRow, "sandbox", "reservation", 1), sampleDraft...)
		return pool.SendBatch(ctx, write).Close()
	}
}

// confirmed is the payload of the event.
func confirmed(h *fixture, c *capture, was map[string]any) map[string]any {
	totals := map[string]any{"grandTotalMicro": c.intent["amountMicro"], "currency": was["currency"]}
	return map[string]any{
		"reservationId": c.reservation, "tenantId": c.tenant, "propertyId": id.Property(was["property_id"].([16]byte)), "reservationCode": was["code"],
		"stayWindow": map[string]any{"start": was["stay_start"].(time.Time).Format(time.DateOnly), "end": was["stay_end"].(time.Time).Format(time.DateOnly), "nights": 2},
		"totals":     totals, "payment": map[string]any{"method": "card", "status": "captured", "paymentIntentIds": []any{c.intent["paymentIntentId"]}, "capturedMicro": c.intent["capturedMicro"]},
		"channel":      map[string]any{"channel": "direct"},
		"primaryGuest": map[string]any{"guestId": id.Guest(was["guest_id"].([16]byte)), "locale": was["guest_locale"]}, "confirmedAt": h.env.Now(),
		"causationEventId": c.raw.Envelope.EventID,
	}
}
