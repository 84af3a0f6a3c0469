// Package harness is what the tests of this module share: waiting for a
// condition, listening, and processes. It imports nothing of Kubernetes, so that the tests of
// small packages link fast; package cluster has an API server.
//
// Every assertion calls [testing.TB.Helper], ends the test when it fails, and
// says what it waited for and what it saw last. A test never sleeps: it waits
// for a condition with [Eventually], for a value with [Receive], or for the end
// of all activity with [Settle].
package harness
