// Package emulators runs what stands for Google's services on one machine: Google's own emulators of Firestore and
// Pub/Sub, and a Redis server for Memorystore. They listen on loopback, keep everything in memory, and end with us.
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

// ErrMissing is behind the error of a program that is not installed. The error says how to get it.
var ErrMissing = errors.New("is not installed here")

// A Server is one that runs and answers.
type Server struct {
	address string
	process *subprocess.Process
}

// Address is where it listens, as host:port.
func (s *Server) Address() string { return s.address }

// Done is closed when it has ended, whoever ended it.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// Stop ends it; what it kept is gone. It may be called twice.
func (s *Server) Stop() error { return s.process.End(syscall.SIGTERM) }

// A program is how a server is started, and what it prints when it listens and when it cannot.
type program struct {
	name    string
	command func(host, port string) (*exec.Cmd, error)
	ready   string
	taken   string
}

// attempts bounds how often a free port is looked for: between finding and using it another program may be quicker.
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
		_, _ = io.Copy(io.Discard, output) // it may never block on what it prints
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

// listen reads what the program prints until it says that it listens. To ask at its port would not do: if that is taken,
// one of the emulators stays alive all the same, and a stranger answers.
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
	return fmt.Errorf("it has ended, saying %q", last)
}
