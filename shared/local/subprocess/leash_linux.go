package subprocess

import "syscall"

// leash has the kernel end the program with us, even when we are killed.
func leash(a *syscall.SysProcAttr) {
	if a.Pdeathsig == 0 {
		a.Pdeathsig = syscall.SIGKILL
	}
}
