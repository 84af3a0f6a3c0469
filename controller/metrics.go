package controller

import cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"

// ForgetDriver removes the metrics of a driver, for processes whose drivers change. Later
// operations on its objects start new metrics.
func ForgetDriver(name string) { cosimetrics.ForgetDriver(name) }
