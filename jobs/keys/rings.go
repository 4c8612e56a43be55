package keys

import (
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/handoff"
)

const day = 24 * time.Hour

// settle is the time after a rollout in which instances of the previous version may still answer.
const settle = 15 * time.Minute

// A Ring is a keyring of the functions, with the limits of its rotation. Its secret holds the keys.
type Ring struct {
	Variable string        // of the functions, for example HANDOFF_KEYS
	loses    string        // what ends if a key is removed too early
	keep     time.Duration // how long values made with a key are valid after another key has become active
	maxAge   time.Duration // from which a key is too old, or 0
	unlinks  Step          // the step after which earlier pseudonyms of guests no longer match, or ""
}

// Rings are all keyrings.
var Rings = []Ring{
	{Variable: "CONSUMER_SESSION_KEYS", loses: "sessions", keep: 30 * day},
	// Only the active salt is read: with another one a tenant does not recognise its returning guests.
	{Variable: "GUEST_SALT_KEYS", unlinks: Promote},
	{Variable: "HANDOFF_KEYS", loses: "handoffs", keep: handoff.Lifetime, maxAge: 90 * day},
	{Variable: "IDEMPOTENCY_KEYS", loses: "stored answers", keep: day},
	// A session is recognised by the hash of its browser, which is stored under the active pepper at the next visit.
	{Variable: "PSEUDONYM_PEPPERS", loses: "sessions", keep: 30 * day, maxAge: 365 * day, unlinks: Remove},
	// A link is valid for two hours after its hold, and a hold lasts half an hour at most.
	{Variable: "RETURN_LINK_KEYS", loses: "return links of payments", keep: 150 * time.Minute},
	{Variable: "TENANT_SESSION_KEYS", loses: "sessions", keep: 30 * day},
	// Guests open the confirmation until 30 days after the stay, and they book up to a year ahead: 13 months of at most 31 days.
	{Variable: "VIEW_TOKEN_KEYS", loses: "links to confirmations", keep: 13 * 31 * day},
}

// Secret returns the name of the secret with the keys of the ring.
func (r Ring) Secret() string {
	return "melmastoon-" + strings.ToLower(strings.ReplaceAll(r.Variable, "_", "-"))
}

func variables() (names []string) {
	for _, r := range Rings {
		names = append(names, r.Variable)
	}
	return names
}

func ringOf(variable string) (Ring, bool) {
	i := slices.IndexFunc(Rings, func(r Ring) bool { return r.Variable == variable })
	if i < 0 {
		return Ring{}, false
	}
	return Rings[i], true
}
