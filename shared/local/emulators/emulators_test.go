package emulators

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"
)

const timeout = 60 * time.Second

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	t.Cleanup(cancel)
	return ctx
}

func TestServers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start func(context.Context) (*Server, error)
		http  bool
	}{
		"Firestore": {Firestore, true},
		"Pub/Sub":   {PubSub, true},
		"Redis":     {Redis, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				t.Skip("starts a server")
			}
			s, err := test.start(within(t))
			if errors.Is(err, ErrMissing) && name != "Redis" {
				t.Skip(err)
			}
			must(t, err)
			conn, err := net.Dial("tcp", s.Address())
			must(t, err)
			must(t, conn.Close())
			if test.http {
				res, err := http.Get("http://" + s.Address())
				must(t, err)
				must(t, res.Body.Close())
				if res.StatusCode != http.StatusOK {
					t.Errorf("answers %d", res.StatusCode)
				}
			}
			must(t, s.Stop())
			must(t, s.Stop())
			<-s.Done()
			if conn, err := net.Dial("tcp", s.Address()); err == nil {
				t.Error("the server still answers after Stop")
				_ = conn.Close()
			}
		})
	}
}

// script returns a program that prints and then keeps running.
func script(text string, tries *int) program {
	return program{name: "the script", ready: "ready", taken: "taken", command: func(host, port string) (*exec.Cmd, error) {
		*tries++
		return exec.Command("sh", "-c", text, "sh", host, port), nil
	}}
}

func TestStart_doesNotListen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text  string
		limit time.Duration
		want  error
		says  string
		tries int
	}{
		"its port is taken, and it stays alive":    {"echo port taken; exec sleep 600", timeout, errTaken, "the script: its port is taken", attempts},
		"it ends":                                  {"echo first; echo no memory >&2", timeout, nil, `the script: ended with output "no memory"`, 1},
		"it says nothing, and stays alive":         {"exec sleep 600", 50 * time.Millisecond, context.DeadlineExceeded, "the script: did not listen in time: context deadline exceeded", 1},
		"it prints more than anybody reads, alive": {"yes nothing | head -c 200000 | tr -d '\\n'; exec sleep 600", timeout, nil, `the script: ended with output ""`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), test.limit)
			defer cancel()
			var tries int
			_, err := script(test.text, &tries).start(ctx)
			if err == nil {
				t.Fatal("error = nil, want a value")
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v after %d tries, want %q after %d", err, tries, test.says, test.tries)
			}
			if err.Error() != test.says {
				t.Errorf("err.Error() = %q, want %q", err.Error(), test.says)
			}
			if tries != test.tries {
				t.Errorf("tries = %d, want %d", tries, test.tries)
			}
		})
	}
}

// A program whose output is not read would block on a full pipe.
func TestStart_furtherOutput(t *testing.T) {
	t.Parallel()
	var tries int
	s, err := script("echo ready; yes nothing | head -c 1000000", &tries).start(within(t))
	must(t, err)
	select {
	case <-s.Done():
	case <-time.After(timeout):
		t.Error("it is stuck")
	}
}

func TestJava_missing(t *testing.T) {
	t.Parallel()
	if path, ok := find("no-such-emulator/*.jar"); ok {
		t.Errorf("found %s", path)
	}
	_, err := java("no-such-emulator/*.jar", "google-cloud-cli-no-such-emulator", "Main")
	if !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want %v", err, ErrMissing)
	}
}
