package cluster

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// sweeper waits for the end of its input, which is the end of this process, and removes the folder. The server ends at the same
// time and may still write for a moment, so the script retries once.
const sweeper = `cat; rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; }`

// removeWhenGone arranges that the folder is removed when this process ends, or when the returned function is called.
func removeWhenGone(dir string) (sweep func() error, err error) {
	cmd := exec.Command("/bin/sh", "-c", sweeper, "sweeper", dir)
	cmd.Dir, cmd.Env = "/", environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not reach it
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
		runtime.KeepAlive(end) // its finalizer would close the pipe while the server is in use
	}()
	return func() error {
		_ = end.Close() // an error means that it is closed already
		if err := <-swept; err != nil {
			return err
		}
		return os.RemoveAll(dir)
	}, nil
}
