// Command main is the deployed job keys, with Secret Manager, or the folder that KEYS_FOLDER names.
package main

import (
	"context"
	"fmt"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/jobs/keys/secretmanager"
	"melmastoon.ghasi.io/shared/platform/env"
)

func main() {
	e, err := withStore(context.Background(), env.System())
	if err != nil {
		fmt.Fprintf(os.Stderr, "keys: %v\n", err)
		os.Exit(1)
	}
	os.Exit(command.Run(context.Background(), keys.Job, e, os.Args[1:], os.Stderr))
}

// withStore adds the store of secrets. Without a configuration it adds none, so that -help works.
func withStore(ctx context.Context, e env.Env) (env.Env, error) {
	var c struct {
		Project string `env:"GOOGLE_CLOUD_PROJECT"`
		Folder  string `env:"KEYS_FOLDER"`
	}
	if err := e.Load(&c); err != nil {
		return e, err
	}
	switch {
	case c.Folder != "":
		return keys.StoreKey.With(e, keys.Store(folder.Open(c.Folder, e.Now))), nil
	case c.Project != "":
		store, err := secretmanager.Open(ctx, c.Project)
		return keys.StoreKey.With(e, keys.Store(store)), err
	}
	return e, nil
}
