// Package access says who calls, and which reservations the caller may see and change.
package access

import (
	"slices"

	"melmastoon.ghasi.io/shared/id"
)

// A Scope is the data that a caller may access: one tenant, and all its properties (nil) or some. Everything else looks
// nonexistent to the caller.
type Scope struct {
	Tenant     id.Tenant
	Properties []id.Property
}

// Allows reports whether a property is in scope.
func (s Scope) Allows(p id.Property) bool {
	return s.Properties == nil || slices.Contains(s.Properties, p)
}

// A Principal is the authenticated caller with its scope.
type Principal struct {
	Scope
	Actor Actor
	Roles []string // of staff
	Desk  bool     // a service that hotel staff use
}

// CanActAs reports whether the principal may act in the name of a. Services act for guests, desk services also for
// staff. Staff act for themselves only.
func (p Principal) CanActAs(a Actor) bool {
	if p.Actor.Type == Staff {
		return a == p.Actor
	}
	return a.Type != Staff || p.Desk
}

// ForGuest returns the actor of a change that a guest asked for. A service acts as that guest; staff remain the actor.
func (p Principal) ForGuest(g id.Guest) Actor {
	if p.Actor.Type == System {
		return Actor{Guest, Name(g.String())}
	}
	return p.Actor
}

// ActsForStaff reports whether the principal is staff, or a service that hotel staff use.
func (p Principal) ActsForStaff() bool { return p.Actor.Type == Staff || p.Desk }

// IsManager reports whether the principal is a manager. A service never is.
func (p Principal) IsManager() bool {
	return p.Actor.Type == Staff && slices.Contains(p.Roles, Manager)
}

// The staff roles that grant access. Every route requires one of them.
const (
	FrontDesk = "front_desk"
	Manager   = "manager"
)
