package cli

import (
	"io"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/liblog"
)

// SilenceLibraries discards the logs of libraries. An embedded API server keeps a log of its own,
// and the journal has the logs of the components.
func SilenceLibraries() {
	ctrl.SetLogger(logr.Discard())
	liblog.Divert(io.Discard)
}
