//go:build !linux

package subprocess

import "syscall"

// signalStrays does nothing: only Linux shows the environment of a process.
func signalStrays(int, string, syscall.Signal) (found bool) { return false }
