// Package recordpageview records page views of travellers.
package recordpageview

import (
	"context"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/telemetry/page-view.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-recordpageview",
	Route:     "POST " + consumer.Base + "/telemetry/page-view",
	Answer:    fn.Accepted,
	Uses:      fn.Uses{fn.Postgres, fn.Documents},
	Publishes: fn.Subjects{session.PageViewedV1},
	Timeout:   time.Second,
}, New)

// A Request holds the page's path and the referring page. Their queries are not stored.
type Request struct {
	Path     string            `json:"path"`
	Referer  string            `json:"referer,omitzero"`
	Tenant   *id.Tenant        `json:"tenantId,omitzero"`
	Property *id.Property      `json:"propertyId,omitzero"`
	Search   *id.SearchSession `json:"searchSessionId,omitzero"`
}

// maxPathLength is the maximum length of a path, in bytes.
const maxPathLength = 2048

// Validate rejects a path that is not one of a page of the site.
func (r *Request) Validate() error {
	if !strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "//") || len(r.Path) > maxPathLength || session.RedactAddress(r.Path) == "" {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/path", Rule: "form", Message: "Must be the path of a page."})
	}
	if len(r.Referer) > maxPathLength {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/referer", Rule: "form", Message: "Too long."})
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
	return out, h.telemetry.RecordPageView(ctx, c.Visitor, session.PageView{
		About: session.About{Tenant: c.In.Tenant, Property: c.In.Property, Search: c.In.Search}, Path: session.RedactAddress(c.In.Path), Referer: session.RedactAddress(c.In.Referer), ViewedAt: c.Now,
	})
}
