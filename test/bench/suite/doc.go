// Package suite measures an emulator's speed and use of resources, as ratios to
// a baseline of the same run: machines differ and are noisy, a ratio is neither.
// Measurement and baseline take turns, and medians are compared.
//
// The program is measured as a whole, in a process of its own: its memory is the
// memory of an emulator and of nothing else. The Go benchmarks of this
// package run everything in one process, for profiles. What controller and sidecar
// cost by themselves, under load, is in package scale.
package suite
