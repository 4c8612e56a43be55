package subprocess_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/subprocess"
)

const timeout = 20 * time.Second

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mortal is the environment variable that makes TestMortal start a child process and wait to be killed.
const mortal = "CHILD_TEST_MORTAL"

func TestMortal(t *testing.T) {
	if os.Getenv(mortal) == "" {
		t.Skip("plays the victim of TestStart_killedParent")
	}
	cmd := exec.Command("sleep", "600")
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "the other end")}
	p, err := subprocess.Start(cmd)
	must(t, err)
	_, err = os.NewFile(3, "the other end").WriteString("!")
	must(t, err)
	<-p.Done() // the kill comes first
}

// Reading the pipe returns EOF when neither the victim nor its child process holds the other end.
func TestStart_killedParent(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	must(t, err)
	must(t, read.SetReadDeadline(time.Now().Add(timeout)))
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMortal$")
	process.Env = append(os.Environ(), mortal+"=1")
	process.ExtraFiles = []*os.File{write}
	must(t, process.Start())
	must(t, write.Close())
	_, err = read.Read(make([]byte, 1))
	must(t, err)
	must(t, process.Process.Kill())
	_ = process.Wait() // it was killed
	if _, err := read.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the child of a killed process still runs: got %v, want EOF", err)
	}
}

func TestEnd_twice(t *testing.T) {
	t.Parallel()
	p, err := subprocess.Start(exec.Command("sleep", "600"))
	must(t, err)
	select {
	case <-p.Done():
		t.Fatal("the process has ended before End")
	default:
	}
	must(t, p.End(syscall.SIGTERM))
	must(t, p.End(syscall.SIGTERM))
	<-p.Done()
}

func TestStart_missingProgram(t *testing.T) {
	t.Parallel()
	if _, err := subprocess.Start(exec.Command("/nowhere/to/be/found")); err == nil {
		t.Error("Start of a missing program: got no error")
	}
}

func TestFreeAddress(t *testing.T) {
	t.Parallel()
	var taken error
	for range 3 { // another process may take an address in the meantime
		address, err := subprocess.FreeAddress()
		must(t, err)
		l, err := net.Listen("tcp", address)
		if err == nil {
			must(t, l.Close())
			return
		}
		taken = err
	}
	t.Errorf("none of three addresses is free: %v", taken)
}
