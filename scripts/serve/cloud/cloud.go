// Package cloud is the local cloud: on one loopback address, what the load balancer, the message bus, the
// scheduler and the identity service are in production. The functions do not know the difference.
package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// drainTime is how long a request in flight may still take after the cloud was told to stop: Cloud Run's own ten seconds.
const drainTime = 10 * time.Second

// A Config says what to run and on what.
type Config struct {
	Env       env.Env // a migrated database in DATABASE_URL; whatever else it names wins over the local defaults
	Functions []fn.Function
	Listener  net.Listener // where the front server listens
	Secret    Secret       // of this machine
	Log       io.Writer    // where the functions log; nil is standard output
	Schedules bool         // whether schedules fire by themselves; a test ticks by hand

	Messages func(env.Env) (Messages, error)              // opens what carries events; nil is the bus on Postgres
	Mount    func(fn.Function) (http.Handler, error)      // leads to a function that runs elsewhere; nil opens it in this process
	Witness  func(fn.Function, http.Handler) http.Handler // stands before each function that is opened here; nil is nobody
}

// Messages carries events from those who publish to those who subscribe, and shows them to whoever looks on.
type Messages interface {
	topic.Publisher
	Subscribe(context.Context, []topic.Subscription) error
	Run(context.Context) error
	Last(context.Context) (int64, error)
	Tail(ctx context.Context, after int64, f func(bus.Stored) error) error
}

// A Cloud runs every function it was given until it is closed.
type Cloud struct {
	url       string
	env       env.Env
	bus       Messages
	functions []fn.Function
	issuer    *identity.Issuer
	server    *http.Server
	life      context.Context    // of what works by itself: pushes, schedules, streams
	halt      context.CancelFunc // ends it
	running   *errgroup.Group
}

// readTimeout bounds a whole request, also one to the console. Functions have shorter deadlines of their own.
const readTimeout = time.Minute

// Start mounts the functions behind one front server, subscribes what listens, and begins to serve.
func Start(ctx context.Context, c Config) (*Cloud, error) {
	url := "http://" + c.Listener.Addr().String()
	issuer := identity.NewIssuer(c.Env, c.Secret.key("identity"))
	e := settle(c, issuer, url)
	b, err := c.open(e)
	if err != nil {
		return nil, fmt.Errorf("cloud: messages: %w", err)
	}
	e = env.Give[topic.Publisher](e, b)
	l := &Cloud{url: url, env: e, bus: b, functions: c.Functions, issuer: issuer}
	l.life, l.halt = context.WithCancel(context.Background())
	front, err := l.frontDoor(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := b.Subscribe(ctx, l.Subscriptions()); err != nil {
		return nil, fmt.Errorf("cloud: subscribe: %w", err)
	}
	l.server = &http.Server{Handler: front, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: readTimeout, IdleTimeout: time.Minute}
	l.run(c)
	return l, nil
}

func (c Config) open(e env.Env) (Messages, error) {
	if c.Messages != nil {
		return c.Messages(e)
	}
	return bus.Open(e, postgres.Open(e, "bus")), nil
}

// run starts what works by itself. The first to fail ends the others; Wait tells why.
func (c *Cloud) run(cfg Config) {
	group, own := errgroup.WithContext(c.life)
	c.running = group
	group.Go(func() error { return unlessHalted(own, c.bus.Run(own)) })
	group.Go(func() error {
		if err := c.server.Serve(cfg.Listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("cloud: front server: %w", err)
		}
		return nil
	})
	group.Go(func() error { // Close asks for it, or another part has broken: then the others end too
		<-own.Done()
		c.halt()
		return c.drain()
	})
	if cfg.Schedules {
		group.Go(func() error { return unlessHalted(own, c.keepSchedules(own)) })
	}
}

func unlessHalted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// URL is where the front server listens, without a slash at its end.
func (c *Cloud) URL() string { return c.url }

// Issuer signs the identity tokens of this cloud.
func (c *Cloud) Issuer() *identity.Issuer { return c.issuer }

// Env is what the functions were told by their surroundings.
func (c *Cloud) Env() env.Env { return c.env }

// Messages is what carries events here.
func (c *Cloud) Messages() Messages { return c.bus }

// Wait returns when everything has ended, with the reason when something broke.
func (c *Cloud) Wait() error { return c.running.Wait() }

// Close lets what is in flight finish and stops: first what begins work by itself, then the front server, then the clients.
func (c *Cloud) Close() error {
	c.halt()
	stopped := c.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	return errors.Join(stopped, c.env.Close(ctx))
}

// drain closes the front server. What is in flight then has its time, and no more.
func (c *Cloud) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := c.server.Shutdown(ctx); err != nil {
		return errors.Join(err, c.server.Close())
	}
	return nil
}

// Subscriptions are those of all functions that hear something.
func (c *Cloud) Subscriptions() (all []topic.Subscription) {
	for _, f := range c.functions {
		if f.Spec.Subject != "" {
			all = append(all, f.Subscription(c.url))
		}
	}
	return all
}
