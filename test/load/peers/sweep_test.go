package peers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/expireholds"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	sweep := check.Got(expireholds.New(e)).Must(b)
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
		check.Must(b, <-ended)
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
	check.Must(b, h.owner.QueryRow(b.Context(), `SELECT count(*) FROM reservation.holds WHERE status = 'expired'`).Scan(&swept))
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
		check.Must(b, <-failed)
	}
	return took
}
