package cluster

import "syscall"

// endWithParent makes the kernel signal the server when this process ends, even if it is killed. The signal lets the server end its
// own child processes.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = immediate }

// capDACOverride is the capability to bypass permission checks of folders.
const capDACOverride = 1

// bypassPermissions lets a server with dropped root privileges reach a folder inside root's home directory.
func bypassPermissions(a *syscall.SysProcAttr) { a.AmbientCaps = []uintptr{capDACOverride} }
