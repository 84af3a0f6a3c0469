//go:build !linux

package subprocess

// listening returns nothing: there is no portable way to find the sockets of a process.
func (*group) listening() []string { return nil }
