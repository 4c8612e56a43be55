// Package recordfunnel records the steps of travellers towards a booking.
package recordfunnel

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/telemetry/funnel.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-recordfunnel",
	Route:     "POST " + consumer.Base + "/telemetry/funnel",
	Answer:    fn.Accepted,
	Uses:      fn.Uses{fn.Postgres, fn.Documents},
	Publishes: fn.Subjects{session.FunnelStepReachedV1},
	Timeout:   time.Second,
}, New)

// A Request holds one funnel step.
type Request struct {
	Step     session.FunnelStep `json:"step"`
	Metadata *session.Metadata  `json:"metadata,omitzero"`
	Tenant   *id.Tenant         `json:"tenantId,omitzero"`
	Property *id.Property       `json:"propertyId,omitzero"`
	Search   *id.SearchSession  `json:"searchSessionId,omitzero"`
}

// Validate rejects numbers outside their range.
func (r *Request) Validate() error {
	if wrong := r.Metadata.Check("/metadata"); wrong != nil {
		return fault.ErrValidation.With(wrong...)
	}
	return nil
}

type handler struct {
	telemetry session.Telemetry
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, fn.Nothing], error) {
	return (&handler{session.OpenTelemetry(e)}).record, nil
}

func (h *handler) record(ctx context.Context, c consumer.Call[Request]) (out fn.Nothing, err error) {
	return out, h.telemetry.RecordStep(ctx, c.Visitor, session.Step{About: session.About{Tenant: c.In.Tenant, Property: c.In.Property, Search: c.In.Search}, Step: c.In.Step, OccurredAt: c.Now, Metadata: c.In.Metadata})
}
