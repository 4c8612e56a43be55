//go:build !linux

package subprocess

import "syscall"

// endWithParent does nothing: only Linux can end a child process with its parent.
func endWithParent(*syscall.SysProcAttr) {}
