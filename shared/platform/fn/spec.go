package fn

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
)

// A Spec describes a function: how it is reached, who may call it, and its dependencies. Exactly one of Route, Subject and
// Schedule is set.
type Spec struct {
	Name  string // the folder below functions/, joined by "-"; the part before the first "-" is the service
	Route string // a ServeMux pattern: "POST /api/v1/reservations/holds"
	// Siblings are the methods that other functions serve at the path of Route. Only the function of the alphabetically first method names
	// them, because the load balancer sends it every method that no function serves: its 405 answer lists the methods of the path.
	Siblings []string
	// HostWildcard is a wildcard of Route that names a tenant. The function is also served on the tenant's own host: there the host
	// sets the wildcard, and the path is /api followed by the part of Route after the wildcard.
	HostWildcard string
	Subject      string            // the event that the function consumes
	Filter       map[string]string // attributes that an event must have; others are acknowledged without a call
	Schedule     string            // a cron line, UTC

	Access    Access   // callers that are admitted; implied for events and schedules
	Uses      Uses     // dependencies; IAM permissions derive from them
	Publishes Subjects // the events that it publishes
	Answer    Answer   // the default status
	// Idempotent requires an Idempotency-Key and replays answers to the same caller. For anonymous callers the act itself must be
	// idempotent.
	Idempotent bool

	// CrossOrigin admits writes from pages of any origin to a public function. The act must not rely on cookies.
	CrossOrigin bool
	// IgnoresBody accepts a body of any type, within BodyLimit, and does not decode it.
	IgnoresBody bool
	// ErrorPage returns the page of an error with a status, for clients that accept HTML, and sets its headers.
	ErrorPage    func(*http.Request, int, http.Header) []byte
	BodyLimit    int64         // bytes; 64 KiB unless given, 10 MiB for events
	Timeout      time.Duration // of a whole call; 1 s unless given, 10 s for events, 50 s for schedules
	MaxInstances int           // the default of the kind of function unless given
	Subscription string        // name of the subscription of an event function; the function's name unless given
	DeadLetter   string        // topic for events that failed permanently
	Attempts     int           // deliveries before the bus dead-letters an event
}

// Access is the kind of callers that a function admits over HTTP.
type Access int

// The kinds of access. Push and Scheduler are implied by Subject and Schedule.
const (
	Public    Access = iota // any caller
	Internal                // another service, by its identity token
	Desk                    // another service, or staff with a token of their own
	Push                    // the message bus
	Scheduler               // the scheduler
)

// String returns the name of the access in the catalogue.
func (a Access) String() string {
	return [...]string{"public", "internal", "desk", "push", "scheduler"}[a]
}

// A Use is one dependency of a function.
type Use string

// Uses are all dependencies of a function.
type Uses []Use

// The dependencies other than upstreams.
const (
	Postgres  Use = "postgres"
	Documents Use = "documents"
)

// Upstream returns the dependency on another service.
func Upstream(name string) Use { return Use("upstream:" + name) }

// Subjects are the events that a function may publish.
type Subjects []event.Subject

// subscription returns the name of the subscription.
func (s Spec) subscription() string { return cmp.Or(s.Subscription, s.Name) }

// Service returns the service that the function belongs to.
func (s Spec) Service() string {
	service, _, _ := strings.Cut(s.Name, "-")
	return service
}

const (
	bodyLimit    = 64 << 10
	eventLimit   = 10 << 20 // Pub/Sub's own limit
	callTimeout  = time.Second
	eventTimeout = 10 * time.Second
	tickTimeout  = 50 * time.Second // the next tick comes after a minute
	attempts     = 20
)

// settled returns the Spec with the defaults of its kind.
func (s Spec) settled() Spec {
	limit, timeout := int64(bodyLimit), callTimeout
	s.Answer = cmp.Or(s.Answer, OK)
	switch {
	case s.Subject != "":
		s.Access, s.Attempts, limit, timeout = Push, cmp.Or(s.Attempts, attempts), eventLimit, eventTimeout
	case s.Schedule != "":
		s.Access, timeout = Scheduler, tickTimeout
	}
	s.BodyLimit, s.Timeout = cmp.Or(s.BodyLimit, limit), cmp.Or(s.Timeout, timeout)
	return s
}

// pattern returns the function's route: every kind has exactly one.
func (s Spec) pattern() string {
	switch {
	case s.Subject != "":
		return "POST /internal/events/" + s.Name
	case s.Schedule != "":
		return "POST /internal/ticks/" + s.Name
	}
	return s.Route
}
