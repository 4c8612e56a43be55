package peers

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/contract"
)

// runClients runs n acts with so many concurrent clients.
func runClients(ctx context.Context, clients, n int, act func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	close(left)
	for range clients {
		group.Go(func() error {
			for range left {
				if err := act(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// rate is how many of n acts concurrent clients do in a second.
func rate(clients, n int, act func(context.Context) error) side {
	return func(b *testing.B) float64 {
		return float64(n) / clock(b, func() error { return runClients(b.Context(), clients, n, act) })
	}
}

// insertRow is the statement of the outbox.
const insertRow = `
		INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

// written are the arguments of insertRow. It validates and marshals as Append does: both sides pay for that.
func written(h *fixture, d event.Draft) ([]any, error) {
	raw, err := d.Seal(h.env.Now(), event.Origin{})
	if err != nil {
		return nil, err
	}
	if err := contract.ValidateOutgoing(d.Subject.Name, raw.Payload); err != nil {
		return nil, err
	}
	envelope, err := json.Marshal(raw.Envelope)
	e := raw.Envelope
	return []any{[16]byte(e.EventID), e.EventID.String(), [16]byte(d.Tenant), e.Subject, d.OrderingKey, []byte(raw.Payload), envelope, e.OccurredAt}, err
}
