package main

import (
	"context"
	"net"
	"strings"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/scripts/serve/operations"
	"melmastoon.ghasi.io/shared/platform/env"
)

// start starts the cloud with this database, these keys, this backend, this clock and the sites of --site.
func start(ctx context.Context, home *folder, db *database, parts backend, listener net.Listener, offset time.Duration, site string) (*cloud.Cloud, error) {
	e := env.Of(map[string]string{"DATABASE_URL": db.url()})
	if site != "" {
		e = e.With("TENANT_SITE_URL", site).With("TENANT_RETURN_URL", strings.TrimSuffix(site, "/")+"/return/{draftId}")
	}
	e.Advance(offset)
	return cloud.Start(ctx, parts.under(cloud.Config{
		Env:       e,
		Functions: melmastoon.Functions,
		Listener:  listener,
		Secret:    home.secret,
		Log:       home.log,
		Schedules: true,
		Jobs:      operations.Jobs(),
		Owner:     db.cluster.URL("postgres"),
		ReadLog:   home.log.read,
	}))
}
