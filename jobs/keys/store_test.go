package keys_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/api/option"

	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/jobs/keys/secretmanager"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A secretServer answers like Secret Manager, for versions of secrets only.
type secretServer struct {
	mu      sync.Mutex
	secrets map[string][]stored
	page    int // versions per page
}

type stored struct {
	data, state string
	at          time.Time
}

func (s *secretServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, act, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/projects/hotels/secrets/"), ":")
	name, number, _ := strings.Cut(path, "/versions/")
	name = strings.TrimSuffix(name, "/versions")
	all, known := s.secrets[name]
	n, _ := strconv.Atoi(number)
	var answer any
	switch {
	case !known || n > len(all):
		http.Error(w, `{"error":{"code":404,"status":"NOT_FOUND"}}`, http.StatusNotFound)
		return
	case act == "addVersion":
		var body struct{ Payload struct{ Data string } }
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.secrets[name] = append(all, stored{data: body.Payload.Data, state: "ENABLED", at: time.Now()})
		answer = s.describe(name, len(all)+1)
	case act == "access":
		answer = map[string]any{"payload": map[string]any{"data": all[n-1].data}}
	case act == "disable":
		all[n-1].state = "DISABLED"
		answer = s.describe(name, n)
	default:
		answer = s.list(name, r.URL.Query().Get("pageToken"))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *secretServer) describe(name string, number int) map[string]any {
	v := s.secrets[name][number-1]
	return map[string]any{"name": fmt.Sprintf("projects/1/secrets/%s/versions/%d", name, number), "state": v.state, "createTime": v.at.UTC().Format(time.RFC3339Nano)}
}

// list returns a page of versions, the newest first, as Secret Manager does.
func (s *secretServer) list(name, token string) any {
	from := len(s.secrets[name])
	if token != "" {
		from, _ = strconv.Atoi(token)
	}
	var versions []any
	for n := from; n > max(0, from-s.page); n-- {
		versions = append(versions, s.describe(name, n))
	}
	next := ""
	if from > s.page {
		next = strconv.Itoa(from - s.page)
	}
	return map[string]any{"versions": versions, "nextPageToken": next}
}

// stores are the stores under test, each with an empty secret "ring", and how to disable a version of it.
func stores(t *testing.T) map[string]struct {
	store   keys.Store
	disable func(number int)
} {
	t.Helper()
	fake := &secretServer{secrets: map[string][]stored{"ring": nil}, page: 2}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	google := check.Got(secretmanager.Open(t.Context(), "hotels", option.WithEndpoint(server.URL), option.WithoutAuthentication())).Must(t)
	dir := t.TempDir()
	check.Must(t, os.Mkdir(filepath.Join(dir, "ring"), 0o700))
	return map[string]struct {
		store   keys.Store
		disable func(number int)
	}{
		"folder": {folder.Open(dir, time.Now), func(n int) { check.Must(t, os.Chmod(filepath.Join(dir, "ring", strconv.Itoa(n)), 0)) }},
		"secretmanager": {google, func(n int) {
			fake.mu.Lock()
			defer fake.mu.Unlock()
			fake.secrets["ring"][n-1].state = "DESTROYED"
		}},
	}
}

// TestStore runs the same acts on each store.
func TestStore(t *testing.T) {
	t.Parallel()
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := s.store.Versions(t.Context(), "another"); !errors.Is(err, keys.ErrNoSecret) {
				t.Errorf("versions of an unknown secret: %v, want ErrNoSecret", err)
			}
			before := time.Now().Add(-time.Second)
			for after := range 3 {
				number, err := s.store.Add(t.Context(), "ring", after, []byte(fmt.Sprint("value ", after+1)))
				if err != nil || number != after+1 {
					t.Fatalf("added version %d, %v, want %d", number, err, after+1)
				}
			}
			s.disable(1)
			versions := check.Got(s.store.Versions(t.Context(), "ring")).Must(t)
			var got []string
			for _, v := range versions {
				got = append(got, fmt.Sprint(v.Number, v.Readable))
				if v.CreatedAt.Before(before) || v.CreatedAt.After(time.Now().Add(time.Second)) {
					t.Errorf("version %d was created at %v", v.Number, v.CreatedAt)
				}
			}
			check.Equal(t, got, []string{"1 false", "2 true", "3 true"}, "versions")
			value, err := s.store.Read(t.Context(), "ring", 2)
			check.Must(t, err)
			check.Equal(t, string(value), "value 2")
			check.Got(s.store.Read(t.Context(), "ring", 9)).Fails(t, "a version that does not exist")
		})
	}
}

// TestStore_concurrently lets runs add the same version at once: one of them wins, and the others leave nothing that can be read.
func TestStore_concurrently(t *testing.T) {
	t.Parallel()
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check.Got(s.store.Add(t.Context(), "ring", 0, []byte("first"))).Must(t)
			won := make(chan bool, 8)
			var all sync.WaitGroup
			for range cap(won) {
				all.Go(func() {
					_, err := s.store.Add(t.Context(), "ring", 1, []byte("second"))
					if err != nil && !errors.Is(err, keys.ErrConflict) {
						t.Error(err)
					}
					won <- err == nil
				})
			}
			all.Wait()
			close(won)
			winners := 0
			for w := range won {
				if w {
					winners++
				}
			}
			versions := check.Got(s.store.Versions(t.Context(), "ring")).Must(t)
			readable := slices.DeleteFunc(versions, func(v keys.Version) bool { return !v.Readable })
			check.Equal(t, winners, 1)
			check.Equal(t, len(readable), 2)
		})
	}
}
