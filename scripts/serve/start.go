package main

import (
	"context"
	"net"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/env"
)

// start gives the functions their surroundings: this database, this folder's keys, this clock.
func start(ctx context.Context, home *folder, db *database, listener net.Listener, offset time.Duration) (*cloud.Cloud, error) {
	e := env.Of(map[string]string{"DATABASE_URL": db.url()})
	e.Advance(offset)
	return cloud.Start(ctx, cloud.Config{
		Env:       e,
		Functions: melmastoon.Functions,
		Listener:  listener,
		Secret:    home.secret,
		Log:       home.log,
		Schedules: true,
	})
}
