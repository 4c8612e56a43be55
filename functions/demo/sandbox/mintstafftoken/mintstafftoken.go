// Package mintstafftoken signs a token for a person of a hotel's staff.
package mintstafftoken

import (
	"context"
	"regexp"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/iam"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/iam/v1/staff-tokens.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-mintstafftoken",
	Route:   "POST /sandbox/iam/v1/staff-tokens",
	Answer:  fn.Created,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const (
	maxProperties = 50
	maxRoles      = 3
)

// subject is the form of a person's id. It excludes e-mail addresses and names with spaces.
var subject = regexp.MustCompile(`^[a-z]+_[0-9A-Za-z_-]{1,64}$`)

// A Request is the person, the roles, and the properties where they apply.
type Request struct {
	Tenant     id.Tenant     `json:"tenantId"`
	Properties []id.Property `json:"propertyIds"`
	Roles      []iam.Role    `json:"roles"`
	Subject    string        `json:"subject"`
}

// Validate rejects lists that are empty or too long, and a subject that is no id.
func (r *Request) Validate() error {
	seen := map[id.Property]bool{}
	for _, p := range r.Properties {
		seen[p] = true
	}
	switch {
	case len(r.Properties) == 0 || len(r.Properties) > maxProperties || len(seen) < len(r.Properties):
		return standin.Refuse("/propertyIds", "list", "Name 1 to 50 properties, each once.")
	case len(r.Roles) == 0 || len(r.Roles) > maxRoles:
		return standin.Refuse("/roles", "count", "Must list 1 to 3 roles.")
	case !subject.MatchString(r.Subject):
		return standin.Refuse("/subject", "form", "Must be an id like usr_desk.")
	}
	return nil
}

// A Response is the token and its expiry.
type Response struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	staff, err := iam.OpenStaff(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		token, expires, err := staff.Token(ctx, iam.Member{Tenant: c.In.Tenant, Properties: c.In.Properties, Roles: c.In.Roles, Subject: c.In.Subject})
		return Response{Token: token, ExpiresAt: expires}, err
	}, err
}
