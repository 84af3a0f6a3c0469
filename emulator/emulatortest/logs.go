package emulatortest

import (
	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// silenceLibraries discards the logs of controller-runtime, which without a logger logs a warning
// with a stack. A logger that the program has set stays.
func silenceLibraries() {
	ctrl.SetLogger(logr.Discard())
}
