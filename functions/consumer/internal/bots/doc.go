// Package bots detects programs among the visitors of the consumer site.
//
// [Rules] score one request: each signal adds its weight, and the sum decides the verdict and the action. [Detector] counts the
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
//   - The counters are not shared between processes: they would cost a write per request.
//   - No request is rejected because of its address alone: many guests share the address of a mobile network.
package bots
