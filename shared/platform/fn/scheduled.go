package fn

import (
	"context"
	"net/http"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Scheduled returns a function that the scheduler ticks. A tick may come late, twice, or while another one runs.
func Scheduled(s Spec, build func(env.Env) (Tick, error)) Function {
	return Function{Spec: s.settled(), build: func(e env.Env, s Spec) (endpoint, error) {
		g, err := newAuth(e, s)
		if err != nil {
			return nil, err
		}
		tick, err := build(e)
		return scheduledEndpoint{g, tick}, err
	}}
}

// A scheduledEndpoint is the endpoint of an opened scheduled function.
type scheduledEndpoint struct {
	auth auth
	tick Tick
}

func (s scheduledEndpoint) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	if _, err := s.auth.admit(ctx, r, c); err != nil {
		return answer{}, err
	}
	return acknowledged, again5xx(s.tick(ctx, c.began))
}
