package upstream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/forward"
)

// A call is one request, which may be sent more than once.
type call struct {
	method     string
	path       string
	in         any
	body       []byte
	out        any
	header     http.Header
	forwarded  string // name of the forwarded header, or ""
	caller     string // for the circuit breaker
	argument   string // identifies the requested resource for the circuit breaker
	repeatable bool
	read       bool                        // it changes nothing, whatever its method
	hurried    bool                        // the caller's deadline is shorter than the timeout: not the service's failure
	point      func(string) (string, bool) // maps a violation's pointer to our own caller's request; nil if there is no mapping
}

const (
	maxAnswer = 1 << 20 // maximum size of a response
	minPause  = 10 * time.Millisecond
	maxPause  = 40 * time.Millisecond
)

// do makes the call within the shorter of policy and context, and decodes its response.
func (c *Client) do(ctx context.Context, call *call, opts []Option) error {
	if c.broken != nil {
		return fault.ErrUpstreamUnavailable.Because(c.broken)
	}
	if c.policy.Timeout > 0 {
		end, limited := ctx.Deadline()
		call.hurried = limited && time.Until(end) < c.policy.Timeout/2
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.policy.Timeout)
		defer cancel()
	}
	if err := c.prepare(ctx, call, opts); err != nil {
		return err
	}
	return c.explain(call, c.attempts(ctx, call))
}

// attempts sends the request until a response counts. It sends it again after a failure (a retry), or concurrently if the
// response to a read is slow (a hedged request). No request outlives the call, because an idle instance gets no CPU.
//
// github.com/failsafe-go/failsafe-go has no budget per calls, only per concurrent calls, and its hedge policy waits for the
// delay after a quick failure, see decision 99.
func (c *Client) attempts(ctx context.Context, call *call) error {
	ctx, cancel := context.WithCancel(ctx)
	var sent sync.WaitGroup
	defer sent.Wait()
	defer cancel()
	responses := make(chan response, 1+c.policy.Retries)
	waiting, left := 0, 0
	send := func() {
		waiting++
		sent.Go(func() { responses <- c.try(ctx, call) })
	}
	if call.repeatable {
		left = c.policy.Retries
	}
	c.retries.earn()
	send()
	var hedge <-chan time.Time // nil if the call is never hedged
	if call.read && c.policy.HedgeAfter > 0 {
		hedge = time.After(c.policy.HedgeAfter)
	}
	for {
		select {
		case <-hedge:
			if left > 0 && c.retries.spend() {
				left--
				send()
			}
		case r := <-responses:
			waiting--
			err := c.settle(call, r)
			if waiting > 0 && !answered(err) {
				continue
			}
			if left == 0 || !worthRepeating(ctx, err) || !c.retries.spend() {
				return err
			}
			if env.Wait(ctx, minPause+rand.N(maxPause-minPause)) != nil { // random, so that concurrent failures do not retry at once
				return err
			}
			left--
			send()
		}
	}
}

// explain passes a refusal on and maps every other error to ErrUpstreamUnavailable.
func (c *Client) explain(call *call, err error) error {
	if err == nil {
		return nil
	}
	if refusal, ok := errors.AsType[*refusal](err); ok && refusal.fault != nil {
		return call.translated(refusal).Because(fmt.Errorf("upstream: %s refused %s", c.name, call.method))
	}
	return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("upstream: %s: %w", c.name, err))
}

// translated returns a refusal as a fault for our own caller, with the violations that map to its request.
func (c *call) translated(r *refusal) *fault.Fault {
	f := r.fault
	for _, v := range r.violations {
		if at, known := c.pointer(v.Pointer); known {
			f = f.With(fault.Violation{Pointer: at, Rule: v.Rule, Message: v.Message})
		}
	}
	return f
}

func (c *call) pointer(theirs string) (string, bool) {
	if ours := c.forwarded != "" && theirs == "/"+c.forwarded; ours || c.point == nil {
		return theirs, ours
	}
	return c.point(theirs)
}

