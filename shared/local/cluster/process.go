package cluster

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"melmastoon.ghasi.io/shared/local/subprocess"
)

// The signals that end a server.
const (
	fast      = syscall.SIGINT  // roll back transactions and flush data
	immediate = syscall.SIGQUIT // without cleanup
)

// A process is a running server.
type process struct {
	*subprocess.Process
	once  sync.Once
	after func() error // called once by end after the process has ended
}

// end signals the process and waits for its end. It ignores the exit code.
func (p *process) end(signal syscall.Signal) (err error) {
	if err := p.End(signal); err != nil {
		return err
	}
	p.once.Do(func() {
		if p.after != nil {
			err = p.after()
		}
	})
	return err
}

// environment returns the server's environment variables. They do not include the caller's.
func environment() []string { return []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=/usr/bin:/bin"} }

func (f folder) launch(port int, c Config) (*process, error) {
	log, err := os.OpenFile(f.at("log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(f.binaries, "postgres"), arguments(f.at("data"), port, c)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = "/", environment(), log, log
	cmd.SysProcAttr = f.attributes()
	p, err := subprocess.Start(cmd)
	if err != nil {
		return nil, err
	}
	return &process{Process: p}, nil
}

func arguments(data string, port int, c Config) []string {
	settings := []string{
		"listen_addresses=127.0.0.1", "port=" + strconv.Itoa(port),
		"unix_socket_directories=", // no socket file, which could collide or be left behind
		"max_connections=" + strconv.Itoa(cmp.Or(c.Connections, 300)), "shared_buffers=128MB", "jit=off", "timezone=UTC", "log_timezone=UTC",
		"max_wal_size=256MB", "wal_level=minimal", "max_wal_senders=0", "log_min_messages=warning",
	}
	if !c.Durable {
		settings = append(settings, "fsync=off", "full_page_writes=off", "synchronous_commit=off", "autovacuum=off")
	}
	args := []string{"-D", data}
	for _, s := range append(settings, c.Settings...) {
		args = append(args, "-c", s)
	}
	return args
}

// failure returns an error with the reason from the log for which the server ended during startup.
func (c *Cluster) failure() error {
	text, err := os.ReadFile(c.logPath())
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte("Address already in use")) {
		return plainly("The database's port %d is in use by another program: %w.", c.port, errPortTaken)
	}
	why := complaint(text)
	if slices.ContainsFunc(machines, func(words string) bool { return strings.Contains(why, words) }) {
		return plainly("The database server in %s does not start: %s.", c.dir, why)
	}
	return fmt.Errorf("%w: the server in %s says %q", ErrDamaged, c.dir, why)
}

// machines lists parts of messages about problems of the machine, which a new folder would not solve.
var machines = []string{"shared memory", "Permission denied", "No space left", "Cannot allocate"}

// complaint returns the first error message in a log, or its last line.
func complaint(log []byte) string {
	for line := range bytes.Lines(log) {
		for _, level := range []string{"FATAL: ", "PANIC: ", "ERROR: "} {
			if _, words, ok := bytes.Cut(line, []byte(level)); ok {
				return string(bytes.TrimSpace(words))
			}
		}
	}
	return lastLine(log)
}
