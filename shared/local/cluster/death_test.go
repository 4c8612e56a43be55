package cluster_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/cluster"
)

// mortal is the environment variable that makes TestMortal start a server and wait to be killed.
const mortal = "CLUSTER_TEST_MORTAL"

func TestMortal(t *testing.T) {
	if os.Getenv(mortal) == "" {
		t.Skip("plays the victim of TestTemporary_killedProcess")
	}
	c, err := cluster.Temporary(t.Context())
	must(t, err)
	fmt.Println("data:", say(t, c, `SHOW data_directory`))
	fmt.Println("pid:", say(t, c, `SELECT pg_backend_pid()::text`), say(t, c, `SHOW port`))
	<-c.Done() // it never is: the kill comes first
}

func TestTemporary_killedProcess(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
	cmd := exec.CommandContext(within(t), os.Args[0], "-test.run=^TestMortal$", "-test.v")
	cmd.Env = append(os.Environ(), mortal+"=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	data := line(t, bufio.NewScanner(out), "data: ")
	master := postmaster(t, data)
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	eventually(t, "the server has ended", func() bool { return errors.Is(syscall.Kill(master, 0), syscall.ESRCH) })
	eventually(t, "its folder is gone", func() bool { _, err := os.Stat(data); return errors.Is(err, fs.ErrNotExist) })
}

// Most callers keep only the address of a server: garbage collection of the Cluster must not end it.
func TestTemporary_garbageCollection(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
	data := func() string {
		c, err := cluster.Temporary(within(t))
		must(t, err)
		return say(t, c, `SHOW data_directory`)
	}()
	for range 3 {
		runtime.GC()
		time.Sleep(50 * time.Millisecond) // the sweeper is a process: what it does not do cannot be signalled
	}
	if _, err := os.Stat(filepath.Join(data, "global")); err != nil {
		t.Errorf("the server lost its folder: %v", err)
	}
}

func TestTemporary_stop(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
	c, err := cluster.Temporary(within(t))
	must(t, err)
	data := say(t, c, `SHOW data_directory`)
	must(t, c.Stop())
	must(t, c.Stop()) // twice is once
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", data, err)
	}
}

func line(t *testing.T, s *bufio.Scanner, prefix string) string {
	t.Helper()
	for s.Scan() {
		if rest, ok := strings.CutPrefix(s.Text(), prefix); ok {
			return rest
		}
	}
	t.Fatalf("the other process never printed %q", prefix)
	return ""
}

func postmaster(t *testing.T, data string) (pid int) {
	t.Helper()
	text, err := os.ReadFile(data + "/postmaster.pid")
	must(t, err)
	_, err = fmt.Sscan(string(text), &pid)
	must(t, err)
	return pid
}

// eventually polls a condition, because there is no notification about the end of another process's child.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticker, enough := time.NewTicker(10*time.Millisecond), time.After(20*time.Second)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-enough:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
