package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// project stands where Pub/Sub names its project.
const project = "local"

// acknowledging are the answers that Pub/Sub takes for yes.
var acknowledging = []int{http.StatusProcessing, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}

// Why a push was not acknowledged. They go into attributes of dead letters, so they never say what was sent.
var (
	errNoToken  = errors.New("no identity token")
	errNoAnswer = errors.New("no answer")
)

// push posts a message to its endpoint as Pub/Sub does without its wrapper and with metadata: attributes become headers,
// the data is the body. It returns nil when the endpoint acknowledges.
func (b *Bus) push(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithTimeout(ctx, d.subscription.AckDeadline)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.subscription.Endpoint, bytes.NewReader(d.Data))
	if err != nil {
		return errNoAnswer
	}
	d.address(req.Header)
	if b.tokens != nil {
		token, err := b.tokens.Token(ctx, d.subscription.Audience)
		if err != nil {
			return errNoToken
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := b.client.Do(req)
	if err != nil {
		return errNoAnswer
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
	if !slices.Contains(acknowledging, res.StatusCode) {
		return fmt.Errorf("answered %d", res.StatusCode)
	}
	return nil
}

func (d delivery) address(h http.Header) {
	for name, value := range d.Attributes {
		h.Set(name, value)
	}
	h.Set("X-Goog-Pubsub-Subscription-Name", "projects/"+project+"/subscriptions/"+d.subscription.Name)
	h.Set("X-Goog-Pubsub-Message-Id", strconv.FormatInt(d.Seq, 10))
	h.Set("X-Goog-Pubsub-Publish-Time", d.PublishedAt.UTC().Format(time.RFC3339Nano))
	if d.OrderingKey != "" {
		h.Set("X-Goog-Pubsub-Ordering-Key", d.OrderingKey)
	}
	if d.subscription.DeadLetter != "" {
		h.Set("X-Goog-Pubsub-Delivery-Attempt", strconv.Itoa(d.attempt))
	}
}
