// Package reconcile contains the code that the controller and the sidecar share. Users see one
// system: both components write the same conditions on the same objects, and neither wording,
// Events nor retries should reveal which of them has written.
//
// The package itself has the Runner for all reconcilers, which fetches an object, walks it through
// its phases, and writes the status once. The subpackages are:
//
//   - reasons: typed errors for the obstacles of an object;
//   - condition: how these errors become conditions;
//   - volumes: accesses that Pods use in volumes;
//   - events: how changes of conditions become Events;
//   - metrics: the metrics of both components;
//   - manager: the manager in which the reconcilers run.
package reconcile
