// Package recordclick records clicks on hotels.
package recordclick

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/telemetry/click.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-recordclick",
	Route:     "POST " + consumer.Base + "/telemetry/click",
	Answer:    fn.Accepted,
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("property")},
	Publishes: fn.Subjects{session.ClickRecordedV1},
	Timeout:   time.Second,
}, New)

type handler struct {
	clicks *session.Clicks
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[session.Click, fn.Nothing], error) {
	return (&handler{session.OpenClicks(e)}).record, nil
}

func (h *handler) record(ctx context.Context, c consumer.Call[session.Click]) (out fn.Nothing, err error) {
	return out, h.clicks.Record(ctx, c.Visitor, c.In, c.Now)
}
