package console

import (
	"context"

	"melmastoon.ghasi.io/shared/local/bus"
)

// maxPending is the number of pending deliveries that a page reads.
const maxPending = 500

// A retrier is a bus whose pending deliveries can be listed and pushed at once: the bus on PostgreSQL. Pub/Sub's emulator retries
// after about a second in any case.
type retrier interface {
	Pending(ctx context.Context, most int) ([]bus.Pending, error)
	PushNow(ctx context.Context, subscription string) (int64, error)
}

func (c *Console) pending(ctx context.Context) ([]bus.Pending, error) {
	if b, ok := c.Messages.(retrier); ok {
		return b.Pending(ctx, maxPending)
	}
	return nil, nil
}
