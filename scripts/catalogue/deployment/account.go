package deployment

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxAccountLength is the maximum length of a service account's id. Its database login is <id>@<project>.iam with a
// project of up to 30 letters, and PostgreSQL allows 63 bytes.
const maxAccountLength = 28

// account returns the id of the function's service account. Each function has its own account, so that it has only the
// rights that it needs. Stand-ins handle no real data, and a project allows a hundred accounts, so stand-ins of a service
// with the same stores and published events share one, whatever other services they call and events they consume.
func account(name string, d Function) string {
	if !services[d.Service].StandIn {
		return short(name)
	}
	needs := []string{d.Service}
	if d.Postgres {
		needs = append(needs, "postgres")
	}
	if d.Documents {
		needs = append(needs, "documents")
	}
	if len(d.Emits) > 0 {
		needs = append(needs, "tells")
	}
	return short(strings.Join(needs, "-"))
}

// short shortens a name to the maximum length of an account's id. A hash replaces the removed part.
func short(name string) string {
	const hash = 8
	if len(name) <= maxAccountLength {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:maxAccountLength-hash-1], "-") + "-" + hex.EncodeToString(sum[:])[:hash]
}
