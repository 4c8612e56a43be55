package upstream

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// A service holds the state that all clients of one upstream share.
type service struct {
	name     string
	base     string
	audience string
	http     http.RoundTripper
	tokens   identity.Source // nil if no source is configured: then calls carry no token
	breaker  *breaker
	retries  *budget
	broken   error // configuration error
}

// openService returns the service of that name and address; all copies of an Env share it.
func openService(e env.Env, name string) *service {
	base, audience, err := configured(e, name)
	if err != nil {
		return &service{name: name, broken: err}
	}
	s, err := env.Once(e, "upstream "+name+" "+base, func() (*service, error) {
		transport, err := openTransport(e)
		tokens, _ := identity.SourceKey.Get(e)
		now := func() time.Time { return e.Now().Add(-e.Offset()) }
		return &service{name: name, base: base, audience: audience, http: transport, tokens: tokens,
			breaker: newBreaker(now), retries: newBudget()}, err
	})
	if err != nil {
		return &service{name: name, broken: err}
	}
	return s
}

// configured reads UPSTREAM_<NAME>_URL and UPSTREAM_<NAME>_AUDIENCE.
func configured(e env.Env, name string) (base, audience string, err error) {
	var c struct {
		URL      string `env:"URL,required"`
		Audience string `env:"AUDIENCE"`
	}
	prefix := "UPSTREAM_" + strings.ToUpper(name) + "_"
	if err = e.LoadPrefixed(prefix, &c); err != nil {
		return "", "", fmt.Errorf("upstream: %w", err)
	}
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", "", fmt.Errorf("upstream: %sURL is no http URL", prefix)
	}
	return strings.TrimSuffix(c.URL, "/"), cmp.Or(c.Audience, identity.Audience(name)), nil
}

// TransportKey is the key of the transport in an Env, for tests and for the local cloud.
var TransportKey = env.NewKey[http.RoundTripper]("upstream transport")

const (
	dialTimeout = time.Second
	idleTimeout = 90 * time.Second
	idlePerHost = 32
)

// openTransport returns the configured transport, or the default one that all upstreams share. The default uses no proxy from
// the environment: only configuration decides where calls go.
func openTransport(e env.Env) (http.RoundTripper, error) {
	if given, ok := TransportKey.Get(e); ok {
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
