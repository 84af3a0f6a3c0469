// Package e2e tests the control flows of the KEP end to end: with the real controller,
// real sidecars and a real API server, and with drivers that follow a script. The
// tests belong to neither room: controller and sidecar each see half of a flow.
//
// In all tests, the delay between retries is an hour. So a test times out if only a
// retry, and no watch, leads to the next step.
package e2e
