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
	"a record is returned as it was stored":                 returnsStored,
	"collections and keys are apart":                        keepsApart,
	"get answers in the order of the names":                 answersInOrder,
	"a record is alive before its end and not at it":        endsExactly,
	"an expired record can be created, put and counted":     reusesExpired,
	"of 64 creators one wins":                               createsOnce,
	"of 64 creators one replaces an expired record":         replacesExpiredOnce,
	"put stores what is newer and nothing else":             putsNewer,
	"read and put under contention loses nothing":           losesNoPut,
	"a late put of an older version changes nothing":        endsWithNewest,
	"add adds, and moves the end but never nearer":          adds,
	"add under contention loses nothing and repeats no sum": losesNoAdd,
	"a deleted record can be created again":                 deletes,
	"the largest value is stored whole":                     keepsLargest,
	"records survive a restart":                             survivesRestart,
	"a call without a server returns ErrUnavailable":        reportsUnavailable,
	"a call with an expired context fails":                  respectsContext,
	"a call to a server that never answers times out":       timesOut,
}

// Conform runs the suite. Each check gets a setup of its own.
func Conform(t *testing.T, setup func(testing.TB) Setup) {
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, setup(t))
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
