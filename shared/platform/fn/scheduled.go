package fn

import (
	"context"
	"net/http"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Scheduled returns a function that the scheduler ticks. A tick may come late, twice, or while another one runs.
func Scheduled(s Spec, build func(env.Env) (Tick, error)) Function {
	return Function{Spec: s.settled(), build: func(e env.Env, _ Spec) (endpoint, error) {
		tick, err := build(e)
		return tick, err
	}}
}

// act makes a Tick the endpoint of its function.
func (t Tick) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	if _, err := c.admit(ctx, r); err != nil {
		return answer{}, err
	}
	return acknowledged, again5xx(t(ctx, c.began))
}
