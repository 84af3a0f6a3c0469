// Package subprocess runs a controller or a sidecar as a process of its own, at the
// seams of the emulator: its requests to the API server and its calls to the driver
// go through this process, where they are recorded and suffer faults, and a crash
// of the component is a kill -9 of the process.
//
//	emulator.Options{Implementations: emulator.Implementations{
//		Controller: child.Controller(child.Program("/usr/bin/cosi-emu", "controller")),
//	}}
//
// The process reaches the API server through a proxy on the loopback interface at a
// path that is secret, and its driver through a UNIX socket. Unlike a sidecar in this
// process, one behind such a socket does not see the connection to the driver go:
// it sees its calls fail.
package subprocess
