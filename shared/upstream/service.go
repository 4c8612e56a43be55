package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/identity"
)

// A service is what all clients of one upstream share.
type service struct {
	name     string
	base     string
	audience string
	http     http.RoundTripper
	tokens   identity.Source // nil where the surroundings have none: the call goes out unsigned
	breaker  *gobreaker.CircuitBreaker[struct{}]
	retries  *budget
	broken   error // what is wrong with its configuration
}

// openService returns the one service of that name and address in this family of surroundings.
func openService(e env.Env, name string) *service {
	base, audience, err := configured(e, name)
	if err != nil {
		return &service{name: name, broken: err}
	}
	s, err := env.Once(e, "upstream "+name+" "+base, func() (*service, error) {
		transport, err := openTransport(e)
		tokens, _ := env.Given[identity.Source](e)
		return &service{name: name, base: base, audience: audience, http: transport, tokens: tokens,
			breaker: newBreaker(name), retries: newBudget()}, err
	})
	if err != nil {
		return &service{name: name, broken: err}
	}
	return s
}

// configured reads UPSTREAM_<NAME>_URL and UPSTREAM_<NAME>_AUDIENCE.
func configured(e env.Env, name string) (base, audience string, err error) {
	prefix := "UPSTREAM_" + strings.ToUpper(name)
	if base, err = load(e, prefix+"_URL,required"); err != nil {
		return "", "", fmt.Errorf("upstream: %w", err)
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", "", fmt.Errorf("upstream: %s_URL is no http URL", prefix)
	}
	audience, err = load(e, prefix+"_AUDIENCE,default="+identity.Audience(name))
	return strings.TrimSuffix(base, "/"), audience, err
}

// load reads one variable whose name is only known now, which a struct's tag cannot say.
func load(e env.Env, tag string) (string, error) {
	one := reflect.New(reflect.StructOf([]reflect.StructField{{
		Name: "Value", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`env:"` + tag + `"`),
	}}))
	if err := e.Load(one.Interface()); err != nil {
		return "", err
	}
	return one.Elem().Field(0).String(), nil
}

const (
	tripAfter  = 5               // failures in a row
	probeAfter = 4 * time.Second // then one call may try again
)

func newBreaker(name string) *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: name, MaxRequests: 1, Timeout: probeAfter,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsExcluded: func(err error) bool { // our caller left, or came late: that says nothing of them
			_, late := errors.AsType[*overtaken](err)
			return late || errors.Is(err, context.Canceled)
		},
	})
}

const (
	dialTimeout = time.Second
	idleTimeout = 90 * time.Second
	idlePerHost = 32
)

// openTransport returns the transport that was given, else the one that all upstreams share. It knows no proxy: where
// calls go is configuration's to say and nobody else's.
func openTransport(e env.Env) (http.RoundTripper, error) {
	if given, ok := env.Given[http.RoundTripper](e); ok {
		return given, nil
	}
	return env.Once(e, "upstream", func() (http.RoundTripper, error) {
		t := &http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout: dialTimeout, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: idlePerHost, IdleConnTimeout: idleTimeout,
		}
		e.OnClose(func(context.Context) error { t.CloseIdleConnections(); return nil })
		return t, nil
	})
}
