// Package cluster is an API server as one test uses it: a client, a namespace of the test's own, the
// component under test, and a recorder of its requests. Tests of controllers, sidecars and the
// emulator embed a [Cluster], and add their objects. Package harness has what needs no API server.
package cluster
