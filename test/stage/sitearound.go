package stage

import (
	"io"
	"net"
	"net/http"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/env"
)

// Beside starts the system once more on the same database, as another process would: the two share nothing but what is
// stored. Its clock is where the first one's is now.
func (s *Stage) Beside() *Stage {
	s.t.Helper()
	e := env.Of(map[string]string{"DATABASE_URL": s.DB.URL()})
	e.Advance(s.DB.Env().Offset())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	local, err := cloud.Start(s.t.Context(), cloud.Config{Env: e, Functions: melmastoon.Functions, Listener: listener, Secret: make(cloud.Secret, 32), Log: io.Discard})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := local.Close(); err != nil {
			s.t.Error(err)
		}
	})
	token, err := local.Token()
	if err != nil {
		s.t.Fatal(err)
	}
	return &Stage{Caller: NewCaller(local.URL(), token), DB: s.DB, Cloud: local, Issuer: local.Issuer(), t: s.t}
}

// A Wire carries what the functions ask each other, and lets a test decide what becomes of it.
type Wire func(*http.Request) (*http.Response, error)

// RoundTrip is http.RoundTripper's.
func (w Wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }
