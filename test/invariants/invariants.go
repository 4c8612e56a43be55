// Package invariants holds what must be true of every database. Each query returns the rows that break its rule: no
// row, no breach.
package invariants

import "embed"

// SQL holds at every moment, for anyone who looks.
//
//go:embed *.sql
var SQL embed.FS

// Settled holds once nothing is in flight: every event told and heard, every call answered.
//
//go:embed settled/*.sql
var Settled embed.FS
