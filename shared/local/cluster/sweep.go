package cluster

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// sweeper waits for the end of its input, that is, for us to end in whatever way, and removes the folder. The
// server, ending at the same moment, may still write to it for an instant: hence the second try.
const sweeper = `cat; rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; }`

// removeWhenGone has the folder removed when this process has ended, or when the function it returns is called.
func removeWhenGone(dir string) (sweep func() error, err error) {
	cmd := exec.Command("/bin/sh", "-c", sweeper, "sweeper", dir)
	cmd.Dir, cmd.Env = "/", environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is not for it
	end, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	swept := make(chan error, 1)
	go func() {
		swept <- cmd.Wait()
		runtime.KeepAlive(end) // were it collected, it would be closed, whoever still uses the server
	}()
	return func() error {
		_ = end.Close() // closed already means swept already
		if err := <-swept; err != nil {
			return err
		}
		return os.RemoveAll(dir)
	}, nil
}
