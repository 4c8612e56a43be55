package fn

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
	"melmastoon.ghasi.io/shared/platform/forward"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// An answer is the complete answer before it is written.
type answer = idempotency.Answer

// An endpoint acts on a request. It never writes; it returns an answer or an error.
type endpoint interface {
	act(context.Context, *http.Request, *record) (answer, error)
}

// A record collects the data of a call while it runs.
type record struct {
	frame  *frame
	began  time.Time
	act    id.Request
	writer http.ResponseWriter // for its deadlines and headers; only write writes the answer
	header http.Header         // of the answer
	from   netip.Addr          // the client's address, as reported by our own proxies; zero if unknown
	ours   bool                // whether the host is below our own domain, not a tenant's domain
	unread bool                // whether there may be a body for which no read deadline is set
	line   observe.Line
	tally  outbox.Tally
	counts observe.Counts
	// limits are the results of the limits that the call has met so far: those of the address, of the session, and of the tenant if
	// it rejects. The load of a tenant is not shown otherwise.
	limits [3]ratelimit.Result
}

// A frame wraps every call of a function.
type frame struct {
	spec     Spec
	now      func() time.Time
	offset   func() time.Duration // difference between now and the real clock
	log      *observe.Log
	instance string
	home     string // the route on a tenant's own host, or ""
	domain   string // our own domain; each tenant has a host below it
	forward  string // name of the request header that is forwarded to other services, or ""
	hops     hops
	limiter  *ratelimit.Limiter // nil if only services, the bus or the scheduler call the function
	peppers  *pseudonym.Peppers // hash user agents for the log; nil if the service has none
	verifier *identity.Verifier // nil for a public function
	end      endpoint
}

func newFrame(e env.Env, s Spec) (f frame, err error) {
	var c struct {
		Revision string             `env:"K_REVISION,default=local"`
		Domain   string             `env:"SITE_DOMAIN,default=localhost"`
		Forward  string             `env:"FORWARD_HEADER"`
		Peppers  *pseudonym.Peppers `env:"PSEUDONYM_PEPPERS,noinit"`
	}
	if err := e.Load(&c); err != nil {
		return f, err
	}
	f = frame{spec: s, now: e.Now, offset: e.Offset, instance: c.Revision, home: s.home(), domain: c.Domain, forward: c.Forward, peppers: c.Peppers}
	if s.Access != Public {
		if f.verifier, err = identity.Open(e); err != nil {
			return f, err
		}
	}
	if f.hops, err = openHops(e); err != nil {
		return f, err
	}
	if f.limiter, err = openLimiter(e, s); err != nil {
		return f, err
	}
	f.log, err = observe.Open(e)
	return f, err
}

// with returns the handler that runs an endpoint in the frame.
func (f frame) with(end endpoint) http.Handler {
	f.end = end
	return &f
}

func (f *frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &record{frame: f, began: f.now(), act: id.New[id.Request](), writer: w, header: w.Header()}
	f.atHome(r)
	ctx, cancel := context.WithDeadline(f.begin(c, r), c.began.Add(f.spec.Timeout-f.offset()))
	defer cancel()
	a, err := f.run(ctx, r, c)
	if err != nil {
		a = problem(r, c, err, f.spec.ErrorPage)
	}
	c.line.Status, c.line.Sent = a.Status, int64(len(a.Body))
	if errors.Is(r.Context().Err(), context.Canceled) {
		c.line.Status = statusGone
	}
	write(w, c, a)
	c.line.Latency, c.line.Outbox, c.line.Counts = f.now().Sub(c.began), c.tally.Report(), &c.counts
	f.log.Write(&c.line)
}

// statusGone is logged if the caller left before the answer, as proxies do.
const statusGone = 499

// begin notes the ids of the call and returns a context that carries them.
func (f *frame) begin(c *record, r *http.Request) context.Context {
	requestID := r.Header.Get("X-Request-Id")
	if !plainID(requestID) {
		requestID = c.act.String()
	}
	ctx, span := observe.Begin(r.Context(), r.Header)
	c.from, c.unread, c.ours = f.hops.client(r), r.ContentLength != 0, below(hostname(r.Host), f.domain)
	c.line = observe.Line{
		Time: c.began, Function: f.spec.Name, RequestID: requestID, Trace: span,
		Method: r.Method, Path: r.URL.Path, Protocol: r.Proto, Received: r.ContentLength,
	}
	c.line.Class = attribution.DeviceOf(r.Header)
	if agent := r.UserAgent(); f.peppers != nil && agent != "" {
		c.line.Agent = f.peppers.Hash(pseudonym.UserAgent(agent))
	}
	ctx = outbox.Tallied(observe.WithCounts(ctx, &c.counts), &c.tally)
	o := event.Origin{
		RequestID: requestID, TraceParent: observe.Parent(span), CorrelationID: requestID, Instance: f.instance,
	}
	if f.spec.Access == Public {
		o.Caller = network(c.from)
	}
	return event.WithOrigin(f.forwarding(ctx, r), o)
}

// network returns the key by which the circuit breakers of upstreams distinguish clients: an IPv4 address, or the /48 of an IPv6
// address. A provider may give one customer a whole /48, which must not count as several clients.
func network(from netip.Addr) string {
	bits := 32
	if from.Is6() {
		bits = 48
	}
	prefix, _ := from.Prefix(bits)
	return prefix.String()
}

// forwarding returns a context with the header that is forwarded to other services, if the request has a valid one.
func (f *frame) forwarding(ctx context.Context, r *http.Request) context.Context {
	value := strings.ReplaceAll(r.Header.Get(f.forward), "; ", ";")
	if f.forward == "" || !visible(value, 64) {
		return ctx
	}
	return forward.With(ctx, forward.Header{Name: f.forward, Value: value})
}

// run calls the endpoint. It turns a panic into an internal error, with the stack in the log.
func (f *frame) run(ctx context.Context, r *http.Request, c *record) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.line.Stack = debug.Stack()
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if len(r.URL.Path)+len(r.URL.RawQuery) > maxURL {
		if err := c.countAddress(); err != nil {
			return answer{}, err
		}
		return answer{}, fault.ErrURITooLong
	}
	return f.end.act(ctx, r, c)
}

// maxURL bounds path and query of a request, because each layer reads them. The longest link of a guest, with its handoff, has 2 KiB.
const maxURL = 8 << 10

const maxIDLength = 128

// plainID reports whether a request id has only characters that logs, headers and pages show as they are.
func plainID(s string) bool {
	return s != "" && len(s) <= maxIDLength && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

// visible reports whether a header value is 1 to limit visible ASCII characters.
func visible(s string, limit int) bool {
	return s != "" && len(s) <= limit && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
