// Package secrets reads the keys of the shared packages from the configuration. Those packages read no configuration themselves.
package secrets

import (
	"fmt"

	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// Handoff returns the keys that mint and verify handoffs, from HANDOFF_KEYS. It returns an error if the variable is not set.
func Handoff(e env.Env) (handoff.Keys, error) {
	var c struct {
		Keys keyring.Ring `env:"HANDOFF_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return handoff.Keys{}, fmt.Errorf("secrets: handoff: %w", err)
	}
	return handoff.KeysOf(c.Keys), nil
}

// Peppers returns the peppers of pseudonyms, from PSEUDONYM_PEPPERS. It returns an error if the variable is not set.
func Peppers(e env.Env) (pseudonym.Peppers, error) {
	var c struct {
		Peppers pseudonym.Peppers `env:"PSEUDONYM_PEPPERS,required"`
	}
	if err := e.Load(&c); err != nil {
		return pseudonym.Peppers{}, fmt.Errorf("secrets: peppers: %w", err)
	}
	return c.Peppers, nil
}
