// Package bots detects programs among the visitors of the consumer site.
//
// [Rules] score one request: each signal adds its weight, and the sum decides the verdict and the action. The detector counts the
// requests, new sessions and failed challenges of each caller, in the memory of the process. [Guard] applies both to a request,
// asks for challenges and records the scores ([Scores]).
//
//	score   0 ........ 0.4 ........ 0.6 ........ 0.8 ........ 1
//	verdict   human     |       suspect           |    bot
//	action          none             |       challenge
//
// Guests of a mobile network or of a browser's proxy share an address, and some use browsers that this package does not know. The
// weight of an address and the weight of an unknown user agent together do not make a suspect. If a crowd arrives at an address,
// its guests are served, and their sessions are stored with the request that returns the cookie.
//
// Three failed challenges within ten minutes block the caller for ten minutes (hard-block). A passed challenge makes a session
// human for half an hour, in every process, because the session's document says so.
//
// # Non-goals
//
//   - The counters are not shared between processes (decision 136): they would cost a write per request.
//   - No request is rejected because of its address alone: many guests share the address of a mobile network.
//
// # Rules
//
//   - A failed verification counts only if this process has challenged the same caller in the last ten minutes:
//     otherwise an invented response would block the guests of a whole network. A response that passes always counts,
//     because another process may have challenged.
//   - A request with an idempotency key and a stored session is assessed in the act, so that a replay does not count.
//     All others are assessed before the session limit.
//   - The rules can be changed by a document, which is rejected as a whole and bounded: pace and births of an address
//     weigh at most 0.25 together, headers 0.3, and ranges of crawlers have at least 8 bits.
//   - The challenge service has 400 ms, and no call is repeated, because a response can be verified once. A late or
//     used response counts neither as passed nor as failed; a malformed one has failed.
//   - Each process publishes its own verdicts, so the warehouse counts callers and not events.
package bots
