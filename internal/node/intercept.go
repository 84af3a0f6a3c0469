package node

import (
	"context"
	"path"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/kepmetrics"
)

const (
	labelMethod = "method_name"
	labelCode   = "grpc_status_code"
)

// operationSeconds has the names of the labels of the sidecar's metrics.
var operationSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "cosi_node_operation_duration_seconds",
	Help:    "Duration of the CSI calls of the kubelet.",
	Buckets: kepmetrics.DurationBuckets(),
}, []string{labelMethod, labelCode})

func metrics() []prometheus.Collector { return []prometheus.Collector{operationSeconds} }

// intercept measures and logs a call. Requests have secrets: of them it logs only the volume.
func (a *Adapter) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	start := time.Now()
	response, err := handle(ctx, request)
	elapsed := time.Since(start)
	method, code := path.Base(info.FullMethod), status.Code(err)
	operationSeconds.WithLabelValues(method, code.String()).Observe(elapsed.Seconds())
	log := a.options.Logger.WithValues("method", method, "code", code.String(), "duration", elapsed)
	if about, ok := request.(interface{ GetVolumeId() string }); ok {
		log = log.WithValues("volume", about.GetVolumeId())
	}
	if err != nil {
		log.Info("the call has failed", "error", status.Convert(err).Message())
	} else {
		log.V(1).Info("called")
	}
	return response, err
}
