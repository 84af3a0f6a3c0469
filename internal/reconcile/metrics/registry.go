package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

const LabelDriver = "driver_name"

// DurationBuckets returns the KEP's buckets for durations, in seconds, without the
// last one, +Inf. The caller owns the slice.
func DurationBuckets() []float64 {
	return []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600}
}

// Register adds metrics, which another instance may have added before.
func Register(added ...prometheus.Collector) error {
	for _, collector := range added {
		err := metrics.Registry.Register(collector)
		if _, again := errors.AsType[prometheus.AlreadyRegisteredError](err); err != nil && !again {
			return err
		}
	}
	return nil
}

// RegisterBuildInfo adds go_build_info, which shows operators the running version.
func RegisterBuildInfo() error {
	return Register(collectors.NewBuildInfoCollector())
}
