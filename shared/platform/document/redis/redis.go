// Package redis stores hot documents in Redis (Memorystore), for deployments that need its lower latency.
//
//	{prefix}{collection}/{key}   hash: v value · n number · r version · e end
//
// Each change is one script, which Redis runs atomically. Scripts compare versions and times as fixed-length text, because Lua's
// numbers are floats. In addition to the expiry that every reader checks, a key has a time to live, so that Redis deletes it.
// Redis may lose recent writes when it fails; hot documents may be lost.
package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	sdk "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Store is a document.Store on a Redis server.
type Store struct{ env env.Env }

var _ document.Store = (*Store)(nil)

// Open returns the store on the environment's server. It connects on first use.
func Open(e env.Env) *Store { return &Store{e} }

// where configures the server.
type where struct {
	URL    string `env:"REDIS_URL,required"` // redis://host:port/database, or rediss://:password@host:port/database with TLS
	CA     string `env:"REDIS_CA"`           // PEM of the only trusted authorities; if it is empty, the system's
	Prefix string `env:"REDIS_PREFIX,default=hot:"`
}

// A server is a client and its key prefix.
type server struct {
	prefix string
	client *sdk.Client
}

func (s *Store) server() (*server, error) {
	return env.Once(s.env, "redis", func() (*server, error) {
		var w where
		if err := s.env.Load(&w); err != nil {
			return nil, fmt.Errorf("redis: %w", err)
		}
		options, err := w.options()
		if err != nil {
			return nil, fmt.Errorf("redis: %w", err)
		}
		options.ContextTimeoutEnabled = true
		options.MaxRetries, options.DialerRetries = -1, 1 // no retries: a write may have succeeded
		logging.Disable()                                 // callers get these errors anyway
		client := sdk.NewClient(options)
		s.env.OnClose(func(context.Context) error { return client.Close() })
		return &server{w.Prefix, client}, nil
	})
}

// options returns the client's options. Its errors never contain the URL, which may contain a password.
func (w where) options() (*sdk.Options, error) {
	o, err := sdk.ParseURL(w.URL)
	switch {
	case err != nil:
		return nil, errors.New("REDIS_URL is not of the form redis://host:port/database or rediss://:password@host:port/database")
	case w.CA == "":
		return o, nil
	case o.TLSConfig == nil:
		return nil, errors.New("REDIS_CA is set, but REDIS_URL does not begin with rediss://")
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM([]byte(w.CA)) {
		return nil, errors.New("REDIS_CA contains no certificate")
	}
	o.TLSConfig = vouchedBy(authorities)
	return o, nil
}

// vouchedBy trusts every server with a certificate from the authorities, without checking its host name. Each Memorystore server
// has its own authority, and a certificate without a host name that Go accepts.
func vouchedBy(authorities *x509.CertPool) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // would check the name; VerifyConnection checks the rest
		VerifyConnection: func(c tls.ConnectionState) error {
			between := x509.NewCertPool()
			for _, issuer := range c.PeerCertificates[1:] {
				between.AddCert(issuer)
			}
			_, err := c.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: authorities, Intermediates: between})
			return err
		},
	}
}

func (s *server) key(n document.Name) string { return s.prefix + n.Collection + "/" + n.ID }

// Get reads all records in one round trip.
func (s *Store) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	at, err := s.server()
	if err != nil {
		return nil, err
	}
	hashes := make([]*sdk.SliceCmd, len(names))
	_, err = at.client.Pipelined(ctx, func(p sdk.Pipeliner) error {
		for i, n := range names {
			hashes[i] = p.HMGet(ctx, at.key(n), "v", "n", "r", "e")
		}
		return nil
	})
	if err != nil {
		return nil, outage(ctx, err)
	}
	found := make([]*document.Record, len(names))
	for i, h := range hashes {
		r, err := read(h.Val())
		if err != nil {
			return nil, err
		}
		if r != nil && now.Before(r.ExpiresAt) {
			found[i] = r
		}
	}
	return found, nil
}

// Create stores the record unless a live one exists.
func (s *Store) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	return s.store(ctx, createScript, now, name, r)
}

// Put stores the record unless a live one with the same or a larger version exists.
func (s *Store) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	return s.store(ctx, putScript, now, name, r)
}

// Delete removes the key.
func (s *Store) Delete(ctx context.Context, name document.Name) error {
	at, err := s.server()
	if err != nil {
		return err
	}
	return outage(ctx, at.client.Del(ctx, at.key(name)).Err())
}

// Add adds in one script.
func (s *Store) Add(ctx context.Context, now time.Time, name document.Name, n int64, until time.Time) (int64, error) {
	at, err := s.server()
	if err != nil {
		return 0, err
	}
	sum, err := addScript.Run(ctx, at.client, []string{at.key(name)}, instant(now), instant(until), left(now, until), n).Int64()
	return sum, outage(ctx, err)
}

func (s *Store) store(ctx context.Context, script *sdk.Script, now time.Time, name document.Name, r document.Record) (bool, error) {
	at, err := s.server()
	if err != nil {
		return false, err
	}
	stored, err := script.Run(ctx, at.client, []string{at.key(name)},
		instant(now), instant(r.ExpiresAt), left(now, r.ExpiresAt), r.Number, ordered(r.Version), r.Value).Bool()
	return stored, outage(ctx, err)
}
