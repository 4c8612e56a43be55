package system

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Program is the local cloud as a process of its own, with a folder of its own, that can be ended in any way.
type Program struct {
	t      testing.TB
	binary string
	dir    string
	caller atomic.Pointer[Caller]
	cmd    *exec.Cmd
}

// Install builds the local cloud. It ends with the test.
func Install(t testing.TB) *Program {
	t.Helper()
	p := &Program{t: t, dir: t.TempDir()}
	p.binary = filepath.Join(p.dir, "serve")
	build := exec.Command("go", "build", "-o", p.binary, "melmastoon.ghasi.io/scripts/serve")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		if p.cmd != nil {
			p.End(syscall.SIGKILL)
		}
	})
	return p
}

// Start starts the program on any free port, with args, and returns when it says that it runs.
func (p *Program) Start(args ...string) {
	p.t.Helper()
	p.cmd = exec.Command(p.binary, append([]string{"--port=0"}, args...)...)
	p.cmd.Dir, p.cmd.Stderr = p.dir, os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ready := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "Ctrl-C stops it.") {
				ready <- true
				break
			}
		}
		close(ready)
		_, _ = io.Copy(io.Discard, out) // it may never block on what it prints
	}()
	select {
	case ok := <-ready:
		if !ok {
			p.t.Fatal("the local cloud has ended instead of starting")
		}
	case <-time.After(timeout):
		p.t.Fatal("the local cloud does not start")
	}
	env := p.env()
	caller := NewCaller(env["BASE_URL"], env["TOKEN"])
	p.caller.Store(&caller)
}

// End signals the program, waits for its end, and fails the test when an orderly end was asked for and did not come,
// or when the database outlives it.
func (p *Program) End(signal syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.t.Error(err)
	}
	err := p.cmd.Wait()
	p.cmd = nil
	if signal != syscall.SIGKILL && err != nil {
		p.t.Errorf("ended by %s: %v", signal, err)
	}
	p.databaseIsGone()
}

// databaseIsGone waits for the server that the kernel takes along with its master.
func (p *Program) databaseIsGone() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		conn, err := pgx.Connect(ctx, p.database())
		if err != nil && ctx.Err() == nil {
			return
		}
		if err == nil {
			_ = conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			p.t.Fatal("the database outlives the program")
		case <-look.C:
		}
	}
}

// env reads what the program leaves for other tools.
func (p *Program) env() map[string]string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, ".local", "env"))
	if err != nil {
		p.t.Fatal(err)
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		env[name] = strings.Trim(value, "'")
	}
	return env
}

// database is where the superuser finds the program's database.
func (p *Program) database() string {
	p.t.Helper()
	u, err := url.Parse(p.env()["DATABASE_URL"])
	if err != nil {
		p.t.Fatal(err)
	}
	password, err := os.ReadFile(filepath.Join(p.dir, ".local", "postgres", "password"))
	if err != nil {
		p.t.Fatal(err)
	}
	u.User = url.UserPassword("postgres", strings.TrimSpace(string(password)))
	return u.String()
}

// Guest begins a booking.
func (p *Program) Guest(w Wish) *Booking { return Guest(w, time.Now()) }

// Do sends a request to the program as it runs now.
func (p *Program) Do(ctx context.Context, r Request) (Answer, error) {
	return p.caller.Load().Do(ctx, r)
}

// relayed is the time in which the relay, ticked every minute, has certainly told everything.
const relayed = 2 * time.Minute

// Settle waits until nothing is in flight and fails the test unless everything adds up.
func (p *Program) Settle() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), relayed)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.database())
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := quiet(ctx, conn, func() int { return 0 }); err != nil {
		p.t.Fatal(err)
	}
	breaches, err := settled(ctx, conn)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, b := range breaches {
		p.t.Error(b)
	}
}

// Local is the program's own folder.
func (p *Program) Local() string { return filepath.Join(p.dir, ".local") }

// Fail starts the program where it cannot run and returns what it says, and an error if it ended as it should.
func (p *Program) Fail(args ...string) (words string, err error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, append([]string{"--port=0"}, args...)...)
	cmd.Dir = p.dir
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		p.t.Fatalf("it neither runs nor ends: %s", text)
	}
	return string(text), err
}

// Book quotes and holds rooms.
func (p *Program) Book(w Wish) *Booking {
	p.t.Helper()
	b := p.Guest(w)
	if err := b.LearnQuote(p.must(http.StatusCreated, b.QuoteRequest(Key()))); err != nil {
		p.t.Fatal(err)
	}
	if err := b.LearnHold(p.must(http.StatusCreated, b.HoldRequest(Key()))); err != nil {
		p.t.Fatal(err)
	}
	return b
}

// State reads where a reservation stands.
func (p *Program) State(b *Booking) string {
	p.t.Helper()
	var view struct{ State string }
	p.must(http.StatusOK, b.ReadRequest()).Into(p.t, &view)
	return view.State
}

func (p *Program) must(status int, r Request) Answer {
	p.t.Helper()
	a, err := p.Do(p.t.Context(), r)
	if err != nil || a.Status != status {
		p.t.Fatalf("%s %s: %d %s %v, want %d", r.Method, r.Path, a.Status, a.Body, err, status)
	}
	return a
}
