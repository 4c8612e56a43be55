package bots

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// The windows of the counters, and the times that follow from them.
const (
	cadenceWindow   = 2 * time.Second
	collisionWindow = 10 * time.Minute
	failureWindow   = 10 * time.Minute
	blockTime       = 10 * time.Minute
	humanTime       = 30 * time.Minute // after a passed challenge
	reportInterval  = 5 * time.Minute  // between two reports of the same verdict

	maxFailures = 3
)

// A browser without a cookie calls several functions in parallel, and a mobile network has many such browsers behind one address.
// So without a cookie the requests of one function count, or this part of those of all functions, if that is more.
const (
	parallelNumerator   = 2
	parallelDenominator = 5
)

// A caller is the source of a request. A caller with a session is counted by it, any other by address and fingerprint: device class
// and platform.
type caller struct {
	session  id.GuestSession // of a cookie with a valid signature; zero if there is none
	function string          // that it calls
	starts   bool            // whether the request starts a session
	header   http.Header
	class    attribution.Device
	agent    pseudonym.Hash
	address  pseudonym.Hash // "" if unknown
}

// place is the key of the caller's address and fingerprint. A platform that no browser sends does not make another fingerprint.
func (c caller) place() string {
	return string(c.address) + " " + string(c.class) + " " + platformOf(c.header)
}

// key is the key of the caller.
func (c caller) key() string {
	if c.session.IsZero() {
		return c.place()
	}
	return c.session.String()
}

// failureKey is the key of the caller's failed challenges. Without a session it contains the user agent: otherwise one program
// would block the address of a whole mobile network for new guests.
func (c caller) failureKey() string {
	if c.session.IsZero() {
		return c.place() + " " + string(c.agent)
	}
	return c.key()
}

// A track is what the process remembers of one key. Times are in Unix nanoseconds, oldest first.
type track struct {
	requests, births, failures                []int64
	challengedUntil, blockedUntil, humanUntil time.Time
	reported                                  Assessment // the last report
	reportedAt                                time.Time
}

// maxTracks is the capacity of a generation of tracks. There are two generations.
const maxTracks = 10_000

// A detector counts what callers do, in the memory of the process. The memory is bounded: only the young generation of tracks
// grows; if it is full, it becomes the old one and the previous old one is dropped. A caller that is found in the old one moves
// to the young one.
type detector struct {
	mu         sync.Mutex
	young, old map[string]*track
}

func newDetector() *detector { return &detector{young: map[string]*track{}} }

// of returns the track of a key, or adds one.
func (d *detector) of(key string) *track {
	if t, ok := d.young[key]; ok {
		return t
	}
	t, ok := d.old[key]
	if !ok {
		t = &track{}
	}
	if len(d.young) >= maxTracks {
		d.old, d.young = d.young, make(map[string]*track, maxTracks)
	}
	d.young[key] = t
	return t
}

// observe counts a request and returns what is known about its caller. Without an address, callers without a session are not
// counted: they may be all guests.
func (d *detector) observe(c caller, now time.Time) evidence {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := evidence{header: c.header, class: c.class, shared: c.session.IsZero()}
	if !c.session.IsZero() || c.address != "" {
		e.requests = d.pace(c, now)
	}
	if c.address != "" {
		t := d.of(c.place())
		t.births = since(t.births, now, collisionWindow)
		if c.session.IsZero() && c.starts {
			t.births = counted(t.births, now, collisionWindow)
		}
		e.births = len(t.births)
	}
	t := d.of(c.failureKey())
	t.failures = since(t.failures, now, failureWindow)
	e.failed, e.challenged, e.blocked = len(t.failures) > 0, now.Before(t.challengedUntil), now.Before(t.blockedUntil)
	return e
}

// pace counts a request of a caller and returns how many there are within the window.
func (d *detector) pace(c caller, now time.Time) int {
	all := d.count(c.key(), now)
	if !c.session.IsZero() {
		return all
	}
	return max(d.count(c.place()+" "+c.function, now), all*parallelNumerator/parallelDenominator)
}

// count counts a request of a key and returns how many there are within the window.
func (d *detector) count(key string, now time.Time) int {
	t := d.of(key)
	t.requests = counted(t.requests, now, cadenceWindow)
	return len(t.requests)
}

// challenge records that the caller was challenged.
func (d *detector) challenge(c caller, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(c.failureKey()).challengedUntil = now.Add(failureWindow)
}

// fail records a failed challenge, and reports whether the caller is blocked.
func (d *detector) fail(c caller, now time.Time) (blocked bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.of(c.failureKey())
	t.failures = counted(t.failures, now, failureWindow)
	if len(t.failures) >= maxFailures {
		t.blockedUntil = now.Add(blockTime)
	}
	return now.Before(t.blockedUntil)
}

// pass records that a session has passed a challenge.
func (d *detector) pass(session id.GuestSession, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(session.String()).humanUntil = until
}

// isHuman reports whether a session has passed a challenge in this process.
func (d *detector) isHuman(session id.GuestSession, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !session.IsZero() && now.Before(d.of(session.String()).humanUntil)
}

// due reports whether an assessment must be recorded: the first of its caller that is not human, an escalation, or one after
// reportInterval. It counts as recorded; if recording fails, the caller undoes that.
func (d *detector) due(c caller, a Assessment, now time.Time) (due bool, undo func()) {
	if a.Verdict == Human && a.Action == None {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.of(c.key())
	before := *t
	if !t.reportedAt.IsZero() && now.Sub(t.reportedAt) < reportInterval && !a.escalates(t.reported) {
		return false, nil
	}
	t.reported, t.reportedAt = a, now
	return true, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if t.reportedAt.Equal(now) {
			t.reported, t.reportedAt = before.reported, before.reportedAt
		}
	}
}

// counted returns the times within the window, with now as the newest, at most maxCount.
func counted(times []int64, now time.Time, window time.Duration) []int64 {
	times = append(since(times, now, window), now.UnixNano())
	return times[max(0, len(times)-maxCount):]
}

// since returns the times within the window.
func since(times []int64, now time.Time, window time.Duration) []int64 {
	start := now.Add(-window).UnixNano()
	from, _ := slices.BinarySearch(times, start+1)
	return times[from:]
}
