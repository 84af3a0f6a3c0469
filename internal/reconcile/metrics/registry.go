package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

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
