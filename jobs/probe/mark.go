package probe

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// left is what a run may leave behind if it is killed.
type left struct {
	Since       time.Time `json:"since"`
	Reservation string    `json:"reservation,omitzero"` // "" before a room is held; a hold without a name here expires by itself
}

// claimed is the time after which the document is that of a run that was killed. A run and its clean-up are shorter, and the schedule
// is slower.
const claimed = 4 * time.Minute

// kept is the time until a mark expires, longer than any stay lies ahead.
const kept = 2 * 365 * 24 * time.Hour

// errBusy is returned if another run has been working for less than four minutes, or was killed within them.
var errBusy = errors.New("another run is working, or was killed less than four minutes ago")

// A mark is the document of the running probe. At most one run has it.
type mark struct {
	documents document.Collection[left]
	key       document.Key
	now       func() time.Time
	version   int64
}

// take claims the document and returns the reservation that a killed run left behind, or "".
func (m *mark) take(ctx context.Context) (reservation string, err error) {
	now := m.now()
	m.version = now.UnixMicro()
	before, found, err := m.documents.Get(ctx, m.key)
	if err != nil {
		return "", err
	}
	if found && now.Sub(before.Since) < claimed {
		return "", errBusy
	}
	claim := left{Since: now, Reservation: before.Reservation} // still named, in case this run is killed before it is cancelled
	var won bool
	if found {
		won, err = m.documents.Put(ctx, m.key, claim, m.version, now.Add(kept))
	} else {
		won, err = m.documents.Create(ctx, m.key, claim, now.Add(kept))
	}
	if err == nil && !won {
		err = errBusy
	}
	return before.Reservation, err
}

// note stores the reservation of this run, or "".
func (m *mark) note(ctx context.Context, reservation string) error {
	m.version++
	now := m.now()
	stored, err := m.documents.Put(ctx, m.key, left{Since: now, Reservation: reservation}, m.version, now.Add(kept))
	if err == nil && !stored {
		err = errors.New("the document has a newer version")
	}
	return err
}

// drop deletes the document after all that this run booked is cancelled.
func (m *mark) drop(ctx context.Context) error { return m.documents.Delete(ctx, m.key) }
