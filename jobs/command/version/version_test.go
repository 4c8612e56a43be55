package version

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestReady(t *testing.T) {
	t.Parallel()
	const passedOn = http.StatusTeapot
	ready := Ready("reservation-hold", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(passedOn) }))
	for _, test := range []struct {
		name, method, path string
		status             int
	}{
		{"get", http.MethodGet, "/-/ready", http.StatusOK},
		{"head", http.MethodHead, "/-/ready", http.StatusOK},
		{"post", http.MethodPost, "/-/ready", passedOn},
		{"another path", http.MethodGet, "/-/ready/", passedOn},
		{"the function's own path", http.MethodPost, "/api/v1/reservations/holds", passedOn},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			ready(w, httptest.NewRequest(test.method, test.path, http.NoBody))
			check.MustEqual(t, w.Code, test.status, "status")
			if test.status == passedOn {
				return
			}
			var got struct {
				Ready    bool
				Function string
				Version  struct{ API, Tree string }
			}
			check.Must(t, json.Unmarshal(w.Body.Bytes(), &got), "the answer %s", w.Body)
			if !got.Ready || got.Function != "reservation-hold" {
				t.Errorf("got %+v, want reservation-hold, ready", got)
			}
			check.Equal(t, got.Version.API, API())
			check.Equal(t, got.Version.Tree, Tree())
		})
	}
}
