// Package oracle judges a run of COSI. It reads the journal, the Kubernetes objects and the state
// of the backend, and finds violations of invariants. The invariants hold in every scenario, with
// every fault and every user action.
//
// [Judge] is a pure function over an input that can be stored, so that current oracles can judge
// old runs. Package watch collects the input of a run on an emulator, package evidence reads it, and
// package checks has the check of each oracle.
package oracle
