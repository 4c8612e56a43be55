// Package fn implements the parts that all deployed functions share.
//
// A function is inert data: a [Spec] and a constructor of its handler. [HTTP], [Event] and [Scheduled] return one; nothing is
// opened before [Function.Handler] is called. A handler is a plain Go function from a decoded request to an answer or an error.
// This package does everything around it: routing, authentication, strict decoding, rate limits, the deadline, idempotent
// replay, the status and the problem body, request id, trace, security headers, recovery and one log line.
//
// A call passes three steps: [frame] opens it (request id, deadline, recovery), an endpoint acts (for HTTP, an event or a tick),
// and the frame writes the answer and then the log line. An endpoint never writes; it returns an answer or an error.
//
// Events arrive at /internal/events/<function> and ticks at /internal/ticks/<function>. After the last attempt the function
// dead-letters the event itself, so that the message has its cause. If the event is too large for the topic, its data is left
// out: an erasure could not find a person in a part. A path and query of more than 8 KiB is answered with 414, because each
// answer scrubs the path.
package fn
