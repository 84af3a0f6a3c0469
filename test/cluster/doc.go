// Package cluster is an API server as one test uses it: a client, a namespace of the test's own,
// and a recorder of a component's requests. Package harness has what needs no API server.
package cluster
