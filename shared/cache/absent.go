package tenantbooking

import (
	"maps"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/env"
)

const (
	unknownLife     = time.Minute // a new hotel is found at most so long after its first visitor
	maxUnknownNames = 10_000
)

// unknownNames remembers in this process which names the tenant service does not know, so that a scanner asks it once a minute
// for each.
type unknownNames struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func openUnknownNames(e env.Env) *unknownNames {
	shared, _ := env.Once(e, "tenantbooking.unknown", func() (*unknownNames, error) {
		return &unknownNames{until: map[string]time.Time{}}, nil
	})
	return shared
}

func (u *unknownNames) has(name string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return now.Before(u.until[name])
}

// add remembers a name. If there are too many, it deletes those whose time is over, or else all.
func (u *unknownNames) add(name string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.until) >= maxUnknownNames {
		maps.DeleteFunc(u.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	}
	if len(u.until) >= maxUnknownNames {
		clear(u.until)
	}
	u.until[name] = now.Add(unknownLife)
}
