// Package harness is what the tests of this module share: waiting for a
// condition, an API server as one test uses it, a recorder of a component's
// requests, and processes.
//
// Every assertion calls [testing.TB.Helper], ends the test when it fails, and
// says what it waited for and what it saw last. A test never sleeps: it waits
// for a condition with [Eventually], for a value with [Receive], or for the end
// of all activity with [Settle].
package harness
