// Package push posts messages to the endpoints of subscriptions like Pub/Sub's unwrapped push with metadata: attributes become
// headers, the data is the body, and an identity token authenticates the sender.
package push

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// acknowledging lists the status codes that Pub/Sub takes for an acknowledgement.
var acknowledging = []int{http.StatusProcessing, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}

// Reasons for a failed push. They are stored in attributes of dead-lettered messages, so they do not contain message data.
var (
	errNoToken  = errors.New("no identity token")
	errNoAnswer = errors.New("no answer")
)

// A Pusher posts messages.
type Pusher struct {
	tokens identity.Source // nil if the environment has none: pushes are unsigned
	client *http.Client
}

// Open returns a pusher that keeps up to idle idle connections per host, until the environment is closed. Its pushes carry
// tokens if e has an identity.Source.
func Open(e env.Env, idle int) *Pusher {
	tokens, _ := identity.SourceKey.Get(e)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.MaxIdleConnsPerHost = nil, idle
	e.OnClose(func(context.Context) error { transport.CloseIdleConnections(); return nil })
	return &Pusher{tokens, &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a redirect is a failure
	}}}
}

// A Delivery is one attempt to deliver a message to a subscription.
type Delivery struct {
	topic.Message
	To      topic.Subscription
	Attempt int // counted from 1

	Subscription, MessageID, PublishTime string // in Pub/Sub's format
}

// Push posts the message. It returns nil if the endpoint acknowledges within the subscription's deadline.
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
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // without a whole problem, the reason is the status
	if !slices.Contains(acknowledging, res.StatusCode) {
		return errors.New(reason(res.StatusCode, body))
	}
	return nil
}

// maxReason is the maximum length of a reason: attributes of messages hold 1 KiB.
const maxReason = 512

// reason returns status, code and detail of a problem as an attribute of a message can hold them: topic.Check accepts printable ASCII
// only. Details are texts of the code and contain no data.
func reason(status int, body []byte) string {
	var p struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
	}
	text := "answered " + strconv.Itoa(status)
	if json.Unmarshal(body, &p) == nil && p.Code != "" {
		text += " " + p.Code + ": " + p.Detail
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), maxReason)]
}

// address sets the headers.
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
