// Package cloud is the local cloud: on one loopback address it replaces the load balancer, the message bus, the
// scheduler and the identity service of production. Functions run unchanged.
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

	"melmastoon.ghasi.io/scripts/serve/console"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// drainTime is how long a request in flight may take after shutdown begins: ten seconds, as on Cloud Run.
const drainTime = 10 * time.Second

// A Config holds the functions of a cloud and their environment.
type Config struct {
	Env       env.Env // with a migrated database in DATABASE_URL; its values override the local defaults
	Functions []fn.Function
	Listener  net.Listener // of the front server
	Secret    Secret       // of this machine
	Log       io.Writer    // the functions' log; nil is standard output
	Schedules bool         // whether schedules run; tests call Tick

	Messages   func(env.Env) (Messages, error)              // opens the message bus; nil is the bus on PostgreSQL
	Mount      func(fn.Function) (http.Handler, error)      // returns a handler for a function in another process; nil runs it in this process
	Middleware func(fn.Function, http.Handler) http.Handler // wraps each function of this process; nil wraps nothing

	Jobs    console.Jobs                  // of the operators, for the console
	Owner   string                        // URL of a database login that reads all rows, for the console; "" if it shows no stored data
	ReadLog func() (io.ReadCloser, error) // the functions' log, for the console; may be nil
}

// Messages is a message bus that can also list its messages.
type Messages interface {
	topic.Publisher
	Subscribe(context.Context, []topic.Subscription) error
	Run(context.Context) error
	Last(context.Context) (int64, error)
	Tail(ctx context.Context, after int64, f func(bus.Stored) error) error
}

// A Cloud runs functions until it is closed.
type Cloud struct {
	url       string
	env       env.Env
	bus       Messages
	functions []fn.Function
	issuer    *signing.Issuer
	console   *console.Console
	server    *http.Server
	life      context.Context    // of pushes, schedules and streams
	halt      context.CancelFunc // cancels life
	running   *errgroup.Group
}

// readTimeout bounds a whole request, also to the console. Functions have shorter deadlines.
const readTimeout = time.Minute

// maxHeader bounds URL and headers of a request, as load balancers do.
const maxHeader = 64 << 10

// Start mounts the functions behind one front server, creates their subscriptions and begins to serve.
func Start(ctx context.Context, c Config) (*Cloud, error) {
	url := "http://" + c.Listener.Addr().String()
	issuer := signing.NewIssuer(c.Env, c.Secret.key("identity"))
	calls := &console.Calls{}
	if c.Log != nil {
		c.Log = io.MultiWriter(c.Log, calls)
	}
	e := settle(c, issuer, url)
	b, err := c.open(e)
	if err != nil {
		return nil, fmt.Errorf("cloud: messages: %w", err)
	}
	e = topic.PublisherKey.With(e, b)
	l := &Cloud{url: url, env: e, bus: b, functions: c.Functions, issuer: issuer}
	l.life, l.halt = context.WithCancel(context.Background())
	l.console = console.New(l.life, console.Config{Env: e, Functions: c.Functions, Messages: b, Calls: calls, Tick: l.Tick, Jobs: c.Jobs, Owner: c.Owner, Log: c.ReadLog})
	front, err := l.frontDoor(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := b.Subscribe(ctx, l.Subscriptions()); err != nil {
		return nil, fmt.Errorf("cloud: subscribe: %w", err)
	}
	l.server = &http.Server{Handler: front, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: readTimeout, IdleTimeout: time.Minute, MaxHeaderBytes: maxHeader}
	l.run(c)
	return l, nil
}

func (c Config) open(e env.Env) (Messages, error) {
	if c.Messages != nil {
		return c.Messages(e)
	}
	return bus.Open(e, postgres.Open(e, "bus")), nil
}

// run starts the background work. The first failure ends all of it, and Wait returns the error.
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
	group.Go(func() error { // ends the others when Close is called or one of them has failed
		<-own.Done()
		c.halt()
		c.console.Wait()
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

// URL returns the address of the front server, without a trailing slash.
func (c *Cloud) URL() string { return c.url }

// Issuer returns the issuer of this cloud's identity tokens.
func (c *Cloud) Issuer() *signing.Issuer { return c.issuer }

// Env returns the functions' Env.
func (c *Cloud) Env() env.Env { return c.env }

// Messages returns the message bus.
func (c *Cloud) Messages() Messages { return c.bus }

// Wait waits until everything has stopped, and returns the first error.
func (c *Cloud) Wait() error { return c.running.Wait() }

// Close stops the background work, then the front server, then the clients. Requests in flight may finish.
func (c *Cloud) Close() error {
	c.halt()
	stopped := c.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	return errors.Join(stopped, c.env.Close(ctx))
}

// drain closes the front server after at most drainTime.
func (c *Cloud) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := c.server.Shutdown(ctx); err != nil {
		return errors.Join(err, c.server.Close())
	}
	return nil
}

// Subscriptions returns the subscriptions of all functions.
func (c *Cloud) Subscriptions() (all []topic.Subscription) {
	for _, f := range c.functions {
		if f.Spec.Subject != "" {
			all = append(all, f.Subscription(c.url))
		}
	}
	return all
}
