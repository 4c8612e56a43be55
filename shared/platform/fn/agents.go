package fn

import (
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// agents hashes user agents for the log, if the service has peppers configured.
type agents struct{ peppers *pseudonym.Peppers }

func openAgents(e env.Env) (a agents, err error) {
	var c struct {
		Peppers string `env:"PSEUDONYM_PEPPERS"`
	}
	if err := e.Load(&c); err != nil || c.Peppers == "" {
		return a, err
	}
	peppers, err := secrets.Peppers(e)
	return agents{&peppers}, err
}

// hash returns the hash of a user agent, or "" if there is no user agent or no pepper.
func (a agents) hash(agent string) pseudonym.Hash {
	if a.peppers == nil || agent == "" {
		return ""
	}
	return a.peppers.Hash(pseudonym.UserAgent(agent))
}
