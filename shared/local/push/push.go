// Package push posts messages to the endpoints of subscriptions as Pub/Sub does without its wrapper and with metadata:
// attributes become headers, the data is the body, an identity token says who pushes.
package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// acknowledging are the answers that Pub/Sub takes for yes.
var acknowledging = []int{http.StatusProcessing, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}

// Why a push was not acknowledged. They go into attributes of dead letters, so they never say what was sent.
var (
	errNoToken  = errors.New("no identity token")
	errNoAnswer = errors.New("no answer")
)

// A Pusher posts messages.
type Pusher struct {
	tokens identity.Source // nil where the surroundings have none: pushes go out unsigned
	client *http.Client
}

// Open returns a pusher that keeps so many idle connections to each host, until the environment is closed. Its pushes carry
// tokens of the identity.Source that was given to e, if one was.
func Open(e env.Env, idle int) *Pusher {
	tokens, _ := env.Given[identity.Source](e)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.MaxIdleConnsPerHost = nil, idle
	e.OnClose(func(context.Context) error { transport.CloseIdleConnections(); return nil })
	return &Pusher{tokens, &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // an endpoint that has moved is an endpoint that is wrong
	}}}
}

// A Delivery is one attempt to bring a message to a subscription.
type Delivery struct {
	topic.Message
	To      topic.Subscription
	Attempt int // counted from 1

	Subscription, MessageID, PublishTime string // as Pub/Sub names them
}

// Push returns nil when the endpoint acknowledges within the subscription's deadline.
func (p *Pusher) Push(ctx context.Context, d Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, d.To.AckDeadline)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.To.Endpoint, bytes.NewReader(d.Data))
	if err != nil {
		return errNoAnswer
	}
	d.address(req.Header)
	if p.tokens != nil {
		token, err := p.tokens.Token(ctx, d.To.Audience)
		if err != nil {
			return errNoToken
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := p.client.Do(req)
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

// address writes the headers.
func (d Delivery) address(h http.Header) {
	for name, value := range d.Attributes {
		h.Set(name, value)
	}
	h.Set("X-Goog-Pubsub-Subscription-Name", d.Subscription)
	h.Set("X-Goog-Pubsub-Message-Id", d.MessageID)
	h.Set("X-Goog-Pubsub-Publish-Time", d.PublishTime)
	if d.OrderingKey != "" {
		h.Set("X-Goog-Pubsub-Ordering-Key", d.OrderingKey)
	}
	if d.To.DeadLetter != "" {
		h.Set("X-Goog-Pubsub-Delivery-Attempt", strconv.Itoa(d.Attempt))
	}
}
