package emulatortest

import (
	"sync"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// silenceLibraries discards the logs of controller-runtime, which without a logger logs a warning
// with a stack. A logger that the program has set stays. Emulators of parallel tests call it at the same time.
var silenceLibraries = sync.OnceFunc(func() { ctrl.SetLogger(logr.Discard()) })
