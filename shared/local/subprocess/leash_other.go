//go:build !linux

package subprocess

import "syscall"

// leash does nothing: only Linux ends a child with its parent.
func leash(*syscall.SysProcAttr) {}
