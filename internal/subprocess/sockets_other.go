//go:build !linux

package subprocess

// listening returns nothing, because finding a process's sockets is not portable.
func (*group) listening() []string { return nil }
