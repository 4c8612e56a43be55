package access

import (
	"fmt"
	"strings"

	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/freetext"
)

// A Role is the kind of an actor.
type Role string

// The roles.
const (
	Guest  Role = "guest"
	Staff  Role = "staff"
	System Role = "system"
)

// UnmarshalText rejects an unknown role.
func (r *Role) UnmarshalText(text []byte) error { return service.OneOf(r, text, Guest, Staff, System) }

// An Actor identifies the person or service that acted.
type Actor struct {
	Type Role `json:"type"`
	ID   Name `json:"id"`
}

// A Name is a caller's own id of a person. Decoding scrubs it.
type Name string

const maxActorName = 200

// UnmarshalText rejects an empty name and a name longer than 200 bytes.
func (n *Name) UnmarshalText(text []byte) error {
	name := freetext.Scrub(string(text))
	if strings.TrimSpace(name) == "" || len(text) > maxActorName {
		return fmt.Errorf("does not have 1 to %d bytes", maxActorName)
	}
	*n = Name(name)
	return nil
}
