package emulatortest

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// unset is klog's logger as long as the program has set none.
var unset = klog.Background()

// silenceLibraries discards the logs of libraries, unless the program has set a logger or
// a verbosity: controller-runtime logs a warning with a stack if no logger is set, and the
// libraries of an API server in this process log every group of kinds.
func silenceLibraries() {
	ctrl.SetLogger(logr.Discard()) // a logger that was set before stays
	if klog.Background() == unset && !klog.V(1).Enabled() {
		klog.SetLogger(logr.Discard())
	}
}
