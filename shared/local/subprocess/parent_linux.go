package subprocess

import "syscall"

// endWithParent makes the kernel end the program when this process ends, even if it is killed.
func endWithParent(a *syscall.SysProcAttr) {
	if a.Pdeathsig == 0 {
		a.Pdeathsig = syscall.SIGKILL
	}
}
