package sidecar

import "github.com/cosi-emu/cosi-emu/internal/sidecar/connection"

// ForgetDriver removes the metrics of a driver, for processes whose drivers change. Later calls to
// the driver start new metrics.
func ForgetDriver(name string) { connection.ForgetMetrics(name) }
