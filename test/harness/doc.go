// Package harness has the helpers that the tests of this module share: they wait
// for conditions, listen, and run processes. It imports nothing of Kubernetes, so that the tests of
// small packages link fast; package cluster has an API server.
//
// Every assertion calls [testing.TB.Helper], ends the test when it fails, and
// reports the awaited condition and the last state. A test never sleeps: it waits
// for a condition with [Eventually], for a value with [Receive], or for the end
// of all activity with [Settle].
package harness
