package component

import (
	"flag"
	"fmt"
	"math"
	"strconv"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

type logging struct {
	flags     *pflag.FlagSet
	verbosity int
	zap       zap.Options
}

const (
	verbosityFlag = "verbosity"
	zapLevelFlag  = "zap-log-level"
)

func (l *logging) addFlags(flags *pflag.FlagSet) {
	l.flags = flags
	flags.IntVarP(&l.verbosity, verbosityFlag, "v", 0, "log level")
}

// addZapFlags adds the flags that upstream's controller and sidecar have.
func (l *logging) addZapFlags(flags *pflag.FlagSet) {
	usages := map[string]string{
		"zap-devel":   "development mode: text for people, with debug messages and more stack traces",
		"zap-encoder": "form of the log, json or console (default: json, with --zap-devel console)",
		zapLevelFlag: "log level: error, info, debug, which is --verbosity 1, or a number, which is that --verbosity " +
			"(default: info, with --zap-devel debug)",
		"zap-stacktrace-level": "lowest level with stack traces: info, error or panic (default: error, with --zap-devel warn)",
		"zap-time-encoding":    "form of times: epoch, millis, nanos, iso8601, rfc3339 or rfc3339nano (default: rfc3339)",
	}
	upstream := flag.NewFlagSet("", flag.ContinueOnError)
	l.zap.BindFlags(upstream)
	upstream.VisitAll(func(f *flag.Flag) {
		f.Usage = usages[f.Name]
		flags.AddGoFlag(f)
	})
}

func (l *logging) validate() error {
	if l.verbosity < 0 || l.verbosity > math.MaxInt8 {
		return cli.Usage(fmt.Errorf("--%s %d must be between 0 and %d", verbosityFlag, l.verbosity, math.MaxInt8))
	}
	if l.zap.Level == nil {
		return nil
	}
	given := l.flags.Lookup(zapLevelFlag).Value.String()
	if number, err := strconv.Atoi(given); err == nil && number > math.MaxInt8 {
		return cli.Usage(fmt.Errorf("--%s %s must be at most %d", zapLevelFlag, given, math.MaxInt8))
	}
	if l.flags.Changed(verbosityFlag) && zapcore.LevelOf(l.zap.Level) != l.level() {
		return cli.Usage(fmt.Errorf("--%s %d and --%s %s are different log levels: use one of the flags",
			verbosityFlag, l.verbosity, zapLevelFlag, given))
	}
	return nil
}

func (l *logging) level() zapcore.Level { return zapcore.Level(-l.verbosity) } //nolint:gosec // validated to fit

// options returns the options of the logger once the flags have been validated.
func (l *logging) options() zap.Options {
	options := l.zap
	if options.Level == nil && (l.flags.Changed(verbosityFlag) || !options.Development) {
		options.Level = l.level()
	}
	return options
}

// reportTo returns a function that logs the problems of a component that continues.
func reportTo(log logr.Logger) func(problem string) {
	return func(problem string) { log.Info(problem) }
}

func (l *logging) set(streams cli.Streams) {
	options := l.options()
	logger := zap.New(zap.UseFlagOptions(&options), zap.WriteTo(streams.Err))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}
