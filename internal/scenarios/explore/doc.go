// Package explore tries every fault at every point of a scenario: it runs the
// scenario once to list the operations at all seams, then once more for each of
// them and each effect that it can suffer, and judges each run by the standing
// oracles and by comparison with the clean one. What it finds is grouped, explained
// and shrunk to a scenario that a person reads.
//
// Runs are kept apart by sandboxes: a [sandbox] is a control plane of its own with a
// controller, a sidecar, a driver and a store, so that a crash disturbs nobody else.
// A sandbox is used for one run after the other, and is cleaned, or thrown away, after
// one that has left something.
package explore
