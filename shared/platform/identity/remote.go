package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
)

const (
	keyTimeout    = 2 * time.Second // of a fetch
	keyLifetime   = 5 * time.Minute // after which keys are fetched again, so that a removed key is rejected
	maxStaleKeys  = time.Hour       // for which keys are used if they cannot be fetched again
	fetchInterval = time.Second     // between fetches, whatever key ids callers invent
	maxKeySetSize = 1 << 20
)

// A remoteKeys has the keys at a URL. It caches them for keyLifetime, and fetches them earlier for an unknown key id, so that an
// issuer can rotate its keys without a restart of this process.
type remoteKeys struct {
	url     string
	client  *http.Client
	now     func() time.Time
	turn    chan struct{} // has a value while a caller reads or fetches the keys
	keys    jose.JSONWebKeySet
	fetched time.Time // the start of the fetch that returned the keys
	tried   time.Time // the start of the last fetch
}

// isKeyURL reports whether a text is the URL of a JWKS: with https, or with http on this machine.
func isKeyURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// get returns the current keys. For an unknown key id they are at most as old as the call.
func (s *remoteKeys) get(ctx context.Context, kid string) (jose.JSONWebKeySet, error) {
	called := s.now()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return jose.JSONWebKeySet{}, ctx.Err()
	}
	known := len(s.keys.Key(kid)) > 0
	if known && s.younger(keyLifetime) || !known && !s.fetched.Before(called) {
		return s.keys, nil
	}
	usable := known && s.younger(maxStaleKeys)
	if wait := fetchInterval - s.now().Sub(s.tried); 0 < wait && wait <= fetchInterval {
		if usable { // the last fetch failed
			return s.keys, nil
		}
		if err := env.Wait(ctx, wait); err != nil {
			return jose.JSONWebKeySet{}, err
		}
	}
	s.tried = s.now()
	keys, err := s.fetch(ctx)
	if err == nil {
		s.keys, s.fetched = keys, s.tried
	} else if !usable {
		return keys, fmt.Errorf("identity: keys of %s: %w", s.url, err)
	}
	return s.keys, nil
}

// younger reports whether the keys were fetched less than a duration ago. The clock may be moved back.
func (s *remoteKeys) younger(d time.Duration) bool {
	age := s.now().Sub(s.fetched)
	return 0 <= age && age < d
}

func (s *remoteKeys) fetch(ctx context.Context) (set jose.JSONWebKeySet, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, http.NoBody)
	if err != nil {
		return set, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return set, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return set, fmt.Errorf("status %d", response.StatusCode)
	}
	err = json.UnmarshalRead(io.LimitReader(response.Body, maxKeySetSize), &set)
	set.Keys = slices.DeleteFunc(set.Keys, func(k jose.JSONWebKey) bool { return !k.IsPublic() })
	return set, err
}