// prepare sets the parts of the request that are the same for each attempt.
func (c *Client) prepare(ctx context.Context, call *call, opts []Option) error {
	call.header = http.Header{"Accept": {"application/json"}}
	if call.in != nil {
		body, err := json.Marshal(call.in)
		if err != nil {
			return fmt.Errorf("upstream: %s: encode: %w", c.name, err)
		}
		call.body = body
		call.header["Content-Type"] = []string{"application/json"}
	}
	origin := event.OriginOf(ctx)
	if origin.RequestID != "" {
		call.header["X-Request-Id"] = []string{origin.RequestID}
	}
	if h, ok := forward.Of(ctx); ok {
		call.forwarded = h.Name
		call.header.Set(h.Name, h.Value)
	}
	for _, o := range opts {
		o(call)
	}
	call.identify(ctx)
	return nil
}

// A response is the result of one request.
type response struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// try sends the request once, unless the breaker is open. Calls with a forwarded header do not count for the breaker.
func (c *Client) try(ctx context.Context, call *call) (r response) {
	if call.forwarded == "" {
		if err := c.breaker.admit(call.caller); err != nil {
			return response{err: err}
		}
	}
	r, r.err = c.send(ctx, call)
	return r
}

// settle decodes a response, and records for the breaker how the request ended.
func (c *Client) settle(call *call, r response) error {
	err := r.err
	if err == nil {
		err = r.decode(call.out)
	}
	if failed := call.failed(err); call.forwarded == "" && (failed || answered(err)) {
		c.breaker.settle(call.caller, call.argument, failed)
	}
	return err
}

// failed reports whether an error indicates that the service is failing. A rejected request does not, nor does a caller that left or
// ran out of time, nor the breaker itself.
func (c *call) failed(err error) bool {
	_, refused := errors.AsType[*refusal](err)
	late := c.hurried && errors.Is(err, context.DeadlineExceeded)
	return err != nil && !refused && !late && !errors.Is(err, context.Canceled) && !errors.Is(err, errOpen)
}

// identify sets the caller and the argument for the breaker. Without a caller, each argument counts as its own caller.
func (c *call) identify(ctx context.Context) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %s %s\n", c.method, c.path, c.header.Get("X-Tenant-Id"))
	_, _ = h.Write(c.body)
	c.argument = string(h.Sum(nil))
	c.caller = cmp.Or(event.OriginOf(ctx).Caller, c.argument)
}

// withSpan returns a context with a child span: each attempt has a span of its own.
func withSpan(ctx context.Context) context.Context {
	parent := trace.SpanContextFromContext(ctx)
	if !parent.IsValid() {
		return ctx
	}
	var id trace.SpanID
	binary.BigEndian.PutUint64(id[:], rand.N(uint64(math.MaxUint64))+1) // a span id must not be zero
	return trace.ContextWithSpanContext(ctx, parent.WithSpanID(id))
}

func (c *Client) send(ctx context.Context, call *call) (r response, err error) {
	req, err := http.NewRequestWithContext(ctx, call.method, c.base+call.path, bytes.NewReader(call.body))
	if err != nil {
		return r, err
	}
	req.Header = call.header.Clone()
	propagation.TraceContext{}.Inject(withSpan(ctx), propagation.HeaderCarrier(req.Header))
	if c.tokens != nil {
		token, err := c.tokens.Token(ctx, c.audience)
		if err != nil {
			return r, fmt.Errorf("identity token: %w", err)
		}
		req.Header["Authorization"] = []string{"Bearer " + token}
	}
	res, err := c.http.RoundTrip(req) // does not follow redirects
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return r, fmt.Errorf("read: %w", err)
	}
	if len(body) > maxAnswer {
		return r, fmt.Errorf("more than %d bytes", maxAnswer)
	}
	return response{status: res.StatusCode, header: res.Header, body: body}, nil
}

// worthRepeating reports whether a failed call may succeed in a moment.
func worthRepeating(ctx context.Context, err error) bool {
	return !answered(err) && ctx.Err() == nil && !errors.Is(err, errOpen)
}
