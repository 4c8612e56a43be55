//go:build !linux

package cluster

import "syscall"

// endWithParent does nothing: only Linux can end a child process with its parent. The next start ends a server that was left behind.
func endWithParent(*syscall.SysProcAttr) {}

// bypassPermissions does nothing: the server's user must be able to reach the folder.
func bypassPermissions(*syscall.SysProcAttr) {}
