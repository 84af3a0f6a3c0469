package controller

import cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"

// ForgetDriver removes what was measured of a driver, for processes in which
// drivers come and go. What ends of its objects afterwards is measured anew.
func ForgetDriver(name string) { cosimetrics.ForgetDriver(name) }
