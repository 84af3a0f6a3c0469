// Package e2e proves the control flows of the KEP from end to end: the real
// controller, real sidecars and a real API server, with drivers that can be told
// how to behave. It has only tests, which belong to neither room: controller and
// sidecar each see half of a flow.
//
// In all of them the delay between retries is an hour. A step that is reached
// only because somebody has tried again never comes, so every wait that a watch
// should have ended shows up as a test that times out.
package e2e
