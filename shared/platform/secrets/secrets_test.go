package secrets_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	read := map[string]func(env.Env) error{
		"HANDOFF_KEYS":      func(e env.Env) error { _, err := secrets.Handoff(e); return err },
		"PSEUDONYM_PEPPERS": func(e env.Env) error { _, err := secrets.Peppers(e); return err },
	}
	good := "k1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	for variable, open := range read {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			check.NoError(t, open(env.Of(map[string]string{variable: good})))
			if err := open(env.Of(nil)); err == nil || !strings.Contains(err.Error(), variable) {
				t.Errorf("without the variable: got %v, want an error that names it", err)
			}
			if err := open(env.Of(map[string]string{variable: "k1:secret"})); err == nil || strings.Contains(err.Error(), "k1:secret") {
				t.Errorf("malformed: got %v, want an error without the value", err)
			}
		})
	}
}
