package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// LabelDriver is the label, of metrics of both components, with the name of the
// driver.
const LabelDriver = "driver_name"

// DurationBuckets are the KEP's for durations, in seconds; the last one, +Inf,
// comes by itself. The slice is the caller's own.
func DurationBuckets() []float64 {
	return []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600}
}

// Register adds metrics that may have been added before by another instance.
func Register(added ...prometheus.Collector) error {
	for _, collector := range added {
		err := metrics.Registry.Register(collector)
		if _, again := errors.AsType[prometheus.AlreadyRegisteredError](err); err != nil && !again {
			return err
		}
	}
	return nil
}

// RegisterBuildInfo adds go_build_info, by which operators see which version
// runs.
func RegisterBuildInfo() error {
	return Register(collectors.NewBuildInfoCollector())
}
