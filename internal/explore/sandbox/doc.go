// Package sandbox runs scenarios with faults, each in a control plane of its own with a controller, a
// sidecar, a driver and a store. It decides when a run is over, tears down what the run made, and resets
// the sandbox for the next run.
package sandbox
