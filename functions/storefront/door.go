package storefront

import (
	"context"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
)

// HTTP makes a page, or an act of a guest that leads to one. Anybody may come: who they are, the booking service decides.
func HTTP[In any](s fn.Spec, build func(env.Env) (fn.Serve[In, fn.Page], error)) fn.Function {
	type act = func(context.Context, fn.Nothing, fn.Call[In]) (fn.Page, error)
	return fn.HTTP(s, fn.Open, func(e env.Env) (act, error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, _ fn.Nothing, c fn.Call[In]) (fn.Page, error) { return serve(ctx, c) }, nil
	})
}
