// Package session identifies the visitors of a hotel's site by signed cookies, stores their preferences as hot documents, and
// records their handoffs from the consumer site in a ledger, so that only one session can use a handoff.
package session
