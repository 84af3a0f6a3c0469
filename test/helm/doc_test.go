// Package helm_test installs a chart with Helm's own library on both control planes. It is a module
// of its own, so that importers of the emulator do not need Helm.
package helm_test
