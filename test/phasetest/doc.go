// Package phasetest runs one phase of a reconciler for one object, against an API server
// in this process, and compares the outcome. There is no fake client: objects are
// validated, versions conflict, and caches are behind as they are on a cluster.
//
// A package has one [Suite], which names the kinds that its component watches, and the
// indexes of its cache. A test is a table. Each entry is a [Case], which has a namespace
// and a cache of its own, so that cases run in parallel and nothing has to be removed:
//
//	c := suite.New(t)
//	claim := newClaim(c, ...)
//	c.Make(newClass(c), claim)                     // before the phase, and in the cache
//	c.Behind(func() { c.Make(bucket) })            // before the phase, and not in the cache
//	c.Before("patch buckets", func() { ... })      // between two requests of the phase
//	c.Reject("get buckets", http.StatusForbidden)  // the API server fails
//	r := &Reconciler{Client: c.Client(), Live: c.Live(), Recorder: c.Recorder(), ...}
//	runner := phasetest.Walk(r.Runner(), newAttempt, []phase{(*attempt).bind})
//	got := phasetest.Run(c, runner, claim)
//
// [RunTable] does so for the entries of a table. [Connect] connects a reconciler to a
// driver.
//
// The [Outcome] has the writes of the phase and its calls of the driver in their order, the
// changes, the conditions and the Events. It uses the names of the table: the suffixes
// that make names unique, namespaces and UIDs are replaced, as [Case.Name] describes.
//
// The API server is embedded, and is reached without TLS and HTTP. With
// COSI_EMU_TEST_CONTROL_PLANE=envtest the same tables have kube-apiserver as their judge.
package phasetest
