// Package process runs one function as a process of its own, below a server that is not ours: it refuses to start as
// something else, and when it is told to stop it lets the calls in flight end.
package process

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// graceTime is what calls in flight may still take: between SIGTERM and SIGKILL lie ten seconds, and closing needs some.
const (
	graceTime = 8 * time.Second
	closeTime = 1500 * time.Millisecond
)

// An Instance is a function that was opened and can be called.
type Instance struct {
	env     env.Env
	handler http.Handler
	drain   fn.Drain
}

// Start opens the function in the surroundings of the process, with the drivers that equip gives, and from then on minds
// SIGTERM. It is called where the process starts and not at its first call: what is wrongly configured is to be refused
// when it is deployed. Then it says why on standard error and ends the process.
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

// Open opens the function, unless the process was started as another one: the functions framework would serve whatever
// was registered last under a name that nobody has.
func Open(f fn.Function, e env.Env) (*Instance, error) {
	var c struct {
		Target string `env:"FUNCTION_TARGET"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	if c.Target != "" && c.Target != f.Spec.Name {
		return nil, fmt.Errorf("the entry point is %q, and this is %q", c.Target, f.Spec.Name)
	}
	h, err := f.Handler(e)
	if err != nil {
		return nil, err
	}
	i := &Instance{env: e}
	i.handler = i.drain.Count(h)
	return i, nil
}

// ServeHTTP answers one call.
func (i *Instance) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.handler.ServeHTTP(w, r) }

// End waits for the calls in flight, closes what the function opened, and returns the exit code: 0 when all that went
// well.
func (i *Instance) End(errs io.Writer) int {
	grace, cancel := context.WithTimeout(context.Background(), graceTime)
	defer cancel()
	waited := i.drain.Wait(grace)
	closing, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	closed := i.env.Close(closing)
	if waited == nil && closed == nil {
		return 0
	}
	fmt.Fprintf(errs, "{\"severity\":\"WARNING\",\"message\":%q}\n", fmt.Sprintf("stopped: calls in flight: %v, closing: %v", waited, closed))
	return 1
}

// say tells in one line that Cloud Logging understands why a function does not start.
func say(errs io.Writer, function string, err error) {
	fmt.Fprintf(errs, "{\"severity\":\"CRITICAL\",\"function\":%q,\"message\":%q}\n", function, function+" does not start: "+err.Error())
}
