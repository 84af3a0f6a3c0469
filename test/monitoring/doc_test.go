// Package monitoring_test loads the alert rules and the dashboard of deploy/monitoring with Prometheus' own libraries. It
// is a module of its own, so that importers of the emulator do not need Prometheus.
package monitoring_test
