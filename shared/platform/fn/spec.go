package fn

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
)

// A Spec says what is to be known of a function before it runs: how it is reached, who may call it, what it needs.
// Exactly one of Route, Subject and Schedule is given.
type Spec struct {
	Name     string            // the folder below functions/, joined by "-"; the part before the first "-" is the service
	Route    string            // a ServeMux pattern: "POST /api/v1/reservations/holds"
	Subject  string            // the event that is heard
	Filter   map[string]string // attributes that an event must have; others are acknowledged unheard
	Schedule string            // a cron line, UTC

	Access     Access   // who may call; implied for events and schedules
	Uses       Uses     // what the function needs; its permissions derive from them
	Publishes  Subjects // the events that it publishes
	Answer     Answer   // the usual outcome
	Idempotent bool     // requires an Idempotency-Key and replays answers to the same caller; for anonymous ones the act itself must be idempotent

	Acts         ratelimit.Rates // how often one caller may act; only of a public, idempotent function
	BodyLimit    int64           // bytes; 64 KiB unless given, 10 MiB for events
	Timeout      time.Duration   // of a whole call; 1 s unless given, 10 s for events, 50 s for schedules
	Concurrency  int             // calls at once in one instance
	MinInstances int
	MaxInstances int

	DeadLetter string // topic for events that can never succeed
	Attempts   int    // deliveries before an event goes there by itself
}

// Access says who may call a function over HTTP.
type Access int

// The kinds of access. Push and Scheduler are implied by Subject and Schedule.
const (
	Public    Access = iota // anybody
	Internal                // another service, by its identity token
	Desk                    // another service, or staff with a token of their own
	Push                    // the message bus
	Scheduler               // the scheduler
)

// String names the access as the catalogue shows it.
func (a Access) String() string {
	return [...]string{"public", "internal", "desk", "push", "scheduler"}[a]
}

// A Use is one thing a function needs.
type Use string

// Uses are all the things a function needs.
type Uses []Use

// What a function can need besides its upstreams.
const (
	Postgres  Use = "postgres"
	Documents Use = "documents"
)

// Upstream is the need for another service.
func Upstream(name string) Use { return Use("upstream:" + name) }

// Subjects are the events that a function may publish.
type Subjects []event.Subject

// Service is the service that the function belongs to.
func (s Spec) Service() string {
	service, _, _ := strings.Cut(s.Name, "-")
	return service
}

const (
	bodyLimit  = 64 << 10
	eventLimit = 10 << 20 // Pub/Sub's own

	callTimeout  = time.Second
	eventTimeout = 10 * time.Second
	tickTimeout  = 50 * time.Second // the next tick comes after a minute
)

// settled is the Spec with its gaps filled by what is usual for its kind.
func (s Spec) settled() Spec {
	limit, timeout := int64(bodyLimit), callTimeout
	switch {
	case s.Subject != "":
		s.Access, limit, timeout = Push, eventLimit, eventTimeout
	case s.Schedule != "":
		s.Access, timeout = Scheduler, tickTimeout
	}
	if s.BodyLimit == 0 {
		s.BodyLimit = limit
	}
	if s.Timeout == 0 {
		s.Timeout = timeout
	}
	return s
}

// pattern is where the function is reached: every kind has exactly one address.
func (s Spec) pattern() string {
	switch {
	case s.Subject != "":
		return "POST /internal/events/" + s.Name
	case s.Schedule != "":
		return "POST /internal/ticks/" + s.Name
	}
	return s.Route
}
