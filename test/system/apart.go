package system

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/platform/env"
)

// apart is the argument that makes a test binary run as the system.
const apart = "apart"

// A beginning is the input of a separate process, and running is its first output.
type (
	beginning struct {
		Database string
		Offset   time.Duration // of its clock
	}
	running struct {
		URL, Token string
		Process    int
	}
)

// Main runs a package's tests, or the system if [System.Apart] has started the process. A package that uses Apart or [Install]
// must call it from TestMain.
func Main(m *testing.M) int {
	if !slices.Equal(os.Args[1:], []string{apart}) {
		code := m.Run()
		if folder := programs.Load(); folder != nil {
			_ = os.RemoveAll(*folder)
		}
		return code
	}
	if err := serveApart(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serveApart runs the system until its input is closed.
func serveApart(in io.Reader, out io.Writer) (err error) {
	var b beginning
	order := bufio.NewReader(in)
	line, err := order.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &b)
	}
	if err != nil {
		return err
	}
	e := env.Of(map[string]string{"DATABASE_URL": b.Database})
	e.Advance(b.Offset)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	local, err := cloud.Start(context.Background(), cloud.Config{Env: e, Functions: melmastoon.Functions, Listener: listener, Secret: make(cloud.Secret, 32), Log: os.Stderr})
	if err != nil {
		return err
	}
	token, err := local.Token()
	if err == nil {
		err = json.NewEncoder(out).Encode(running{URL: local.URL(), Token: token, Process: os.Getpid()})
	}
	if err == nil {
		_, err = io.Copy(io.Discard, order)
	}
	if closed := local.Close(); err == nil {
		err = closed
	}
	return err
}

// Lines is a writer that passes on complete lines.
type lines struct {
	to   io.Writer
	rest []byte
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if _, err := l.to.Write(append(slices.Clip(line), '\n')); err != nil {
			return 0, err
		}
		l.rest = rest
	}
}

// Apart starts a second system in a process of its own: the two share only the database. Its clock starts at the current time of
// the first. The test acts on it over HTTP only, so it has no Cloud. It ends with the test.
func (s *System) Apart() *System {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(self, apart)
	cmd.Stderr = &lines{to: s.Log}
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("the separate process: %v", err)
		}
	})
	deadline := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	defer deadline.Stop()
	var r running
	err = json.NewEncoder(in).Encode(beginning{s.DB.URL(), s.DB.Env().Offset()})
	if err == nil {
		err = json.NewDecoder(out).Decode(&r)
	}
	if err != nil {
		s.t.Fatalf("the separate process does not start: %v", err)
	}
	if r.Process == os.Getpid() || !strings.HasPrefix(r.URL, "http://127.0.0.1:") {
		s.t.Fatalf("the system does not run in a separate process: %+v", r)
	}
	return &System{Caller: NewCaller(r.URL, r.Token), DB: s.DB, Log: s.Log, t: s.t}
}
