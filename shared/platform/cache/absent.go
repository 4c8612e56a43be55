package cache

import (
	"maps"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

const maxAbsent = 10_000 // names of one kind

// Absent is a negative cache: this process remembers names that a service does not know, so that a scanner causes few calls to
// that service.
type Absent struct {
	now   func() time.Time
	life  time.Duration
	mu    sync.Mutex
	until map[string]time.Time
}

// OpenAbsent returns the negative cache of one kind of names, which are remembered for life. All callers in the process share
// it.
func OpenAbsent(e env.Env, kind string, life time.Duration) *Absent {
	shared, _ := env.Once(e, "absent."+kind, func() (*Absent, error) {
		return &Absent{now: e.Now, life: life, until: map[string]time.Time{}}, nil
	})
	return shared
}

// Has reports whether the name was unknown recently.
func (a *Absent) Has(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now().Before(a.until[name])
}

// Add remembers a name. If there are too many, it first deletes the expired ones, or else all.
func (a *Absent) Add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if len(a.until) >= maxAbsent {
		maps.DeleteFunc(a.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	}
	if len(a.until) >= maxAbsent {
		clear(a.until)
	}
	a.until[name] = now.Add(a.life)
}
