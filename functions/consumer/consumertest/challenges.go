package consumertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
)

// FakeChallenges is a fake challenge service. A response that begins with "good" passes once, one that begins with "old" has
// expired, and any other fails.
type FakeChallenges struct {
	Calls    atomic.Int64
	Behavior atomic.Pointer[http.HandlerFunc] // instead of an outcome, if set
	used     atomic.Pointer[string]
	server   *httptest.Server
}

// OpenFakeChallenges starts the fake service.
func OpenFakeChallenges(t testing.TB) *FakeChallenges {
	t.Helper()
	f := &FakeChallenges{}
	m := http.NewServeMux()
	m.HandleFunc("POST /verifications", f.verify)
	f.server = httptest.NewServer(m)
	t.Cleanup(f.server.Close)
	return f
}

// Around returns the environment with the URL of the challenge service added.
func (f *FakeChallenges) Around(e env.Env) env.Env {
	return e.With("UPSTREAM_CHALLENGE_URL", f.server.URL)
}

func (f *FakeChallenges) verify(w http.ResponseWriter, r *http.Request) {
	f.Calls.Add(1)
	if behave := f.Behavior.Load(); behave != nil {
		(*behave)(w, r)
		return
	}
	var in struct {
		Response string `json:"response"`
	}
	if err := json.UnmarshalRead(r.Body, &in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	outcome := "failed"
	switch {
	case strings.HasPrefix(in.Response, "old"), f.used.Load() != nil && *f.used.Load() == in.Response:
		outcome = "expired"
	case strings.HasPrefix(in.Response, "good"):
		outcome = "passed"
		f.used.Store(&in.Response)
	}
	_ = json.MarshalWrite(w, map[string]string{"outcome": outcome})
}
