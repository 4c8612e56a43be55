package fn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// DeadLetter marks a permanent failure of an event: no retry will succeed. The event is published to its function's dead-letter
// topic with the reason, and is acknowledged. DeadLetter(nil) returns nil.
func DeadLetter(err error) error {
	if err == nil {
		return nil
	}
	return &deadLettered{err}
}

type deadLettered struct{ reason error }

func (p *deadLettered) Error() string { return "parked: " + p.reason.Error() }
func (p *deadLettered) Unwrap() error { return p.reason }

// The attributes that describe a dead-lettered message, in addition to its original ones.
const (
	DeadLetteredBy    = "melmastoon-parked-by"
	DeadLetterReason  = "melmastoon-parked-reason"
	deadLetterAttempt = "melmastoon-parked-attempt"

	// DeadLetterSize and DeadLetterHash describe the data of a message that was dead-lettered without it. Such a message cannot be replayed.
	DeadLetterSize = "melmastoon-parked-size"
	DeadLetterHash = "melmastoon-parked-sha256"
)

const maxReasonLength = 512

// deadLetterTime bounds the publishing of a dead letter: a process that shuts down waits for it. If it fails, the bus redelivers
// the event.
const deadLetterTime = 3 * time.Second

var errNoDeadLetter = errors.New("fn: no dead-letter topic or no publisher configured")

// deadLetter acknowledges an event after it was published to the function's dead-letter topic, with the reason. If the publish
// fails, redelivery will try again.
func (h eventEndpoint) deadLetter(ctx context.Context, c *record, attributes map[string]string, data []byte, reason error) (answer, error) {
	if h.to == nil || h.spec.DeadLetter == "" {
		return answer{}, fault.ErrInternal.Because(errors.Join(errNoDeadLetter, reason))
	}
	attributes = maps.Clone(attributes)
	attributes[DeadLetteredBy] = h.spec.subscription()
	attributes[DeadLetterReason] = headerText(reason.Error())
	ctx, cancel := context.WithTimeout(ctx, deadLetterTime)
	defer cancel()
	m := topic.Message{Topic: h.spec.DeadLetter, Attributes: attributes, Data: data}
	err := errors.Join(h.to.Publish(ctx, []topic.Message{m})...)
	if errors.Is(err, topic.ErrRefused) { // redelivery would not change the message either
		err = errors.Join(h.to.Publish(ctx, []topic.Message{withoutData(m)})...)
	}
	if err != nil {
		return answer{}, fault.ErrInternal.Because(fmt.Errorf("fn: dead-letter: %w", errors.Join(err, reason)))
	}
	c.line.Parked = reason.Error()
	return acknowledged, nil
}

// withoutData returns a message that every topic accepts. Part of the data would not be readable, and an erasure could not find the
// person in it.
func withoutData(m topic.Message) topic.Message {
	m.Attributes = maps.Clone(m.Attributes)
	for name, value := range m.Attributes {
		m.Attributes[name] = headerText(value)
	}
	m.Attributes[DeadLetterSize], m.Attributes[DeadLetterHash] = strconv.Itoa(len(m.Data)), fmt.Sprintf("%x", sha256.Sum256(m.Data))
	m.Data = []byte{}
	return m
}

// deadLetterRaw dead-letters an event that could be read.
func (h eventEndpoint) deadLetterRaw(ctx context.Context, c *record, raw event.Raw, reason error) (answer, error) {
	data, err := raw.Data()
	if err != nil {
		return answer{}, err
	}
	attributes := raw.Attributes()
	attributes[deadLetterAttempt] = strconv.Itoa(raw.Delivery.Attempt)
	return h.deadLetter(ctx, c, attributes, data, reason)
}

// pushAttributes returns the attributes of a message whose body could not be read, from the headers of its push request: the
// Ce-* headers and the content type.
func pushAttributes(h http.Header) map[string]string {
	attributes := map[string]string{"content-type": headerText(h.Get("Content-Type"))}
	for name, values := range h {
		if strings.HasPrefix(name, "Ce-") {
			attributes[strings.ToLower(name)] = headerText(values[0])
		}
	}
	return attributes
}

// headerText makes a text a legal header value: a message with an illegal attribute is never delivered.
func headerText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), maxReasonLength)])
	return strings.TrimSpace(s)
}
