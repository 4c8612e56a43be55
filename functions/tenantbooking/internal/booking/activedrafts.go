package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// ActiveDrafts records which draft a session is booking, so that its guest can continue.
type ActiveDrafts struct {
	drafts   Drafts
	sessions *session.Sessions
	timeout  time.Duration
}

// activeTimeout is the timeout of reading the active draft. A bootstrap without it is degraded, but usable.
const activeTimeout = 300 * time.Millisecond

// OpenActiveDrafts returns ActiveDrafts with its stores.
func OpenActiveDrafts(e env.Env) (ActiveDrafts, error) {
	sessions, err := session.OpenSessions(e)
	return ActiveDrafts{drafts: OpenDrafts(e), sessions: sessions, timeout: e.Timeout(activeTimeout)}, err
}

// Set makes the draft the active one of its session. Errors are ignored, because they only prevent bootstrap from offering the
// draft. If the guest changed the consent during this request, Set applies the new consent to the session's drafts.
func (a ActiveDrafts) Set(ctx context.Context, owner session.Session, d *Draft) {
	stored, err := a.sessions.SetActiveDraft(ctx, owner, d.ID)
	if err == nil && stored.Consent != owner.Consent {
		_ = a.drafts.SetConsent(ctx, stored)
	}
}

// Of returns the session's active draft, or nil. It removes a draft that is not active from owner, which the caller saves.
func (a ActiveDrafts) Of(ctx context.Context, owner *session.Session) (*id.Draft, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	active, err := a.read(ctx, *owner)
	if err == nil {
		owner.Draft = active
	}
	return active, err
}

// read returns the session's active draft, or nil. The session only names a candidate, because a draft can end without a
// change of its session. The draft's row decides. A lapsed draft is not active, even before the sweep closes it.
func (a ActiveDrafts) read(ctx context.Context, owner session.Session) (*id.Draft, error) {
	if owner.Draft == nil {
		return nil, nil
	}
	active := false
	err := a.drafts.db.InTenant(ctx, owner.Tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM bff_tenant_booking.booking_drafts
				WHERE tenant_id = @tenant AND draft_id = @draft AND session_id = @session AND ended_at IS NULL
					AND (state IN ('paying', 'confirming') OR expires_at > platform.now()))`,
			pgx.StrictNamedArgs{"tenant": owner.Tenant, "draft": *owner.Draft, "session": owner.ID}).Scan(&active)
	})
	if err != nil {
		return nil, fmt.Errorf("drafts: active of %s: %w", owner.ID, err)
	}
	if !active {
		return nil, nil
	}
	return owner.Draft, nil
}
