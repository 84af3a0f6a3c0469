package emulatortest

import (
	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// silenceLibraries discards the logs of controller-runtime, unless the program has set a logger:
// without one, it logs a warning with a stack.
func silenceLibraries() {
	ctrl.SetLogger(logr.Discard()) // a logger that was set before stays
}
