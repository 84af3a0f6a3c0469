package controller

import "github.com/cosi-emu/cosi-emu/controller/internal/operation"

// ForgetDriver removes what was measured of a driver, for processes in which
// drivers come and go. What ends of its objects afterwards is measured anew.
func ForgetDriver(name string) { operation.Forget(name) }
