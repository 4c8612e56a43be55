// Package identity says who calls: it signs and verifies identity tokens.
package identity

import (
	"context"

	"melmastoon.ghasi.io/shared/id"
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

// A Source has tokens that say who this process is. The builder of the binary gives one.
type Source interface {
	Token(ctx context.Context, audience string) (string, error)
}

// Audience is what a token for a service is made out to.
func Audience(service string) string { return "https://" + service + ".melmastoon.ghasi.io" }
