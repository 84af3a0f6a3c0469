// Package component has the commands for components of COSI that run by themselves, on a machine or in a
// Pod: controller, sidecar, node adapter, bridge and fake driver.
package component
