package main

import (
	"context"
	"net"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/env"
)

// start gives the functions their surroundings: this database, this folder's keys, these parts, this clock.
func start(ctx context.Context, home *folder, db *database, parts backend, listener net.Listener, offset time.Duration) (*cloud.Cloud, error) {
	e := env.Of(map[string]string{"DATABASE_URL": db.url()})
	e.Advance(offset)
	return cloud.Start(ctx, parts.under(cloud.Config{
		Env:       e,
		Functions: melmastoon.Functions,
		Listener:  listener,
		Secret:    home.secret,
		Log:       home.log,
		Schedules: true,
	}))
}
