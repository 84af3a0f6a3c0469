// Package oracle judges what COSI components have done on an emulator: your controller, sidecar or
// driver, or the emulator's own. An oracle is an invariant that holds in every run, with every fault and
// every user action: nothing leaks, nothing is lost, conditions are true at rest, nothing is done once all
// is done. docs/scenarios.md describes each.
//
// [Watch] judges a test. A program uses [Start], [Run.Observe] and [Run.Findings]. Everything that happens
// on the emulator in the meantime counts, so that two runs need two emulators.
package oracle
