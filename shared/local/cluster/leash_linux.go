package cluster

import "syscall"

// leash has the kernel end the server with us, even when we are killed, in a way that lets it end its own children.
func leash(a *syscall.SysProcAttr) { a.Pdeathsig = immediate }

// capDACOverride lets a process pass folders that are closed to its user.
const capDACOverride = 1

// passDoors lets the server, stepped down from root, reach a folder inside root's own.
func passDoors(a *syscall.SysProcAttr) { a.AmbientCaps = []uintptr{capDACOverride} }
