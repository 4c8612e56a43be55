// Package emulators runs local replacements of Google's services: Google's emulators of Firestore and Pub/Sub, and a Redis
// server for Memorystore. They listen on loopback, keep data in memory, and end with this process.
package emulators

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"syscall"

	"melmastoon.ghasi.io/shared/local/subprocess"
)

// ErrMissing is wrapped by the error for a program that is not installed. The error text says how to install it.
var ErrMissing = errors.New("is not installed here")

// A Server is a running server.
type Server struct {
	address string
	process *subprocess.Process
}

// Address returns the server's address as host:port.
func (s *Server) Address() string { return s.address }

// Done returns a channel that is closed when the server has ended for any reason.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// Stop ends the server; its data is lost. It may be called twice.
func (s *Server) Stop() error { return s.process.End(syscall.SIGTERM) }

// A program describes the command of a server, and the output by which it reports that it listens or that its port is taken.
type program struct {
	name    string
	command func(host, port string) (*exec.Cmd, error)
	ready   string
	taken   string
}

// attempts is the maximum number of attempts with a free port: another program may take the port before the server listens.
const attempts = 3

var errTaken = errors.New("its port is taken")

// start starts a program and returns when it listens.
func (p program) start(ctx context.Context) (*Server, error) {
	for attempt := 1; ; attempt++ {
		s, err := p.try(ctx)
		if err == nil {
			return s, nil
		}
		if attempt == attempts || !errors.Is(err, errTaken) {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
}

func (p program) try(ctx context.Context) (*Server, error) {
	address, err := subprocess.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	cmd, err := p.command(host, port)
	if err != nil {
		return nil, err
	}
	output, words := io.Pipe()
	cmd.Stdout, cmd.Stderr = words, words
	process, err := subprocess.Start(cmd)
	if err != nil {
		return nil, err
	}
	go func() { <-process.Done(); _ = words.Close() }()
	listens := make(chan error, 1)
	go func() {
		listens <- p.listen(output)
		_, _ = io.Copy(io.Discard, output) // a full pipe would block the server
	}()
	select {
	case err = <-listens:
	case <-ctx.Done():
		err = fmt.Errorf("did not listen in time: %w", ctx.Err())
	}
	if err != nil {
		return nil, errors.Join(err, process.End(syscall.SIGKILL))
	}
	return &Server{address, process}, nil
}

// listen reads the program's output until it reports that it listens. Connecting to the port would not be reliable: if the port
// is taken, one of the emulators keeps running, and another program answers.
func (p program) listen(output io.Reader) error {
	var last string
	for lines := bufio.NewScanner(output); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.Contains(line, p.ready):
			return nil
		case strings.Contains(line, p.taken):
			return errTaken
		case strings.TrimSpace(line) != "":
			last = line
		}
	}
	return fmt.Errorf("ended with output %q", last)
}
