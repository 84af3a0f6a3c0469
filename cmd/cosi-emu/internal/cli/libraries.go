package cli

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// SilenceLibraries discards the logs of libraries. The journal has the logs of the
// components.
func SilenceLibraries() {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
}
