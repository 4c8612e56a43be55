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

	"go.opentelemetry.io/otel/trace"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/outbox"
)

// An answer is what will be written.
type answer = idempotency.Answer

// An endpoint acts on a request. It never writes: it returns an answer or an error.
type endpoint interface {
	act(context.Context, *http.Request, *record) (answer, error)
}

// A record is what becomes known of a call while it runs.
type record struct {
	began  time.Time
	act    id.Request
	writer http.ResponseWriter // for its deadlines and headers; only write writes to it
	header http.Header         // of the answer
	from   netip.Addr          // of the client, as our own proxies saw it; zero where unknown
	ours   bool                // whether the host is on our own domain, not on a hotel's
	plays  bool                // whether scenarios can be asked for
	unread bool                // whether there may be a body for which no deadline is set
	line   observe.Line
	told   outbox.Tally

	pace      pace
	standings outcomes
	lent      *[]byte // holds the body, and is given back once that is written; nil where it is the answer's own
}

// A frame is what surrounds every call of a function.
type frame struct {
	spec     Spec
	now      func() time.Time
	offset   func() time.Duration // of now from the real clock
	log      *observe.Log
	instance string
	home     string // the route on a tenant's own host, "" where there is none
	domain   string // ours, below which each tenant has a host by its slug
	sandbox  bool   // whether the neighbours are the sandbox's, and play scenarios
	hops     hops
	pace     pace
	agents   agents
	end      endpoint
}

func newFrame(e env.Env, s Spec) (frame, error) {
	var c struct {
		Revision string `env:"K_REVISION,default=local"`
		Domain   string `env:"SITE_DOMAIN,default=localhost"`
		Sandbox  bool   `env:"SANDBOX,default=false"`
	}
	if err := e.Load(&c); err != nil {
		return frame{}, err
	}
	n, err := openHops(e)
	if err != nil {
		return frame{}, err
	}
	a, err := openAgents(e)
	if err != nil {
		return frame{}, err
	}
	p, err := openPace(e, s)
	if err != nil {
		return frame{}, err
	}
	log, err := observe.Open(e)
	return frame{
		spec: s, now: e.Now, offset: e.Offset, log: log, instance: c.Revision, home: s.home(), domain: c.Domain, sandbox: c.Sandbox,
		hops: n, pace: p, agents: a,
	}, err
}

// with is the frame around an endpoint.
func (f frame) with(end endpoint) http.Handler {
	f.end = end
	return &f
}

func (f *frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &record{began: f.now(), act: id.New[id.Request](), writer: w, header: w.Header()}
	f.atHome(r)
	ctx := withDeadline(f.begin(c, r), c.began.Add(f.spec.Timeout-f.offset()))
	defer ctx.end()
	a, err := f.run(ctx, r, c)
	if err != nil {
		a = problem(r, c, err)
	}
	c.line.Status, c.line.Sent = a.Status, int64(len(a.Body))
	if errors.Is(r.Context().Err(), context.Canceled) {
		c.line.Status = statusGone
	}
	write(w, c, a)
	c.giveBack()
	c.line.Latency, c.line.Outbox = f.now().Sub(c.began), c.told.Waits()
	f.log.Write(&c.line)
}

// statusGone is logged where the caller left before the answer, as proxies do.
const statusGone = 499

// begin notes who this call is and hands that on with the context.
func (f *frame) begin(c *record, r *http.Request) context.Context {
	requestID := r.Header.Get("X-Request-Id")
	if !visible(requestID, 128) {
		requestID = c.act.String()
	}
	var span trace.SpanContext
	ctx, span := observe.Begin(r.Context(), r.Header)
	c.from, c.unread, c.pace = f.hops.client(r), r.ContentLength != 0, f.pace
	c.ours, c.plays = below(hostname(r.Host), f.domain), f.sandbox
	c.line = observe.Line{
		Time: c.began, Function: f.spec.Name, RequestID: requestID, Trace: span,
		Method: r.Method, Path: r.URL.Path, Protocol: r.Proto, Received: r.ContentLength,
	}
	c.line.Class, c.line.Agent = attribution.DeviceOf(r.Header), f.agents.hash(r.UserAgent())
	if len(f.spec.Publishes) > 0 { // who tells nothing publishes nothing
		ctx = outbox.Tallied(ctx, &c.told)
	}
	o := event.Origin{
		RequestID: requestID, TraceParent: observe.Parent(span), CorrelationID: requestID, Instance: f.instance,
		Scenario: f.scenario(r),
	}
	if f.spec.Access == Public {
		o.Caller = network(c.from)
	}
	return event.WithOrigin(ctx, o)
}

// network returns by what the circuit breakers of upstreams tell clients apart: an IPv4 address, or the /48 of an IPv6 address. A
// provider may give one customer a whole /48, which must not count as several callers.
func network(from netip.Addr) string {
	bits := 32
	if from.Is6() {
		bits = 48
	}
	prefix, _ := from.Prefix(bits)
	return prefix.String()
}

const scenarioHeader = "X-Sandbox-Scenario"

// scenario is what the caller wants the neighbours to play. Where they are real, nobody is asked to play anything.
func (f *frame) scenario(r *http.Request) string {
	if asked := strings.ReplaceAll(r.Header.Get(scenarioHeader), "; ", ";"); f.sandbox && visible(asked, 64) {
		return asked
	}
	return ""
}

// run lets the endpoint act. A panic is an internal error like any other, with its stack in the log.
func (f *frame) run(ctx context.Context, r *http.Request, c *record) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.line.Stack = debug.Stack()
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f.end.act(ctx, r, c)
}

// notFound is the handler of [Mux] for requests that match no function's route. It answers 404 or 405 as a problem, without a
// deadline and without a log line, which are a function's.
func notFound(r *router) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		c := &record{act: id.New[id.Request](), writer: w, header: w.Header()}
		new(frame).begin(c, req)
		a, err := noRoute{r}.act(req.Context(), req, c)
		if err != nil {
			a = problem(req, c, err)
		}
		write(w, c, a)
	})
}

// visible reports whether a header value is 1 to most visible ASCII characters.
func visible(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
