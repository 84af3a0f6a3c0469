package liblog

import (
	"flag"
	"reflect"

	"k8s.io/klog/v2"
)

// defaults are the values of klog's flags with which it writes exactly what Divert writes.
var defaults = map[string]string{
	"logtostderr": "true", "legacy_stderr_threshold_behavior": "true", "skip_headers": "false", "v": "0", "vmodule": "",
}

// isDefault reports whether klog writes to standard error as it does if nobody has set it up.
func isDefault() bool {
	if hasLogger() {
		return false
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags) // the flags are another view of klog's settings
	for name, want := range defaults {
		if f := flags.Lookup(name); f == nil || f.Value.String() != want {
			return false
		}
	}
	return true
}

// hasLogger reports whether the program has set a logger. No function of klog tells that of a
// logger without contextual logging, so that this looks into klog's state; if that has another
// form, the answer is yes, and klog stays as it is.
func hasLogger() bool {
	state := reflect.ValueOf(klog.CaptureState())
	if state.Kind() != reflect.Pointer || state.Elem().Kind() != reflect.Struct {
		return true
	}
	logger := state.Elem().FieldByName("logger")
	return !logger.IsValid() || logger.Kind() != reflect.Pointer || !logger.IsNil()
}
