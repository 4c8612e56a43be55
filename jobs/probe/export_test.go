package probe

import (
	"context"
	"io"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// What the external tests use. They import the system, which imports this package.
var (
	Run     = run
	Parse   = func(e env.Env, args []string) error { _, err := parse(e, args, io.Discard); return err }
	ErrBusy = errBusy
)

// Claimed is the time after which a document is that of a killed run.
const Claimed = claimed

// StepNames are the names of all steps.
func StepNames() (names []string) {
	for _, s := range new(journey).steps() {
		names = append(names, s.name)
	}
	return names
}

// LeftBehind returns the reservation that the document names, and whether there is a document.
func LeftBehind(ctx context.Context, e env.Env, property string) (string, bool, error) {
	l, found, err := document.Open[left](e, "probe").Get(ctx, document.KeyOf(property))
	return l.Reservation, found, err
}

// LeaveBehind stores what a killed run leaves.
func LeaveBehind(ctx context.Context, e env.Env, property, reservation string) error {
	_, err := document.Open[left](e, "probe").Create(ctx, document.KeyOf(property), left{Since: e.Now(), Reservation: reservation}, e.Now().Add(kept))
	return err
}
