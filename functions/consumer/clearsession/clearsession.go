// Package clearsession deletes a session at the traveller's request.
package clearsession

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/session/clear. It does nothing if there is no session, and starts none.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-clearsession",
	Route:     "POST " + consumer.Base + "/session/clear",
	Answer:    fn.NoContent,
	Uses:      fn.Uses{fn.Postgres, fn.Documents},
	Publishes: fn.Subjects{session.SessionEndedV1},
	Timeout:   time.Second,
}, New, consumer.StartsNoSession)

type handler struct {
	sessions *session.Sessions
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[fn.Nothing, fn.Reply], error) {
	sessions, err := session.OpenSessions(e)
	return (&handler{sessions}).clear, err
}

func (h *handler) clear(ctx context.Context, c consumer.Call[fn.Nothing]) (out fn.Reply, err error) {
	cookie, err := h.sessions.Cookie(c.Session.ID, c.Site)
	if err != nil {
		return out, err
	}
	if !c.Session.ID.IsZero() {
		err = h.sessions.Clear(ctx, c.Session)
	}
	return fn.NoContent.Reply().Forget(cookie), err
}
