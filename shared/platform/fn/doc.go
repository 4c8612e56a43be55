// Package fn implements the parts that all deployed functions share.
//
// A function is inert data: a [Spec] and a constructor of its handler. [HTTP], [Event] and [Scheduled] return one; nothing is
// opened before [Function.Handler] is called. A handler is a plain Go function from a decoded request to an answer or an error.
// This package does everything around it: routing, authentication, strict decoding, rate limits, the deadline, idempotent
// replay, the status and the problem body, request id, trace, security headers, recovery and one log line.
//
// A call passes three steps: [frame] opens it (request id, deadline, recovery), an endpoint acts (for HTTP, an event or a tick),
// and the frame writes the answer and then the log line. An endpoint never writes; it returns an answer or an error.
package fn
