package upstream

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"
)

// first sends the first attempt. If the response of a read is slow, it sends a hedged second request. hedged is the number of
// extra requests.
func (c *Client) first(ctx context.Context, call *call) (hedged int, err error) {
	if c.policy.HedgeAfter <= 0 || !call.read {
		return 0, c.try(ctx, call)
	}
	r := newRace(ctx, c, call)
	defer r.end()
	r.send()
	timer := time.NewTimer(c.policy.HedgeAfter)
	defer timer.Stop()
	for {
		select {
		case one := <-r.back:
			if r.running--; answered(one.err) || r.running == 0 {
				return hedged, one.into(call)
			}
		case <-timer.C:
			if c.retries.spend() {
				r.send()
				hedged++
			}
		}
	}
}

// answered reports whether the service sent a response, including a refusal.
func answered(err error) bool {
	_, refused := errors.AsType[*refusal](err)
	return err == nil || refused
}

// A race is a call that may have two requests in flight.
type race struct {
	client  *Client
	call    *call
	ctx     context.Context
	cancel  context.CancelFunc
	legs    sync.WaitGroup
	running int
	back    chan leg
}

// A leg is the result of one of its requests. Each decodes into its own value, because both may end at once.
type leg struct {
	out any
	err error
}

func newRace(ctx context.Context, c *Client, call *call) *race {
	r := &race{client: c, call: call, back: make(chan leg, 2)}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

func (r *race) send() {
	own := *r.call
	if own.out != nil {
		own.out = reflect.New(reflect.TypeOf(r.call.out).Elem()).Interface()
	}
	r.running++
	r.legs.Go(func() { r.back <- leg{own.out, r.client.try(r.ctx, &own)} })
}

// end cancels the requests in flight and waits for them, so that no goroutine outlives the call.
func (r *race) end() {
	r.cancel()
	r.legs.Wait()
}

// into copies the response to the call.
func (l leg) into(call *call) error {
	if l.err == nil && l.out != nil {
		reflect.ValueOf(call.out).Elem().Set(reflect.ValueOf(l.out).Elem())
	}
	return l.err
}
