// Package setguest sets the guest's details of a draft.
package setguest

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// Function serves PATCH /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-setguest",
	Route:      "PATCH " + tenantbooking.Base + "/draft/{draftId}",
	Uses:       fn.Uses{fn.Postgres, fn.Documents},
	Publishes:  fn.Subjects{subject.StepCompletedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request holds the guest's details. With If-Match, concurrent changes in two tabs do not overwrite each other.
type Request struct {
	Draft id.Draft           `path:"draftId" json:"-"`
	Match fn.Maybe[fn.Match] `header:"If-Match" json:"-"`
	Guest booking.Guest      `json:"guest"`
}

// Validate returns an error for a guest without a name or with an invalid email address or telephone number.
func (r Request) Validate() error { return r.Guest.Normal().Validate() }

// A Response is the draft.
type Response struct {
	fn.Reply `json:"-"`
	booking.View
}

type handler struct {
	drafts   booking.Drafts
	sessions *session.Sessions
	peppers  pseudonym.Peppers
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	peppers, noPeppers := secrets.Peppers(e)
	sessions, noSessions := session.OpenSessions(e)
	return (&handler{drafts: booking.OpenDrafts(e), sessions: sessions, peppers: peppers}).patch, errors.Join(noPeppers, noSessions)
}

// patch sets the details and renames the session: its cookie may have been planted in the guest's browser.
func (h *handler) patch(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	c.In.Guest = c.In.Guest.Normal()
	draft, err := booking.Again(ctx, func() (*booking.Draft, error) { return h.name(ctx, c) })
	if err != nil {
		return out, err
	}
	out = Response{draft.Reply(), draft.View()}
	if draft.Session != c.Session.ID {
		_ = h.sessions.Rename(ctx, c.Session, draft.Session) // if this fails, the session begins again, with the same drafts
		out.Reply = out.ContinueAs(draft.Session.String())
	}
	return out, nil
}

func (h *handler) name(ctx context.Context, c tenantbooking.Call[Request]) (*booking.Draft, error) {
	draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
	if errors.Is(err, booking.ErrNotFound) { // an interrupted attempt of this act may have moved the draft to this session
		c.Session.ID = session.Renamed(c.Act)
		draft, err = h.drafts.Get(ctx, c.Session, c.In.Draft)
	}
	if err != nil {
		return nil, err
	}
	if draft.HasGuest(c.In.Guest) {
		return draft, nil // a repeated request, perhaps after an interrupted attempt
	}
	if err := draft.Matches(c.In.Match.Or(fn.Match{})); err != nil {
		return nil, err
	}
	hashes, err := c.In.Guest.Hash(h.peppers)
	if err != nil {
		return nil, err
	}
	events, err := draft.SetGuest(c.In.Guest, hashes, c.Now)
	if err != nil {
		return nil, err
	}
	draft.SetLocale(c.Visitor)
	draft.Session = session.Renamed(c.Act)
	return draft, h.drafts.SaveAs(ctx, draft, c.Session, events...)
}
