package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"melmastoon.ghasi.io/shared/local/subprocess"
)

// A folder represents the folder of one server: data/, its log, and the superuser's password.
type folder struct {
	dir      string
	who      runner
	binaries string
}

func (f folder) at(name string) string { return filepath.Join(f.dir, name) }

// prepare creates missing parts of the folder and returns the superuser's password. The data folder is created atomically:
// leftovers of an interrupted initdb are replaced.
func (f folder) prepare(ctx context.Context, durable bool) (password string, err error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return "", plainly("Cannot make the database folder: %w.", err)
	}
	if missing(f.at("data")) {
		if err := f.initialise(ctx, durable); err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(f.at("password"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %s has no password file", ErrDamaged, f.dir)
	}
	if err != nil {
		return "", plainly("The database folder belongs to another user: %w.", err)
	}
	return strings.TrimSpace(string(text)), nil
}

func (f folder) initialise(ctx context.Context, durable bool) error {
	fresh := f.at("data.new")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := f.give(fresh, f.at("password")); err != nil {
		return err
	}
	args := []string{"--pgdata=" + fresh, "--username=" + superuser, "--pwfile=" + f.at("password"),
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"}
	if !durable {
		args = append(args, "--no-sync")
	}
	var words bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(f.binaries, "initdb"), args...)
	cmd.Dir, cmd.Env, cmd.Stderr = "/", environment(), &words
	if err := f.run(cmd); err != nil {
		return plainly("Cannot make a database in %s: %w: %s.", f.dir, err, lastLine(words.Bytes()))
	}
	return os.Rename(fresh, f.at("data"))
}

// give creates the data folder and the password file, and changes their owner to the server's user.
func (f folder) give(data, password string) error {
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(password, []byte(rand.Text()+"\n"), 0o600); err != nil {
		return err
	}
	if !f.who.change {
		return nil
	}
	return errors.Join(os.Chown(data, f.who.uid, f.who.gid), os.Chown(password, f.who.uid, f.who.gid))
}

// run runs a program to its end as the server's user.
func (f folder) run(cmd *exec.Cmd) error {
	cmd.SysProcAttr = f.attributes()
	p, err := subprocess.Start(cmd)
	if err != nil {
		return err
	}
	return p.Wait()
}

// attributes returns the attributes to run a program as the server's user. It has its own process group, so that Ctrl-C at the
// terminal does not reach it before this process has drained.
func (f folder) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	endWithParent(a)
	if f.who.change {
		a.Credential = &syscall.Credential{Uid: uint32(f.who.uid), Gid: uint32(f.who.gid)}
		if !f.reachable() {
			bypassPermissions(a)
		}
	}
	return a
}

// reachable reports whether every user may traverse the path of the folder. Root's home directory, for example, is closed.
func (f folder) reachable() bool {
	for dir := f.dir; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// cleanUpTime is the timeout for ending a server that was left behind.
const cleanUpTime = 10 * time.Second

// cleanUp cleans up after a killed run: it ends a server that still runs on the data, and removes a stale postmaster.pid.
func (f folder) cleanUp(ctx context.Context) error {
	lock := f.at("data/postmaster.pid")
	text, err := os.ReadFile(lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid := number(strings.TrimSpace(first))
	if missing("/proc/self/cwd") {
		return nil // without /proc, leave the check to PostgreSQL
	}
	if pid > 0 && f.runsHere(pid) {
		if err := f.endStranger(ctx, pid); err != nil {
			return err
		}
	}
	if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// runsHere reports whether the process's working directory is the data folder, as it is for a server.
func (f folder) runsHere(pid int) bool {
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	data, err := filepath.EvalSymlinks(f.at("data"))
	return err == nil && cwd == data
}

func (f folder) endStranger(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, cleanUpTime)
	defer cancel()
	for signal := fast; f.runsHere(pid); signal = immediate {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return plainly("Another process (%d) runs the database in %s: %w.", pid, f.dir, err)
		}
		if err := f.gone(ctx, pid, cleanUpTime/2); err != nil {
			return plainly("The database server %d in %s does not end: %w.", pid, f.dir, err)
		}
	}
	return nil
}

// gone waits until the process does not run in the folder any more, or until the timeout.
func (f folder) gone(ctx context.Context, pid int, timeout time.Duration) error {
	ticker, enough := time.NewTicker(readyPause), time.After(timeout)
	defer ticker.Stop()
	for f.runsHere(pid) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-enough:
			return nil
		case <-ticker.C:
		}
	}
	return nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimRight(lines[len(lines)-1], ".")
}
