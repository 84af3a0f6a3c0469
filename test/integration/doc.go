// Package integration tests the parts of the emulator that need a control plane or a whole
// emulator, each beside real components. They share one test binary, because linking one takes
// longer than running most of these tests. Tests that need neither are beside the code.
package integration
