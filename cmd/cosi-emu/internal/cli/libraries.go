package cli

import (
	"io"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/liblog"
)

// SilenceLibraries discards the logs of libraries, except those of an embedded API server, which
// has a log of its own. The journal has the logs of the components.
func SilenceLibraries() {
	ctrl.SetLogger(logr.Discard())
	liblog.Divert(io.Discard)
}
