// Package helm_test installs the chart of a user with Helm's own library on both control planes, and checks the chart
// in deploy. It is a module of its own, so that importers of the emulator do not need Helm.
package helm_test
