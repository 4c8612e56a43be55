package console

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"melmastoon.ghasi.io/shared/local/bus"
)

// maxPending is the number of pending deliveries that a page reads.
const maxPending = 500

// A retrier is a bus whose pending deliveries can be listed and pushed at once: the bus on PostgreSQL. Pub/Sub's emulator retries
// after about a second in any case.
type retrier interface {
	Pending(ctx context.Context, limit int) ([]bus.Pending, error)
	PushNow(ctx context.Context, subscription string) (int64, error)
}

func (c *Console) pending(ctx context.Context) ([]bus.Pending, error) {
	if b, ok := c.Messages.(retrier); ok {
		return b.Pending(ctx, maxPending)
	}
	return nil, nil
}

// pushNow pushes the deliveries of one subscription, or all, without waiting for their next attempt.
func (c *Console) pushNow(r *http.Request) (string, change, error) {
	b, ok := c.Messages.(retrier)
	if !ok {
		return "", nil, fmt.Errorf("%w: Google's emulator retries by itself", errForm)
	}
	subscription := r.PostFormValue("subscription")
	return "Push now", func(ctx context.Context, out io.Writer) error {
		n, err := b.PushNow(ctx, subscription)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%d deliveries are pushed now.\n", n)
		return err
	}, nil
}
