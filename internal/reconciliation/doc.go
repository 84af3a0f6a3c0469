// Package reconciliation is for its subpackages, which are what the controller
// and the sidecar do alike. Users see one system: the two components write the
// same conditions on the same objects, and a user must not be able to tell from
// the wording, the Events or the retries which of them has spoken. So each of
// these things is there once:
//
//   - finding: what a phase finds out about an object when it cannot go on;
//   - condition: how findings become conditions;
//   - announcement: how changes of conditions become Events;
//   - retry: when an object is looked at again;
//   - metric: how metrics are added to those that are served;
//   - host: the manager in which reconcilers run.
//
// What only one of the components does is not in here.
package reconciliation
