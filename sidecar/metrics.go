package sidecar

import "github.com/cosi-emu/cosi-emu/internal/sidecar/driver"

// ForgetDriver removes the metrics of a driver, for processes in which drivers
// come and go. Later calls to the driver start new metrics.
func ForgetDriver(name string) { driver.ForgetMetrics(name) }
