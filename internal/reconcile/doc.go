// Package reconcile has what the controller and the sidecar do alike. Users see
// one system: both components write the same conditions on the same objects, and
// a user must not be able to tell from the wording, the Events or the retries
// which of them has written.
//
// The package itself has the Runner, in which all reconcilers run. It fetches an
// object, walks it through its phases, and writes the status once. Its parts are in
// subpackages:
//
//   - reasons: what keeps an object from going on, as typed errors;
//   - condition: how these errors become conditions;
//   - events: how changes of conditions become Events;
//   - metrics: the metrics of both components;
//   - manager: the manager in which the reconcilers run.
package reconcile
