// Package idle decides when the components of an emulator are idle. Scenarios, their clean-up, the
// oracles and exploration use this package. Its durations are in durations.go.
package idle
