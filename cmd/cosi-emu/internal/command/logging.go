package command

import (
	"fmt"
	"math"

	"github.com/spf13/pflag"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

// logging has the flags of a component's log.
type logging struct{ verbosity int }

func (l *logging) addFlags(flags *pflag.FlagSet) {
	flags.IntVarP(&l.verbosity, "verbosity", "v", 0, "log level")
}

func (l *logging) validate() error {
	if l.verbosity < 0 || l.verbosity > math.MaxInt8 {
		return cli.Usage(fmt.Errorf("--verbosity %d must be between 0 and %d", l.verbosity, math.MaxInt8))
	}
	return nil
}

// set makes the program, and its libraries, log as JSON to standard error.
func (l *logging) set(streams cli.Streams) {
	logger := zap.New(zap.WriteTo(streams.Err), zap.Level(zapcore.Level(-l.verbosity))) //nolint:gosec // validated to fit
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}
