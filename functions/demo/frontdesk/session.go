package frontdesk

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Roles that a clerk can log in with.
const (
	clerk   = "front_desk"
	manager = "manager"
)

var roles = []string{clerk, manager}

// Roles lists the roles.
func (View) Roles() []string { return roles }

const tokenCookie = "staff"

// A session is what the token of staff says. The site does not verify the token: every service that it is sent to does.
type session struct {
	Tenant     id.Tenant     `json:"tenant_id"`
	Properties []id.Property `json:"property_ids"`
	Roles      []string      `json:"roles"`
	ExpiresAt  int64         `json:"exp"`
	token      string
}

// readSession returns the session of a token, or the zero session if the token is unreadable or has expired.
func readSession(token string, now time.Time) (s session) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return s
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(claims, &s) != nil || len(s.Properties) != 1 || now.Unix() >= s.ExpiresAt {
		return session{}
	}
	s.token = token
	return s
}

func (s session) property() id.Property { return s.Properties[0] }

// LogIn begins a session at a property and redirects to the page of today.
func (c *Clerk) LogIn(ctx context.Context, p id.Property, role string) fn.Page {
	token, err := c.site.hotels.token(ctx, p, role)
	if err != nil {
		return c.ToLogin(err)
	}
	to := c.To("", nil)
	to.Reply = to.Reply.Keep(c.browser.Cookie(tokenCookie, token, Home))
	return to
}

// token returns a token of staff with that role at a property. An unknown role is that of a clerk.
func (h hotels) token(ctx context.Context, p id.Property, role string) (string, error) {
	hotel, err := h.Get(ctx, p)
	if err != nil {
		return "", err
	}
	if !slices.Contains(roles, role) {
		role = clerk
	}
	in := map[string]any{"tenantId": hotel.Tenant, "propertyIds": []id.Property{p}, "roles": []string{role}, "subject": "usr_demo_" + role}
	var out struct {
		Token string `json:"token"`
	}
	if err := h.iam.Post(ctx, "/staff-tokens", in, &out); err != nil {
		return "", fmt.Errorf("frontdesk: token for %s: %w", p, err)
	}
	return out.Token, nil
}
