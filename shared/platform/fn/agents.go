package fn

import (
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// agents hashes user agents for the log, in services that have peppers.
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

// hash is the hash of a user agent, "" if there is none or no pepper.
func (a agents) hash(agent string) pseudonym.Hash {
	if a.peppers == nil || agent == "" {
		return ""
	}
	return a.peppers.Hash(pseudonym.UserAgent(agent))
}
