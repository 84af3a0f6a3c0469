// Package subprocess runs a controller, a sidecar or a driver as a process of its own at the seams
// of the emulator. The process reaches the API server through a proxy, which is the api seam, and
// its driver through a UNIX socket, which is the rpc seam. A crash of the component is a kill -9 of
// the process.
//
// The proxy listens on the loopback interface at a secret path. When the connection to a driver
// breaks, the connection of the process breaks, too.
//
// A driver also runs without an API server and without a seam, for the conformance suite.
package subprocess
