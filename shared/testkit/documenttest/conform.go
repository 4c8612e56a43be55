// Package documenttest provides the conformance suite for drivers of document stores, and an in-memory store for tests.
package documenttest

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// A Setup is a driver under test with its environment.
type Setup struct {
	Open        func() document.Store // opens another store on the same data, as after a restart
	Unreachable func() document.Store // opens a store whose server is not running
	Silent      func() document.Store // opens a store whose server accepts connections but never answers; see Listener
}

// checks maps names to checks of the contract. A driver has no clock: each check passes the time explicitly.
var checks = map[string]func(testing.TB, Setup){
	"stored record":                   returnsStored,
	"separate collections":            keepsApart,
	"order of names":                  answersInOrder,
	"expiry boundary":                 endsExactly,
	"reuse after expiry":              reusesExpired,
	"concurrent creates":              createsOnce,
	"concurrent creates after expiry": replacesExpiredOnce,
	"newer version":                   putsNewer,
	"concurrent puts":                 losesNoPut,
	"late put":                        endsWithNewest,
	"add":                             adds,
	"concurrent adds":                 losesNoAdd,
	"delete":                          deletes,
	"largest value":                   keepsLargest,
	"restart":                         survivesRestart,
	"no server":                       reportsUnavailable,
	"expired context":                 respectsContext,
	"silent server":                   timesOut,
}

// Conform runs the suite. Each check gets a setup of its own.
func Conform(t *testing.T, setup func(testing.TB) Setup) {
	for name, run := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, setup(t))
		})
	}
}

// The times used by checks. A tick is a microsecond, the resolution of all stores.
var (
	noon    = time.Date(2031, 3, 21, 12, 0, 0, 0, time.UTC)
	evening = noon.Add(6*time.Hour + 123456*time.Microsecond)
	tick    = time.Microsecond
)

func named(id string) document.Name { return document.Name{Collection: "sessions", ID: id} }

func text(s string, version int64, until time.Time) document.Record {
	return document.Record{Value: []byte(s), Version: version, ExpiresAt: until}
}
