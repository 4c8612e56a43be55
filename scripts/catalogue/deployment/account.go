package deployment

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxAccountLength is how long the id of a service account may be, less two: its login to the database is <id>@<project>.iam, a
// project may have 30 letters too, and PostgreSQL takes 63.
const maxAccountLength = 28

// account is the service account that a function runs as: one of its own, so that it may do what it needs and nothing else. The
// stand-ins handle nobody's data, and a project has room for a hundred accounts only: those with the same needs share one.
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
	if len(d.Publishes) > 0 {
		needs = append(needs, "tells")
	}
	if d.Event != nil {
		needs = append(needs, "hears")
	}
	return short(strings.Join(append(needs, d.Upstreams...), "-"))
}

// short cuts a name to what an account may be called. What is cut off is told apart by a hash.
func short(name string) string {
	const hash = 8
	if len(name) <= maxAccountLength {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:maxAccountLength-hash-1], "-") + "-" + hex.EncodeToString(sum[:])[:hash]
}
