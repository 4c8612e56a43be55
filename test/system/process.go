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
	"melmastoon.ghasi.io/shared/testkit/check"
)

// subprocessArgument is the argument that makes a test binary run as the system.
const subprocessArgument = "serve-test-system"

// processInput is the input of a separate process, and processOutput its first output.
type (
	processInput struct {
		Database string
		Offset   time.Duration // of its clock
	}
	processOutput struct {
		URL, Token string
		Process    int
	}
)

// Main runs a package's tests, or the system if [System.StartProcess] has started the process. A package that uses StartProcess or [Install]
// must call it from TestMain.
func Main(m *testing.M) int {
	if !slices.Equal(os.Args[1:], []string{subprocessArgument}) {
		code := m.Run()
		if folder := programs.Load(); folder != nil {
			_ = os.RemoveAll(*folder)
		}
		return code
	}
	if err := serveProcess(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serveProcess runs the system until its input is closed.
func serveProcess(in io.Reader, out io.Writer) (err error) {
	var b processInput
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
		err = json.NewEncoder(out).Encode(processOutput{URL: local.URL(), Token: token, Process: os.Getpid()})
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

// StartProcess starts a second system in a process of its own: the two share only the database. Its clock starts at the current time of
// the first. The test acts on it over HTTP only, so it has no Cloud. It ends with the test.
func (s *System) StartProcess() *System {
	s.t.Helper()
	self := check.Got(os.Executable()).Must(s.t)
	cmd := exec.Command(self, subprocessArgument)
	cmd.Stderr = &lines{to: s.Log}
	in := check.Got(cmd.StdinPipe()).Must(s.t)
	out, err := cmd.StdoutPipe()
	check.Must(s.t, err)
	check.Must(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = in.Close()
		check.NoError(s.t, cmd.Wait(), "the separate process")
	})
	deadline := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	defer deadline.Stop()
	var r processOutput
	err = json.NewEncoder(in).Encode(processInput{s.DB.URL(), s.DB.Env().Offset()})
	if err == nil {
		err = json.NewDecoder(out).Decode(&r)
	}
	check.Must(s.t, err, "the separate process does not start")
	if r.Process == os.Getpid() || !strings.HasPrefix(r.URL, "http://127.0.0.1:") {
		s.t.Fatalf("the system does not run in a separate process: %+v", r)
	}
	return &System{Caller: NewCaller(r.URL, r.Token), DB: s.DB, Log: s.Log, t: s.t}
}
