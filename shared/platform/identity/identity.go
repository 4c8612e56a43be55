// Package identity authenticates callers: it signs and verifies identity tokens (decisions 76, 222). An issuer's keys are fetched
// again after five minutes, and for an unknown key id at most once per second, so a removed key expires and an invented id costs
// little. If the issuer is unavailable, known keys are used for an hour.
package identity

import (
	"context"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// An Identity is a caller whose token was verified.
type Identity struct {
	Subject    string
	Email      string // of a service
	Staff      bool   // a person at a hotel's desk
	Tenant     *id.Tenant
	Properties []id.Property
	Roles      []string
}

// A Source returns tokens that identify this process. The code that builds a binary provides one.
type Source interface {
	Token(ctx context.Context, audience string) (string, error)
}

// SourceKey is the key of the source in an Env.
var SourceKey = env.NewKey[Source]("identity token source")

// Audience returns the audience of tokens for a service.
func Audience(service string) string { return "https://" + service + ".melmastoon.ghasi.io" }
