// Package fn is what every deployed function has in common.
//
// A function is inert data: a [Spec] and how to build its handler. [HTTP], [Event] and [Scheduled] make one; nothing
// happens until [Function.Handler] is called. A handler is a plain Go function from a decoded request to an answer or an
// error. Everything around it is done here, once: routing, who may call, strict decoding, limits, the deadline,
// idempotent replay, the status and the problem body, request id, trace, security headers, recovery and one log line.
//
// The life of a call: [frame] opens it (identity of the call, deadline, recovery), an endpoint acts (an http, event or tick
// one), the frame writes its answer and then the log line. An endpoint never writes; it returns an answer or an error.
package fn
