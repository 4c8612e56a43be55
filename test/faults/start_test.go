package faults

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestStart_refused breaks what the local cloud stands on.
func TestStart_refused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the local cloud as a program")
	}
	taken := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	t.Cleanup(func() { taken.Close() }) // after the subtests, which are parallel
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for name, test := range map[string]struct {
		spoil func(local string) error
		args  []string
		want  string
	}{
		"port taken":       {nil, []string{"--port=" + port}, "Port " + port + " is taken"},
		"secret damaged":   {write("secret", "{"), nil, "--fresh"},
		"database damaged": {write("postgres/data/global/pg_control", "nothing"), nil, "--fresh"},
		"data half gone":   {remove("postgres/password"), nil, "--fresh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := system.Install(t)
			p.Start()
			p.End(syscall.SIGTERM)
			if test.spoil != nil {
				check.Must(t, test.spoil(p.Local()))
			}
			words, err := p.Fail(test.args...)
			if err == nil {
				t.Fatal("it started")
			}
			if !strings.Contains(words, test.want) || strings.Count(strings.TrimSpace(words), "\n") > 0 {
				t.Errorf("it says %q, want one line with %q", words, test.want)
			}
			p.Start("--fresh") // the way out that it names
			p.End(syscall.SIGINT)
		})
	}
}

func write(name, text string) func(string) error {
	return func(local string) error { return os.WriteFile(filepath.Join(local, name), []byte(text), 0o600) }
}

func remove(name string) func(string) error {
	return func(local string) error { return os.Remove(filepath.Join(local, name)) }
}

// TestStart_movedClock moves the one clock of a program that has run before.
func TestStart_movedClock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the local cloud as a program")
	}
	p := system.Install(t)
	p.Start()
	b := p.Book(system.Usual())
	check.MustEqual(t, p.State(b), "held")
	p.End(syscall.SIGINT)
	p.Start("--clock=+31m")
	check.Equal(t, p.State(b), "expired_hold", "31 minutes later")
	p.End(syscall.SIGINT)
	p.Start()
	check.Equal(t, p.State(b), "expired_hold", "after another start")
	p.End(syscall.SIGTERM)
}
