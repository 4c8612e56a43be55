package outbox_test

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// nowhere is a publisher that costs nothing.
type nowhere struct{}

func (nowhere) Publish(_ context.Context, messages []topic.Message) []error {
	return make([]error, len(messages))
}

// BenchmarkRelay publishes rows of about 1 KB over many keys to nowhere, with one relay and with four.
func BenchmarkRelay(b *testing.B) {
	for name, relays := range map[string]int{"one": 1, "four": 4} {
		b.Run(name, func(b *testing.B) {
			r := newFixture(b)
			o := outbox.Open(topic.PublisherKey.With(r.Env(), nowhere{}), r.db)
			r.mustWrite(b, draftOf("template", 1))
			r.exec(b, `
				INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
				SELECT gen_random_uuid(), event_id, tenant_id, subject, 'key ' || n % 5000, payload, envelope, occurred_at
				FROM sandbox.outbox, generate_series(1, $1) n`, b.N)
			r.exec(b, `VACUUM ANALYZE sandbox.outbox`)
			b.ResetTimer()
			var group errgroup.Group
			for range relays {
				group.Go(func() error { return o.Tick(b.Context(), time.Time{}) })
			}
			check.Must(b, group.Wait())
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkAppend writes one event in a transaction of its own.
func BenchmarkAppend(b *testing.B) {
	r := newFixture(b)
	d := draftOf("k", 1)
	b.ResetTimer()
	for range b.N {
		r.mustWrite(b, d)
	}
}
