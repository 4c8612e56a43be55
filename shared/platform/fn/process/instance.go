// Package process runs one function as a process below a server that is not ours. It checks at start that the process was
// deployed for this function, and drains calls in flight on SIGTERM.
package process

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// graceTime bounds the drain: ten seconds lie between SIGTERM and SIGKILL, and closing needs some of them.
const (
	graceTime = 8 * time.Second
	closeTime = 1500 * time.Millisecond
	pollTime  = 10 * time.Millisecond // between two looks for calls in flight
)

// An Instance is an opened function.
type Instance struct {
	env     env.Env
	handler http.Handler
	running atomic.Int64 // calls in flight
}

// Start opens the function with the environment of the process and the drivers that equip adds, and handles SIGTERM from then
// on. It runs at process start and not at the first call, so that a wrong configuration fails the deployment. Then it writes the
// reason to standard error and ends the process.
func Start(f fn.Function, equip func(env.Env) env.Env) http.HandlerFunc {
	i, err := Open(f, equip(env.System()))
	if err != nil {
		say(os.Stderr, f.Spec.Name, err)
		os.Exit(1)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		os.Exit(i.End(os.Stderr))
	}()
	return i.ServeHTTP
}

// Open opens the function. It returns an error if the process was started with another entry point, because the functions
// framework would serve the last registered function for an unknown name.
func Open(f fn.Function, e env.Env) (*Instance, error) {
	var c struct {
		Target string `env:"FUNCTION_TARGET"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	if c.Target != "" && c.Target != f.Spec.Name {
		return nil, fmt.Errorf("entry point %q does not match function %q", c.Target, f.Spec.Name)
	}
	h, err := f.Handler(e)
	if err != nil {
		return nil, err
	}
	return &Instance{env: e, handler: h}, nil
}

// ServeHTTP serves one call. A call ends when its answer was flushed: otherwise the server would send a short answer only after
// ServeHTTP has returned, when End no longer waits for it.
func (i *Instance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.running.Add(1)
	defer i.running.Add(-1)
	i.handler.ServeHTTP(w, r)
	_ = http.NewResponseController(w).Flush() // the caller may have left
}

// drain returns nil when no call is in flight, or the context's error. Calls that begin meanwhile are still served and waited
// for, because the load balancer may send a few last ones. The functions framework itself exits without waiting for its calls.
func (i *Instance) drain(ctx context.Context) error {
	for i.running.Load() > 0 {
		if err := env.Wait(ctx, pollTime); err != nil {
			return err
		}
	}
	return nil
}

// End waits for the calls in flight, closes everything the function opened, and returns the exit code: 0 on success.
func (i *Instance) End(errs io.Writer) int {
	grace, cancel := context.WithTimeout(context.Background(), graceTime)
	defer cancel()
	waited := i.drain(grace)
	closing, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	closed := i.env.Close(closing)
	if waited == nil && closed == nil {
		return 0
	}
	fmt.Fprintf(errs, "{\"severity\":\"WARNING\",\"message\":%q}\n", fmt.Sprintf("stopped: calls in flight: %v, closing: %v", waited, closed))
	return 1
}

// say writes one line for Cloud Logging with the reason why a function does not start.
func say(errs io.Writer, function string, err error) {
	fmt.Fprintf(errs, "{\"severity\":\"CRITICAL\",\"function\":%q,\"message\":%q}\n", function, function+" does not start: "+err.Error())
}
