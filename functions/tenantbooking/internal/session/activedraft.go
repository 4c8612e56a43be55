package session

import (
	"context"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// SetActiveDraft stores the active draft of the session. It returns the stored session, which contains the changes of
// concurrent requests.
func (s *Sessions) SetActiveDraft(ctx context.Context, session Session, d id.Draft) (Session, error) {
	if session.Draft != nil && *session.Draft == d {
		return session, nil
	}
	next := session
	next.Draft = &d
	return s.merge(ctx, next, session)
}

// ActiveDrafts removes ended drafts from their sessions.
type ActiveDrafts struct{ store }

// OpenActiveDrafts returns ActiveDrafts. It needs no keys, because a draft names its session.
func OpenActiveDrafts(e env.Env) ActiveDrafts { return ActiveDrafts{openStore(e)} }

// Clear removes the draft from its session, unless the session has another active draft or is not stored. A failed write
// is ignored, because readers check the active draft against its row.
func (a ActiveDrafts) Clear(ctx context.Context, t id.Tenant, session id.TenantSession, d id.Draft) {
	for range maxAttempts {
		stored, ok, err := a.find(ctx, t, session)
		if err != nil || !ok || stored.Draft == nil || *stored.Draft != d {
			return
		}
		stored.Draft = nil
		if kept, err := a.put(ctx, stored); err != nil || kept {
			return
		}
	}
}
