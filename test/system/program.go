package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Program is the local cloud in a process and folder of its own, which a test can end in any way.
type Program struct {
	t      testing.TB
	binary string
	dir    string
	caller atomic.Pointer[Caller]
	cmd    *exec.Cmd
}

// Install prepares a folder for the local cloud and builds its program, once for all tests of a package. The program ends with the
// test. A package that calls Install must call [Main] from TestMain.
func Install(t testing.TB) *Program {
	t.Helper()
	folder := check.Got(built()).Must(t)
	p := &Program{t: t, binary: filepath.Join(folder, program), dir: t.TempDir()}
	t.Cleanup(func() {
		if p.cmd != nil {
			p.End(syscall.SIGKILL)
		}
	})
	return p
}

// startup is the time that the local cloud may take to start. The emulators are two Java programs, and other tests run beside them.
const startup = 2 * time.Minute

// program is the name of the local cloud's binary.
const program = "serve"

// built returns the folder of the local cloud's program. [Main] deletes it.
var built = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "program"); err != nil {
		return "", err
	}
	programs.Store(&folder)
	build := exec.Command("go", "build", "-o", filepath.Join(folder, program), "melmastoon.ghasi.io/scripts/serve")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the local cloud: %w: %s", err, out)
	}
	return folder, nil
})

// programs is the folder of the local cloud's program, nil if no test has built it.
var programs atomic.Pointer[string]

// Start starts the program on a free port with args, and returns when it reports that it runs.
func (p *Program) Start(args ...string) {
	p.t.Helper()
	p.cmd = exec.Command(p.binary, append([]string{"--port=0"}, args...)...)
	p.cmd.Dir, p.cmd.Stderr = p.dir, os.Stderr
	out := check.Got(p.cmd.StdoutPipe()).Must(p.t)
	check.Must(p.t, p.cmd.Start())
	ready := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "Ctrl-C stops it.") {
				ready <- true
				break
			}
		}
		close(ready)
		_, _ = io.Copy(io.Discard, out) // a full pipe would block the program
	}()
	select {
	case ok := <-ready:
		if !ok {
			p.t.Fatal("the local cloud ended during startup")
		}
	case <-time.After(startup):
		p.t.Fatal("the local cloud does not start")
	}
	env := p.env()
	caller := NewCaller(env["BASE_URL"], env["TOKEN"])
	p.caller.Store(&caller)
}

// End signals the program and waits for its end. It fails the test if a graceful shutdown fails, or if the database server
// still runs afterwards.
func (p *Program) End(signal syscall.Signal) {
	p.t.Helper()
	check.NoError(p.t, p.cmd.Process.Signal(signal))
	err := p.cmd.Wait()
	p.cmd = nil
	if signal != syscall.SIGKILL && err != nil {
		p.t.Errorf("ended by %s: %v", signal, err)
	}
	p.databaseIsGone()
}

// databaseIsGone waits for the database server, which the kernel ends with its parent process.
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
			p.t.Fatal("the database server still runs after the program's end")
		case <-look.C:
		}
	}
}

// env reads the environment file that the program writes for other tools.
func (p *Program) env() map[string]string {
	p.t.Helper()
	text := check.Got(os.ReadFile(filepath.Join(p.dir, ".local", "env"))).Must(p.t)
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		env[name] = strings.Trim(value, "'")
	}
	return env
}

// database returns the URL of the program's database for the superuser.
func (p *Program) database() string {
	p.t.Helper()
	u := check.Got(url.Parse(p.env()["DATABASE_URL"])).Must(p.t)
	password := check.Got(os.ReadFile(filepath.Join(p.dir, ".local", "postgres", "password"))).Must(p.t)
	u.User = url.UserPassword("postgres", strings.TrimSpace(string(password)))
	return u.String()
}

// Guest starts a booking.
func (p *Program) Guest(w Wish) *Booking { return Guest(w, time.Now()) }

// Do sends a request to the running program.
func (p *Program) Do(ctx context.Context, r Request) (Answer, error) {
	return p.caller.Load().Do(ctx, r)
}

// Settle waits until nothing is in flight and fails the test unless all invariants hold. It calls the relays meanwhile, which the
// program itself calls every minute.
func (p *Program) Settle() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*timeout)
	defer cancel()
	conn := check.Got(pgx.Connect(ctx, p.database())).Must(p.t)
	defer conn.Close(context.WithoutCancel(ctx))
	check.Must(p.t, relayUntilQuiet(ctx, conn, p.tick, func() int { return 0 }))
	breaches := check.Got(settled(ctx, conn)).Must(p.t)
	for _, b := range breaches {
		p.t.Error(b)
	}
}

// tick calls a scheduled function as the scheduler does.
func (p *Program) tick(ctx context.Context, name string) error {
	a, err := p.Do(ctx, Request{Method: http.MethodPost, Path: "/internal/ticks/" + name})
	if err == nil && a.Status >= http.StatusMultipleChoices {
		err = fmt.Errorf("tick of %s: %d %s", name, a.Status, a.Body)
	}
	return err
}

// Local returns the program's folder.
func (p *Program) Local() string { return filepath.Join(p.dir, ".local") }

// Fail starts the program where it cannot run, and returns its output and the error of its exit.
func (p *Program) Fail(args ...string) (words string, err error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, append([]string{"--port=0"}, args...)...)
	cmd.Dir = p.dir
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		p.t.Fatalf("the program neither runs nor ends: %s", text)
	}
	return string(text), err
}

// Book quotes and holds rooms.
func (p *Program) Book(w Wish) *Booking {
	p.t.Helper()
	b := p.Guest(w)
	check.Must(p.t, b.LearnQuote(p.must(http.StatusCreated, b.QuoteRequest(Key()))))
	check.Must(p.t, b.LearnHold(p.must(http.StatusCreated, b.HoldRequest(Key()))))
	return b
}

// State returns the state of a reservation.
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
