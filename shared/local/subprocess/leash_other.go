//go:build !linux

package subprocess

import "syscall"

// leash does nothing: only Linux can end a child process with its parent.
func leash(*syscall.SysProcAttr) {}
