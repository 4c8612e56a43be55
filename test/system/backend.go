package system

import (
	"testing"

	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/scripts/serve/google"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
)

// backendEnv returns the environment for the backend in MELMASTOON_BACKEND: the database only, or Google's emulators.
func backendEnv(t testing.TB, c cloud.Config) cloud.Config {
	t.Helper()
	var asked struct {
		Backend string `env:"MELMASTOON_BACKEND,default=embedded"`
	}
	check.Must(t, env.System().Load(&asked))
	switch asked.Backend {
	case "embedded":
		return c
	case "emulators":
		return google.On(c, google.Emulators{
			Project: emulatortest.Name(), Firestore: emulatortest.Firestore(t), PubSub: emulatortest.PubSub(t)})
	}
	t.Fatalf("MELMASTOON_BACKEND is %q, not embedded or emulators", asked.Backend)
	return c
}
