//go:build !linux

package cluster

import "syscall"

// leash does nothing: only Linux ends a child with its parent. A server left behind is found by the next start.
func leash(*syscall.SysProcAttr) {}

// passDoors does nothing: the folder must be where the server's user can reach it.
func passDoors(*syscall.SysProcAttr) {}
