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
	"time"

	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A call is one request, which may be sent more than once.
type call struct {
	method     string
	path       string
	in         any
	body       []byte
	out        any
	header     http.Header
	repeatable bool
	read       bool                        // it changes nothing, whatever its method
	hurried    bool                        // the caller's deadline is shorter than the timeout: not the service's failure
	point      func(string) (string, bool) // maps a violation's pointer to our own caller's request; nil if there is no mapping
}

const (
	maxAnswer = 1 << 20 // maximum size of a response
	pauseMin  = 10 * time.Millisecond
	pauseMax  = 40 * time.Millisecond
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
	c.retries.earn()
	hedged, err := c.first(ctx, call)
	for range c.policy.Retries - hedged {
		if !call.repeatable || !worthRepeating(ctx, err) || !c.retries.spend() || pause(ctx) != nil {
			break
		}
		err = c.try(ctx, call)
	}
	return c.explain(call, err)
}

// explain passes a refusal on and maps every other error to ErrUpstreamUnavailable.
func (c *Client) explain(call *call, err error) error {
	if err == nil {
		return nil
	}
	if refusal, ok := errors.AsType[*refusal](err); ok {
		return call.translated(refusal).Because(fmt.Errorf("upstream: %s refused %s", c.name, call.method))
	}
	return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("upstream: %s: %w", c.name, err))
}

// translated returns a refusal as a fault for our own caller, with the violations that map to its request.
func (c *call) translated(r *refusal) *fault.Fault {
	told := r.fault
	for _, v := range r.violations {
		if at, known := c.pointer(v.Pointer); known {
			told = told.With(fault.Violation{Pointer: at, Rule: v.Rule, Message: v.Message})
		}
	}
	return told
}

// scenario is the pseudo header under which a call keeps the scenario that it passes on.
const scenario = "/X-Sandbox-Scenario"

func (c *call) pointer(theirs string) (string, bool) {
	if c.point == nil || theirs == scenario {
		return theirs, theirs == scenario
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
	if origin.Scenario != "" {
		call.header["X-Sandbox-Scenario"] = []string{origin.Scenario}
	}
	for _, o := range opts {
		o(call)
	}
	return nil
}

// try sends the request once, unless the breaker is open. Calls of a scenario do not count for the breaker, because their
// failures are simulated.
func (c *Client) try(ctx context.Context, call *call) error {
	origin := event.OriginOf(ctx)
	if origin.Scenario != "" {
		return c.send(ctx, call)
	}
	argument := call.argument()
	caller := cmp.Or(origin.Caller, argument) // without a caller, each argument counts as its own caller
	if err := c.breaker.admit(caller); err != nil {
		return err
	}
	err := c.send(ctx, call)
	if call.hurried && errors.Is(err, context.DeadlineExceeded) {
		err = &overtaken{err}
	}
	c.breaker.settle(caller, argument, err)
	return err
}

// argument identifies the requested resource.
func (c *call) argument() string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %s %s\n", c.method, c.path, c.header.Get("X-Tenant-Id"))
	_, _ = h.Write(c.body)
	return string(h.Sum(nil))
}

// An overtaken error belongs to a call that ran out of its caller's time, not out of the service's timeout.
type overtaken struct{ error }

func (o *overtaken) Unwrap() error { return o.error }

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

func (c *Client) send(ctx context.Context, call *call) error {
	req, err := http.NewRequestWithContext(ctx, call.method, c.base+call.path, bytes.NewReader(call.body))
	if err != nil {
		return err
	}
	req.Header = call.header.Clone()
	propagation.TraceContext{}.Inject(withSpan(ctx), propagation.HeaderCarrier(req.Header))
	if c.tokens != nil {
		token, err := c.tokens.Token(ctx, c.audience)
		if err != nil {
			return fmt.Errorf("identity token: %w", err)
		}
		req.Header["Authorization"] = []string{"Bearer " + token}
	}
	res, err := c.http.RoundTrip(req) // does not follow redirects
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if len(body) > maxAnswer {
		return fmt.Errorf("more than %d bytes", maxAnswer)
	}
	return judge(res, body, call.out)
}

// worthRepeating reports whether a failed call may succeed in a moment.
func worthRepeating(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, errOpen) {
		return false
	}
	_, explained := errors.AsType[*refusal](err)
	return !explained
}

// pause waits for a short random time, so that concurrent failures do not retry at the same moment.
func pause(ctx context.Context) error {
	return env.Wait(ctx, pauseMin+rand.N(pauseMax-pauseMin))
}
