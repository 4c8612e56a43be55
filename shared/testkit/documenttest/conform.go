// Package documenttest is what tests need of documents: the conformance suite of every driver, and a store in memory.
package documenttest

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// A Setup is a driver under test, together with the world it stands in.
type Setup struct {
	Open func() document.Store // a new one on what earlier ones have kept: that is a restart
	Away func() document.Store // one whose server is not there
	Deaf func() document.Store // one whose server takes calls and never answers; see Listener
}

// checks are what a driver is held to, by what they prove. A driver has no clock: time is the instants that a check names.
var checks = map[string]func(testing.TB, Setup){
	"a record comes back as it was stored":                  comesBack,
	"collections and keys are apart":                        keepsApart,
	"get answers in the order of the names":                 answersInOrder,
	"a record is alive before its end and not at it":        endsExactly,
	"an ended record is created, put and counted anew":      beginsAnew,
	"of 64 creators one wins":                               hasOneWinner,
	"an ended record has one heir among 64":                 hasOneHeir,
	"put stores what is newer and nothing else":             putsNewer,
	"a put of many puts each as put does":                   putsEach,
	"puts of the same many end, with the newest":            endsWithNewestOfMany,
	"read and put under contention loses nothing":           losesNoPut,
	"an older put that comes late undoes nothing":           endsWithNewest,
	"add adds, and moves the end but never nearer":          adds,
	"add under contention loses nothing and repeats no sum": losesNoAdd,
	"a deleted record is gone and may be made again":        deletes,
	"the largest value is kept whole":                       keepsLargest,
	"what was kept survives a restart":                      survivesRestart,
	"a store that is away says so":                          tellsOfAbsence,
	"a call whose time is over fails":                       heedsContext,
	"a server that never answers is left in time":           leavesInTime,
}

// Conform runs the suite. Each check asks for a rig of its own.
func Conform(t *testing.T, rig func(testing.TB) Setup) {
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, rig(t))
		})
	}
}

// The instants that checks live in, a microsecond apart where it matters: no store tells time more finely.
var (
	noon    = time.Date(2031, 3, 21, 12, 0, 0, 0, time.UTC)
	evening = noon.Add(6*time.Hour + 123456*time.Microsecond)
	tick    = time.Microsecond
)

func named(id string) document.Name { return document.Name{Collection: "sessions", ID: id} }

func text(s string, version int64, until time.Time) document.Record {
	return document.Record{Value: []byte(s), Version: version, ExpiresAt: until}
}
