package cache

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// An Epoch names something that values depend on. Fetching and invalidating code must name it with the same function.
type Epoch struct{ key document.Key }

// Of names an epoch by its parts.
func Of(part string, more ...string) Epoch { return Epoch{document.KeyOf(part, more...)} }

// epochLife is how long an epoch is stored after its last change. An expired epoch starts at zero again, so its life must exceed
// that of every value that was composed at zero.
const epochLife = 400 * 24 * time.Hour

// name returns the document with the number of the epoch. The collection's name predates the word epoch: functions of the previous
// release use it.
func (e Epoch) name() document.Name {
	return document.Name{Collection: "generations", ID: e.key.String()}
}

func namesOf(depends []Epoch) []document.Name {
	names := make([]document.Name, len(depends))
	for i, e := range depends {
		names[i] = e.name()
	}
	return names
}

// Invalidate makes every value that depends on one of these epochs stale, including values that are being composed. After an
// error some may be invalidated and some not: call it again. An extra call costs one composition.
//
// It adds the clock's seconds, not one: an epoch that was lost with its store starts again, and must not return to a number
// under which some process still has a value in memory.
func Invalidate(ctx context.Context, e env.Env, stale ...Epoch) error {
	store, err := document.StoreOf(e)
	if err != nil {
		return err
	}
	now := e.Now()
	for _, s := range stale {
		if _, err := store.Add(ctx, now, s.name(), now.Unix(), now.Add(epochLife)); err != nil {
			return fmt.Errorf("cache: invalidate: %w", err)
		}
	}
	return nil
}
