// Package subprocess runs other programs as children of this one: each is waited for, and ends with us in whatever way we end.
package subprocess

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// A Process is a program that runs.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // how it ended; to be read after done
}

// Start starts the program. The kernel takes a child on a leash along when the thread that made it goes, and Go's
// threads come and go: hence a thread that stays until the child has ended. It ends by SIGKILL, unless cmd names another
// signal for that.
func Start(cmd *exec.Cmd) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	leash(cmd.SysProcAttr)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Done is closed when the program has ended, whoever ended it.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the program's end and returns how it ended.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// End signals the program and waits for its end. An end that was asked for is no error, whatever the exit code, and one that has
// ended already is none.
func (p *Process) End(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	return nil
}

// FreeAddress is one on loopback where nobody listens. Until it is used another program may be quicker, so whoever
// gives it to a child must notice when the child cannot have it.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
