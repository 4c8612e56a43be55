package iam

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// SessionRevokedV1 is the event of a revoked session.
var SessionRevokedV1 = standin.Subject("iam-service", "iam.session.revoked", event.Audit, event.Year)

// A Persona is an id with any prefix, of a session or a user that the sandbox does not store.
type Persona string

var persona = regexp.MustCompile(`^[a-z]+(_[a-z]+)*_[0-9A-HJKMNP-TV-Z]{26}$`)

// UnmarshalText rejects text that is not an id.
func (s *Persona) UnmarshalText(text []byte) error {
	if !persona.Match(text) {
		return errors.New("want a prefix and a ULID")
	}
	*s = Persona(text)
	return nil
}

// A Revocation names a session that is no longer valid.
type Revocation struct {
	Tenant    *id.Tenant `json:"tenantId,omitzero"` // if the session belongs to one tenant's site
	Session   Persona    `json:"sessionId"`
	User      Persona    `json:"userId,omitzero"`
	Reason    string     `json:"reason"`
	RevokedAt time.Time  `json:"revokedAt"`
}

// Revocations publishes revocations. Other services store the sessions, so the sandbox stores nothing, and a repeated
// call publishes again.
type Revocations struct{ standin.Store }

// OpenRevocations opens the outbox.
func OpenRevocations(e env.Env) Revocations { return Revocations{standin.OpenStore(e)} }

// Revoke publishes that the session is revoked.
func (s Revocations) Revoke(ctx context.Context, r Revocation) error {
	revoked := event.Draft{Subject: SessionRevokedV1, OrderingKey: string(r.Session), Payload: r}
	if r.Tenant != nil {
		revoked.Tenant = *r.Tenant
	}
	err := s.DB.InTx(ctx, func(tx postgres.Tx) error { return s.Outbox.Append(ctx, tx, revoked) })
	if err != nil {
		return fmt.Errorf("revocations: revoke %s: %w", r.Session, err)
	}
	return nil
}
