// Command main is the deployed job probe, with Google's identity tokens and the hot document store of the functions.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/probe"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/firestore"
	"melmastoon.ghasi.io/shared/platform/document/redis"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/identity/google"
)

func main() {
	e := env.System()
	e = identity.SourceKey.With(e, google.Open(e))
	os.Exit(command.Run(context.Background(), probe.Job, document.StoreKey.With(e, store(e)), os.Args[1:], os.Stderr))
}

// store returns Redis if it is configured, else Firestore.
func store(e env.Env) document.Store {
	var c struct {
		URL string `env:"REDIS_URL"`
	}
	if err := e.Load(&c); err == nil && c.URL != "" { // errors are reported where the store is used
		return redis.Open(e)
	}
	return firestore.Open(e)
}
