// Package subprocess runs other programs as child processes, which end when this process ends for any reason.
package subprocess

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// A Process is a running program.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // result of Wait; valid after done is closed
}

// Start starts the program. If this process ends, the kernel sends the program the parent-death signal of cmd, or SIGKILL. The
// kernel sends that signal when the creating thread ends, so Start keeps an OS thread locked until the program has ended.
func Start(cmd *exec.Cmd) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	endWithParent(cmd.SysProcAttr)
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

// Done returns a channel that is closed when the program has ended for any reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the program's end and returns the result of [exec.Cmd.Wait].
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// End signals the program and waits for its end. It ignores the exit code and returns nil if the program has ended already.
func (p *Process) End(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	return nil
}

// FreeAddress returns a free address on loopback. Another program may take it before it is used, so the caller must handle that
// error.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
