// Package explore tries every fault at every point of a scenario. It runs the scenario
// once without faults to list the operations at all seams. Then it runs the scenario once
// for each operation and each effect. The standing oracles and a comparison with the
// clean run judge each run. Findings are grouped, explained and shrunk to a small
// scenario.
//
// Sandboxes isolate runs. A [sandbox.Sandbox] is a control plane of its own with a controller, a
// sidecar, a driver and a store, so a crash does not disturb other runs. A sandbox is
// reused. After a run that left something behind, it is reset or replaced.
package explore
